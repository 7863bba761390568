//! A fork precedes whatever the child does later, and the joins that wait for it, even if the trace
//! shows nothing the child does; no init is needed.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use crate::rules;

pub(crate) static RULE: Rule = Rule {
    name: "FORK-THREAD",
    reference: "FastTrack, §2.1 (fork-join)",
    logic: "α = fork(_, T), β on T or β = join(_, T) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/fork-thread.md"),
    misses: |p| p.forked(false),
    derive: Derive::Operations(derive, &[Mechanism::ForkThread]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    // Where threads are ordered, the child's first operation stands for all.
    let needed = if p.rules.contains(&rules::THREAD_ORDER) { 1 } else { usize::MAX };
    let children = p.facts.forks.iter().zip(&p.facts.by_thread).zip(&p.facts.joins);
    for ((forks, ops), joins) in children {
        for &fork in forks {
            let later = &ops[ops.partition_point(|&op| op <= fork)..];
            for &op in later.iter().take(needed).chain(joins) {
                out.order(fork, op);
            }
        }
    }
}
