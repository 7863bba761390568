//! The events of one request, stream or connection come in order. Stated by `arc M N by=network`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "NETWORK-ORDER",
    reference: "Fetch, “fetch” and its body; XMLHttpRequest, states of a request",
    logic: "arc(t, u, network), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/network-order.md"),
    misses: |p| p.stated(Stated::Network),
    derive: Derive::Events(|facts, out| stated::by(facts, b"network", out)),
};
