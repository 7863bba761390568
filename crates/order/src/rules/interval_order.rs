//! The ticks of one interval come one after the other. Stated by `arc M N by=interval`.

use super::stated;
use crate::misses::Stated;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "INTERVAL-ORDER",
    reference: "HTML, Timers: “timer initialization steps” (repeat)",
    logic: "arc(t, u, interval), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/interval-order.md"),
    misses: |p| p.stated(Stated::Interval),
    derive: Derive::Events(|facts, out| stated::by(facts, b"interval", out)),
};
