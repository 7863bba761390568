//! What a thread does, in events or not, it does in the order of the trace.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "THREAD-ORDER",
    reference: "FastTrack, §2.1 (program order)",
    logic: "α, β on one thread ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/thread-order.md"),
    misses: |p| Some(p.on_thread()),
    derive: Derive::Operations(derive, &[Mechanism::WholeThreadOrder]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for ops in &p.facts.by_thread {
        out.chain(ops);
    }
}
