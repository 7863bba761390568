//! A join returns after the thread has ended; its end is the explicit exit.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "JOIN",
    reference: "AsyncClock, Fig. 3",
    logic: "α = end(T), β = join(_, T) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/join.md"),
    misses: |p| p.joined(true),
    derive: Derive::Operations(derive, &[Mechanism::ExitJoin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    super::threads::join(p.facts, out);
}
