//! An event action that posts another happens before it. A post that comes after its message began
//! orders nothing.

use crate::facts::Facts;
use crate::rule::{Derive, EventConclusions, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "FORK-EVENT",
    reference: "EventRacer, Fig. 2 and §2.3",
    logic: "fork(t, u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/fork-event.md"),
    misses: |p| p.posts_other(false),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    for event in &facts.events {
        let Some((enqueue, _)) = event.posted else { continue };
        if let Some(parent) = facts.trace.event_of(enqueue)
            && enqueue < event.begin
        {
            out.edges.push((parent, event.event));
        }
    }
}
