//! A load event waits for everything that delays it. Stated by `arc M N by=load`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "LOAD-ORDER",
    reference: "HTML, Parsing HTML documents: “the end” (delaying the load event), and “completely loaded” documents",
    logic: "arc(t, u, load), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/load-order.md"),
    misses: |p| p.stated(Stated::Load),
    derive: Derive::Events(|facts, out| stated::by(facts, b"load", out)),
};
