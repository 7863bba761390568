//! Idle callbacks that are requested in order run in order. One that a timeout made urgent is not
//! posted to an attached queue, so the rule does not order it.

use trace::Posting;

use super::queued;
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "IDLE-ORDER",
    reference: "requestIdleCallback: “invoke idle callbacks algorithm”",
    logic: "η = enqueue(m, q, idle) ≺ γ = enqueue(m', q, idle), q attached, γ < begin(m') ⊢ m ≼ m'",
    speculative: false,
    page: include_str!("../../../../docs/rules/idle-order.md"),
    misses: |p| p.queued(delay, "both were idle callbacks"),
    derive: Derive::EventsInOrder(
        |p, out| queued::in_order(p, out, delay),
        EventMechanism::QueueOrder(delay),
    ),
};

/// All idle callbacks have the same delay.
fn delay(posting: Posting) -> Option<i64> {
    (posting == Posting::Idle).then_some(0)
}
