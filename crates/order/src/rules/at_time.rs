//! Messages for points in time run in the order of their times, if they are posted in order.
//!
//! Off by default: the times mostly come from the clock, so another run may differ.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

use super::posting::{posted_pairs, posting};

pub(crate) static RULE: Rule = Rule {
    name: "AT-TIME",
    reference: "Interloper, model `android`; AsyncClock, Table 1",
    logic: "η = enqueue(m) ≺ γ = enqueue(m') to one Looper, both AtTime, η.time ≤ γ.time, η.async ∨ ¬γ.async ⊢ end(m) ≺ begin(m')",
    speculative: true,
    page: include_str!("../../../../docs/rules/at-time.md"),
    misses: |p| p.posted_in_order(keeps, false),
    derive: Derive::Operations(derive, &[Mechanism::PostedForTimes]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for (eta, gamma) in posted_pairs(p.facts) {
        let (first, second) = (posting(eta.enqueue, p.rules), posting(gamma.enqueue, p.rules));
        if keeps(first, second)
            && (eta.enqueue.is_async || !gamma.enqueue.is_async)
            && p.before(eta.op, gamma.op)
        {
            out.order_end(eta.end, gamma.begin);
        }
    }
}

/// Whether two messages for points in time keep their order.
fn keeps(first: Posting, second: Posting) -> bool {
    matches!((first, second), (Posting::AtTime(t1), Posting::AtTime(t2)) if t1 <= t2)
}
