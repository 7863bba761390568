//! A blocking enqueue returns after its message was processed.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, Op};

pub(crate) static RULE: Rule = Rule {
    name: "MSG-BLOCKING",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = end(m), β = enqueue_end(m) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/msg-blocking.md"),
    misses: |p| p.returned(),
    derive: Derive::Operations(derive, &[Mechanism::EndEnqueueEnd]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for event in &p.facts.events {
        for &op in &p.facts.about_message[event.event.index()] {
            if matches!(p.facts.trace.op(op), Op::EnqueueEnd(_)) {
                out.order_end(event.end, op);
            }
        }
    }
}
