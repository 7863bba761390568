//! Idle callbacks asked for in order come in order, unless a timeout makes one urgent: those are not
//! posted to an attached queue.

use trace::Posting;

use super::queued;
use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "IDLE-ORDER",
    reference: "requestIdleCallback: “invoke idle callbacks algorithm”",
    logic: "η = enqueue(m, q, idle) ≺ γ = enqueue(m', q, idle), q attached, γ < begin(m') ⊢ m ≼ m'",
    speculative: false,
    page: include_str!("../../../../docs/rules/idle-order.md"),
    derive: Derive::EventsInOrder(|p, out| queued::in_order(p, out, keeps)),
};

fn keeps(eta: Posting, gamma: Posting) -> bool {
    (eta, gamma) == (Posting::Idle, Posting::Idle)
}
