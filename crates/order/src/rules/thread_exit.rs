//! A thread's exit follows everything else on the thread, events included.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Op;

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-EXIT",
    reference: "EventRacer Android, Fig. 4",
    logic: "α any other operation of t, β = exit(t) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/thread-exit.md"),
    misses: |p| p.exited(),
    derive: Derive::Operations(derive, &[Mechanism::ExitLast]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in &p.facts.by_thread {
        for (i, &exit) in ops.iter().enumerate() {
            if p.facts.trace.op(exit) == Op::Exit {
                for &a in &ops[..i] {
                    out.order(a, exit);
                }
            }
        }
    }
}
