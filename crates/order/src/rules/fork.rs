//! A thread begins after the fork that made it; its begin is the explicit init.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "FORK",
    reference: "AsyncClock, Fig. 3",
    logic: "α = fork(_, T), β = begin(T) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/fork.md"),
    misses: |p| p.forked(true),
    derive: Derive::Operations(derive, &[Mechanism::ForkInit]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    super::threads::fork(p.facts, out);
}
