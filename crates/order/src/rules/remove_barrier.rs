//! An ordinary message posted behind a barrier waits for the barrier to go. A removal before the
//! post removes nothing and orders nothing.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, Op, OpId, Posting};

use super::posting::posting;

pub(crate) static RULE: Rule = Rule {
    name: "REMOVE-BARRIER",
    reference: "Interloper, observed on Android 6 to 14",
    logic: "post_barrier(B) ≺ enqueue(m), to one Looper, m Delayed and not async, post_barrier(B) < remove_barrier(B) < begin(m) ⊢ remove_barrier(B) ≺ begin(m)",
    speculative: false,
    page: include_str!("../../../../docs/rules/remove-barrier.md"),
    misses: |p| p.barrier_removed(),
    derive: Derive::Operations(derive, &[Mechanism::RemoveBarrier]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let trace = p.facts.trace;
    for ops in &p.facts.barriers {
        for (i, &post) in ops.iter().enumerate() {
            let Op::PostBarrier(_, queue) = trace.op(post) else { continue };
            for event in &p.facts.by_looper[queue.index()] {
                let Some((enqueue, message)) = event.posted else { continue };
                let held = matches!(posting(message, p.rules), Posting::Delayed(_));
                if held && !message.is_async && p.before(post, enqueue) {
                    let is_removal = |&&op: &&OpId| matches!(trace.op(op), Op::RemoveBarrier(_));
                    for &removal in ops[i + 1..].iter().filter(is_removal) {
                        out.order(removal, event.begin);
                    }
                }
            }
        }
    }
}
