//! Operations of one event follow the trace.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "EVENT-OP",
    reference: "EventRacer Android, Fig. 4",
    logic: "ev(α) = ev(β) ≠ none ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/event-op.md"),
    misses: |p| p.in_one_event(),
    derive: Derive::Operations(derive, &[Mechanism::EventOrder]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in &p.facts.in_event {
        out.chain(ops);
    }
}
