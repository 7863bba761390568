//! The microtasks of a task run when it is done, before the thread turns to another: what comes
//! after a part of a task, in another task of the thread, comes after all its parts.

use super::tasks::tasks;
use crate::engine::graph::EventMechanism;
use crate::rule::{Derive, EventConclusions, EventPremises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "CHECKPOINT",
    reference: "HTML, Event loops: “perform a microtask checkpoint”",
    logic: "t ≼ u, task(t) = task(v) ≠ task(u), thread(t) = thread(u), end(v) < begin(u) ⊢ v ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/checkpoint.md"),
    derive: Derive::EventsInOrder(derive, EventMechanism::Checkpoint),
};

fn derive(p: &EventPremises<'_>, out: &mut EventConclusions) {
    let tasks = tasks(p.facts);
    for (i, earlier) in tasks.iter().enumerate() {
        for later in &tasks[i + 1..] {
            if earlier[0].thread != later[0].thread {
                continue;
            }
            for u in later {
                if earlier.iter().any(|t| p.known.before(t.event, u.event)) {
                    for v in earlier {
                        out.order(p.facts.trace, v.event, u.event);
                    }
                }
            }
        }
    }
}
