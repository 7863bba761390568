//! An event is sent before it begins.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "SEND",
    reference: "AsyncClock, Fig. 3",
    logic: "α = send(_, _, E), β = begin(E) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/send.md"),
    misses: |p| p.post_before_event(),
    derive: Derive::Operations(derive, &[Mechanism::EnqueueBegin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for event in &p.facts.events {
        if let Some((send, _)) = event.posted {
            out.order(send, event.begin);
        }
    }
}
