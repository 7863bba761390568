//! Animation frames that are requested in order come in order.

use trace::Posting;

use super::queued;
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "FRAME-ORDER",
    reference: "HTML, Animation frames: “run the animation frame callbacks”",
    logic: "η = enqueue(m, q, display) ≺ γ = enqueue(m', q, display), q attached, γ < begin(m') ⊢ m ≼ m'",
    speculative: false,
    page: include_str!("../../../../docs/rules/frame-order.md"),
    misses: |p| p.queued(delay, "both were callbacks of frames"),
    derive: Derive::EventsInOrder(
        |p, out| queued::in_order(p, out, delay),
        EventMechanism::QueueOrder(delay),
    ),
};

/// All frames have the same delay.
fn delay(posting: Posting) -> Option<i64> {
    (posting == Posting::Display).then_some(0)
}
