//! Native messages of one kind are delivered in the order of the trace.
//!
//! Speculative: the delivering process is assumed to keep them in order.

use crate::engine::graph::{Dispatchers, Mechanism};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

pub(crate) static RULE: Rule = Rule {
    name: "NATIVE",
    reference: "EventRacer Android, Fig. 5",
    logic: "end(m) < begin(m'), both Input or both Display, one dispatcher ⊢ end(m) ≺ begin(m')",
    speculative: true,
    page: include_str!("../../../../docs/rules/native.md"),
    misses: |p| p.of_one_kind(&[Posting::Input, Posting::Display]),
    derive: Derive::Operations(
        derive,
        &[Mechanism::InputOrder(Dispatchers::All), Mechanism::DisplayOrder(Dispatchers::All)],
    ),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for events in p.facts.dispatchers() {
        for kind in [Posting::Input, Posting::Display] {
            super::threads::in_trace_order(events, kind, out);
        }
    }
}
