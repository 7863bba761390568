//! Timers set in order, of delays that do not shrink, fire in order; messages sent in order through
//! one port arrive in order. A delay below 0 is none.

use trace::Posting;

use super::queued;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TIMER-ORDER",
    reference: "HTML, Timers: “run steps after a timeout”; “posting messages” (port message queue)",
    logic: "η = enqueue(m, q) ≺ γ = enqueue(m', q), q attached, delay(η) ≤ delay(γ), γ < begin(m') ⊢ m ≼ m'",
    speculative: false,
    page: include_str!("../../../../docs/rules/timer-order.md"),
    derive: Derive::EventsInOrder(|p, out| queued::in_order(p, out, keeps)),
};

fn keeps(eta: Posting, gamma: Posting) -> bool {
    match (eta, gamma) {
        (Posting::Delayed(first), Posting::Delayed(second)) => first.max(0) <= second.max(0),
        _ => false,
    }
}
