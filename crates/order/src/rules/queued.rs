//! Sources that keep the order of what is asked of them: queues that the thread attached.

use trace::Posting;

use crate::rule::{EventConclusions, EventPremises};

/// η = enqueue(m, q) ≺ γ = enqueue(m', q), the queue keeps their order, γ < begin(m') ⊢ m ≼ m'.
pub(super) fn in_order(
    p: &EventPremises<'_>,
    out: &mut EventConclusions,
    keeps: fn(Posting, Posting) -> bool,
) {
    for queue in &p.facts.by_looper {
        for (i, first) in queue.iter().enumerate() {
            let Some((eta, m)) = first.posted else { continue };
            for second in &queue[i + 1..] {
                let Some((gamma, n)) = second.posted else { continue };
                if gamma < second.begin && keeps(m.posting, n.posting) && p.before(eta, gamma) {
                    out.order(p.facts.trace, first.event, second.event);
                }
            }
        }
    }
}
