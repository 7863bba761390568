//! Attached queues, which run requests in the order they were made.

use trace::Posting;

use crate::rule::{EventConclusions, EventPremises};

/// Applies η = enqueue(m, q) ≺ γ = enqueue(m', q), delay(η) ≤ delay(γ), γ < begin(m') ⊢ m ≼ m'. The
/// rule orders only messages that have a `delay`.
pub(super) fn in_order(
    p: &EventPremises<'_>,
    out: &mut EventConclusions,
    delay: fn(Posting) -> Option<i64>,
) {
    for queue in &p.facts.by_looper {
        for (i, first) in queue.iter().enumerate() {
            let Some((eta, m)) = first.posted else { continue };
            let Some(shorter) = delay(m.posting) else { continue };
            for second in &queue[i + 1..] {
                let Some((gamma, n)) = second.posted else { continue };
                let in_order = delay(n.posting).is_some_and(|longer| shorter <= longer);
                if gamma < second.begin && in_order && p.before(eta, gamma) {
                    out.order(p.facts.trace, first.event, second.event);
                }
            }
        }
    }
}
