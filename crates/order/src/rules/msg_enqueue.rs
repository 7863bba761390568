//! A message is posted before it is dispatched.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "MSG-ENQUEUE",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = enqueue(m), β = begin(m) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/msg-enqueue.md"),
    misses: |p| p.post_before_event(),
    derive: Derive::Operations(derive, &[Mechanism::EnqueueBegin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for event in &p.facts.events {
        if let Some((enqueue, _)) = event.posted {
            out.order(enqueue, event.begin);
        }
    }
}
