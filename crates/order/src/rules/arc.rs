//! A stated order of two event actions: the second waits for the first. An arc whose target begins
//! before its source ends is ignored.

use crate::rule::{Derive, EventConclusions, Rule};
use trace::Op;

use crate::facts::Facts;

pub(crate) static RULE: Rule = Rule {
    name: "ARC",
    reference: "EventRacer, Fig. 2 and §2.3 (join)",
    logic: "arc(t, u), end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/arc.md"),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    for op in facts.trace.ops() {
        let Op::Arc(from, to) = facts.trace.op(op) else { continue };
        let (source, target) = (facts.trace.event(from), facts.trace.event(to));
        if let (Some(end), Some(begin)) = (source.end, target.begin)
            && end < begin
        {
            out.edges.push((from, to));
        }
    }
}
