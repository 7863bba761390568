//! The user can act on an element only when it is there. Stated by `arc M N by=target`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TARGET-ORDER",
    reference: "UI Events, event order; DOM, “dispatch”",
    logic: "arc(t, u, target), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/target-order.md"),
    misses: |p| p.stated(Stated::Target),
    derive: Derive::Events(|facts, out| stated::by(facts, b"target", out)),
};
