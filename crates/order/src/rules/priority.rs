//! Events sent to one looper in order, of priorities the queue keeps in order, run in order. FIFO is
//! the case of two plain messages, which are Delayed with delay 0.
//!
//! A sync event can be held back by a barrier while an async one passes, so sync before async is never
//! ordered. The printed cell for two points in time repeats its neighbour; the code applies what it
//! must mean.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Enqueue, Posting};

use super::posting::posted_pairs;

pub(crate) static RULE: Rule = Rule {
    name: "PRIORITY",
    reference: "AsyncClock, Fig. 3 (FIFO), Fig. 7 and Table 1",
    logic: "send(_, q, E1) ≺ send(_, q, E2), priority(E1, E2) ⊢ end(E1) ≺ begin(E2)",
    speculative: false,
    page: include_str!("../../../../docs/rules/priority.md"),
    misses: |p| p.posted_in_order(in_time, false),
    derive: Derive::Operations(derive, &[Mechanism::PostedInOrder, Mechanism::PostedForTimes]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for (first, second) in posted_pairs(p.facts) {
        if priority(first.enqueue, second.enqueue) && p.before(first.op, second.op) {
            out.order_end(first.end, second.begin);
        }
    }
}

/// Table 1.
fn priority(first: Enqueue, second: Enqueue) -> bool {
    let passes = first.is_async || !second.is_async;
    in_time(first.posting, second.posting) && passes
}

/// Table 1 without its marks for asynchronous messages.
fn in_time(first: Posting, second: Posting) -> bool {
    match (first, second) {
        (Posting::Delayed(t1), Posting::Delayed(t2))
        | (Posting::AtTime(t1), Posting::AtTime(t2)) => t1 <= t2,
        (Posting::Front, Posting::Delayed(_) | Posting::AtTime(_)) => true,
        _ => false,
    }
}
