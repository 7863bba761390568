//! A part of a task whose causes are all there runs before the thread turns to anything but
//! microtasks: to another task, or to the next listener.

use super::causes::{Causes, Kind};
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, EventConclusions, EventPremises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "CHECKPOINT",
    reference: "HTML, Event loops: “perform a microtask checkpoint”; DOM, “inner invoke”",
    logic: "∀ c ∈ causes(p): c ≼ u, u no microtask, thread(p) = thread(u), end(p) < begin(u) ⊢ p ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/checkpoint.md"),
    misses: |p| p.checkpoint(),
    derive: Derive::EventsInOrder(derive, EventMechanism::Checkpoint),
};

fn derive(p: &EventPremises<'_>, out: &mut EventConclusions) {
    let causes = Causes::new(p.facts.trace, p.known.stated());
    for part in p.facts.events.iter().filter(|part| !causes.of(part.event).is_empty()) {
        for u in p.facts.events.iter().filter(|u| u.thread == part.thread) {
            if causes.kind(u.event) != Kind::Microtask
                && causes.of(part.event).iter().all(|c| p.known.before(c.event, u.event))
            {
                out.order(p.facts.trace, part.event, u.event);
            }
        }
    }
}
