//! A join returns after the thread has finished.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-JOIN",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = exit(t), β = join(_, t) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/thread-join.md"),
    misses: |p| p.joined(true),
    derive: Derive::Operations(derive, &[Mechanism::ExitJoin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    super::threads::join(p.facts, out);
}
