//! Timers set in order, of delays that do not shrink, fire in order; messages sent in order through
//! one port arrive in order. A delay below 0 is none.

use trace::Posting;

use super::queued;
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TIMER-ORDER",
    reference: "HTML, Timers: “run steps after a timeout”; “posting messages” (port message queue)",
    logic: "η = enqueue(m, q) ≺ γ = enqueue(m', q), q attached, delay(η) ≤ delay(γ), γ < begin(m') ⊢ m ≼ m'",
    speculative: false,
    page: include_str!("../../../../docs/rules/timer-order.md"),
    misses: |p| p.queued(delay, "the second waited at least as long as the first"),
    derive: Derive::EventsInOrder(
        |p, out| queued::in_order(p, out, delay),
        EventMechanism::QueueOrder(delay),
    ),
};

/// The delay of a timer or a port's message, of which one below 0 is none.
fn delay(posting: Posting) -> Option<i64> {
    match posting {
        Posting::Delayed(delay) => Some(delay.max(0)),
        _ => None,
    }
}
