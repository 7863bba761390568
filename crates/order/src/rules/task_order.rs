//! The parts of one task, its own code, its microtasks and the listeners it calls, come one after
//! the other.

use super::tasks::{one_after_another, tasks};
use crate::facts::Facts;
use crate::rule::{Derive, EventConclusions, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "TASK-ORDER",
    reference: "HTML, “perform a microtask checkpoint” and “clean up after running script”; DOM, “dispatch”",
    logic: "task(t) = task(u), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/task-order.md"),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    for task in tasks(facts) {
        out.edges.extend(one_after_another(&task));
    }
}
