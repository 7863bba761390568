//! Operations of a thread outside events follow the trace.
//!
//! Tasks of a pool are events of their queue, so nothing orders two tasks that share a thread.

use crate::engine::graph::{Mechanism, Threads};
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-OP",
    reference: "EventRacer Android, Fig. 5",
    logic: "α, β on one thread, both outside events ⊢ α ≺ β",
    speculative: true,
    page: include_str!("../../../../docs/rules/thread-op.md"),
    misses: |p| p.outside_events(false),
    derive: Derive::Operations(derive, &[Mechanism::ThreadOrder(Threads::All)]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in &p.facts.outside_events {
        out.chain(ops);
    }
}
