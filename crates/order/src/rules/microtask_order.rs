//! Microtasks come from a queue, and each is queued when its last cause is there. If every cause of a
//! part of a task comes before some cause of a microtask, the part comes before the microtask.
//!
//! A reaction that ran early only because its promise happened to be settled has a cause that nothing
//! orders, and so comes before nothing that merely ran later.

use super::causes::{Cause, Causes, Kind};
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, EventConclusions, EventPremises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "MICROTASK-ORDER",
    reference: "HTML, “queue a microtask”; ECMAScript, HostEnqueuePromiseJob",
    logic: "∀ c ∈ causes(m) ∃ d ∈ causes(n): c ≼ d, if c = d call(c) ≤ call(d), n a microtask, thread(m) = thread(n), end(m) < begin(n) ⊢ m ≼ n",
    speculative: false,
    page: include_str!("../../../../docs/rules/microtask-order.md"),
    misses: |p| p.microtasks(),
    derive: Derive::EventsInOrder(derive, EventMechanism::Microtasks),
};

fn derive(p: &EventPremises<'_>, out: &mut EventConclusions) {
    let causes = Causes::new(p.facts.trace, p.known.stated());
    let is_before = |c: Cause, d: Cause| {
        if c.event == d.event { c.is_called_before(d) } else { p.known.before(c.event, d.event) }
    };
    for m in p.facts.events.iter().filter(|m| !causes.of(m.event).is_empty()) {
        for n in p.facts.events.iter().filter(|n| n.thread == m.thread) {
            let later = causes.of(n.event);
            if causes.kind(n.event) == Kind::Microtask
                && causes.of(m.event).iter().all(|&c| later.iter().any(|&d| is_before(c, d)))
            {
                out.order(p.facts.trace, m.event, n.event);
            }
        }
    }
}
