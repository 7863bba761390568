//! A join follows whatever the child did earlier; no exit is needed.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use crate::rules;

pub(crate) static RULE: Rule = Rule {
    name: "JOIN-THREAD",
    reference: "FastTrack, §2.1 (fork-join)",
    logic: "α on T, β = join(_, T) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/join-thread.md"),
    misses: |p| p.joined(false),
    derive: Derive::Operations(derive, &[Mechanism::ThreadJoin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    // Where threads are ordered, the child's last operation stands for all.
    let needed = if p.rules.contains(&rules::THREAD_ORDER) { 1 } else { usize::MAX };
    for (joins, ops) in p.facts.joins.iter().zip(&p.facts.by_thread) {
        for &join in joins {
            let earlier = &ops[..ops.partition_point(|&op| op < join)];
            for &op in earlier.iter().rev().take(needed) {
                out.order(op, join);
            }
        }
    }
}
