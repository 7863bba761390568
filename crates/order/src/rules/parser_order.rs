//! The content of a document is parsed, and its scripts run, in the order of the document.
//! Stated by `arc M N by=parser`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "PARSER-ORDER",
    reference: "HTML, Parsing HTML documents: “the end”, and the script element: “prepare the script element”",
    logic: "arc(t, u, parser), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/parser-order.md"),
    misses: |p| p.stated(Stated::Parser),
    derive: Derive::Events(|facts, out| stated::by(facts, b"parser", out)),
};
