//! Operations of one event, or of one thread outside events, follow the trace.

use crate::engine::graph::{Mechanism, Threads};
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "PO",
    reference: "AsyncClock, Fig. 3",
    logic: "task(α) = task(β) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/po.md"),
    misses: |p| p.in_one_task(),
    derive: Derive::Operations(
        derive,
        &[Mechanism::EventOrder, Mechanism::ThreadOrder(Threads::All)],
    ),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in p.facts.in_event.iter().chain(&p.facts.outside_events) {
        out.chain(ops);
    }
}
