//! A message posted to the front runs before one that is known to be still waiting.
//!
//! With [`super::FRONT_PASSES_BARRIER`] the condition on async falls away.

use crate::engine::graph::{Mechanism, Overtaken};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

use super::posting::{posted_pairs, posting};

pub(crate) static RULE: Rule = Rule {
    name: "MSG-BEGIN-2",
    reference: "EventRacer Android, Fig. 4",
    logic: "η = enqueue(m) ≺ γ = enqueue(m') ≺ begin(m) to one Looper, γ Front, η ∈ {Delayed, AtTime, Front, Idle}, γ.async ∨ ¬η.async ⊢ end(m') ≺ begin(m)",
    speculative: false,
    page: include_str!("../../../../docs/rules/msg-begin-2.md"),
    misses: |p| p.overtaken(is_queued, !p.rules.contains(&super::FRONT_PASSES_BARRIER)),
    derive: Derive::Operations(derive, &[Mechanism::Front(Overtaken::Queued)]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for (eta, gamma) in posted_pairs(p.facts) {
        let queued = is_queued(posting(eta.enqueue, p.rules));
        let free = gamma.enqueue.is_async
            || !eta.enqueue.is_async
            || p.rules.contains(&super::FRONT_PASSES_BARRIER);
        if posting(gamma.enqueue, p.rules) == Posting::Front
            && queued
            && free
            && p.before(eta.op, gamma.op)
            && p.before(gamma.op, eta.begin)
        {
            out.order_end(gamma.end, eta.begin);
        }
    }
}

/// Whether a message waits in the sorted queue.
fn is_queued(posting: Posting) -> bool {
    matches!(posting, Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front | Posting::Idle)
}
