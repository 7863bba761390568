//! A thread starts after the fork that made it.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-FORK",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = fork(_, t), β = init(t) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/thread-fork.md"),
    misses: |p| p.forked(true),
    derive: Derive::Operations(derive, &[Mechanism::ForkInit]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    super::threads::fork(p.facts, out);
}
