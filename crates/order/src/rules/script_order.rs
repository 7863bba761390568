//! A script runs before its load event, and modules after the modules they import.
//! Stated by `arc M N by=script`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "SCRIPT-ORDER",
    reference: "HTML, “execute the script element”; ECMAScript, module evaluation",
    logic: "arc(t, u, script), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/script-order.md"),
    misses: |p| p.stated(Stated::Script),
    derive: Derive::Events(|facts, out| stated::by(facts, b"script", out)),
};
