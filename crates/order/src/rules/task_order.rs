//! A task starts before its parts, its microtasks and the listeners it calls, and a dispatch calls its
//! listeners one after the other.

use super::causes::{Kind, kind};
use super::tasks::{one_after_another, tasks};
use crate::facts::Facts;
use crate::rule::{Derive, EventConclusions, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TASK-ORDER",
    reference: "HTML, “perform a microtask checkpoint”; DOM, “dispatch” and “inner invoke”",
    logic: "task(t) = task(u), t starts the task or t and u are listeners' calls, end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/task-order.md"),
    misses: |p| p.of_one_task(),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    for mut task in tasks(facts) {
        let start = task[0];
        for part in &task[1..] {
            out.order(facts.trace, start.event, part.event);
        }
        task.retain(|part| kind(facts.trace, part.event) == Kind::Listener);
        out.edges.extend(one_after_another(&task));
    }
}
