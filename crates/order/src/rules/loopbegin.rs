//! A looper thread begins before its events; its begin is the explicit init.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, Op};

pub(crate) static RULE: Rule = Rule {
    name: "LOOPBEGIN",
    reference: "AsyncClock, Fig. 3",
    logic: "α = begin(T), β = begin(E), looper(E) = T ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/loopbegin.md"),
    misses: |p| p.loop_begun(),
    derive: Derive::Operations(derive, &[Mechanism::InitBegin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for event in p.facts.by_looper.iter().flatten() {
        for &op in &p.facts.by_thread[event.thread.index()] {
            if p.facts.trace.op(op) == Op::Init {
                out.order(op, event.begin);
            }
        }
    }
}
