//! All external input events of a queue are totally ordered: the system is taken to be closed.

use crate::engine::graph::{Dispatchers, Mechanism};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

pub(crate) static RULE: Rule = Rule {
    name: "INPUT",
    reference: "AsyncClock, §2.3",
    logic: "end(E1) < begin(E2), both external input of one queue ⊢ end(E1) ≺ begin(E2)",
    speculative: true,
    page: include_str!("../../../../docs/rules/input.md"),
    misses: |p| p.of_one_kind(&[Posting::Input]),
    derive: Derive::Operations(derive, &[Mechanism::InputOrder(Dispatchers::Loopers)]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for events in &p.facts.by_looper {
        super::threads::in_trace_order(events, Posting::Input, out);
    }
}
