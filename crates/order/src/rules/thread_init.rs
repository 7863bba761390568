//! A thread's init precedes everything else on the thread, events included.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Op;

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-INIT",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = init(t), β any other operation of t ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/thread-init.md"),
    misses: |p| p.initialised(),
    derive: Derive::Operations(derive, &[Mechanism::InitFirst]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in &p.facts.by_thread {
        for (i, &init) in ops.iter().enumerate() {
            if p.facts.trace.op(init) == Op::Init {
                for &b in &ops[i + 1..] {
                    out.order(init, b);
                }
            }
        }
    }
}
