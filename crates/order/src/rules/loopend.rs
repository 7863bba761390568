//! A looper thread ends after its events; its end is the explicit exit.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, Op};

pub(crate) static RULE: Rule = Rule {
    name: "LOOPEND",
    reference: "AsyncClock, Fig. 3",
    logic: "α = end(E), β = end(T), looper(E) = T ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/loopend.md"),
    misses: |p| p.loop_ended(),
    derive: Derive::Operations(derive, &[Mechanism::EndExit]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for event in p.facts.by_looper.iter().flatten() {
        for &op in &p.facts.by_thread[event.thread.index()] {
            if p.facts.trace.op(op) == Op::Exit {
                out.order_end(event.end, op);
            }
        }
    }
}
