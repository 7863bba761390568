//! Operations of one event action follow the trace; operations of different ones follow their event
//! actions.

use crate::rule::{Derive, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "EVENT-ORDER",
    reference: "EventRacer, §2.3",
    logic: "ev(a) = ev(b), a < b ⊢ a ≼ b",
    speculative: false,
    page: include_str!("../../../../docs/rules/event-order.md"),
    misses: |p| Some(p.in_one_action()),
    derive: Derive::WithinEvents,
};
