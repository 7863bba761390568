//! Two messages posted to one Looper in order, of kinds the queue keeps in order, run in order.
//!
//! `looperord` is Table 2 of the paper. An async message (the paper's *barrier*) may overtake ordinary
//! ones while a barrier stands, so an ordinary message is not ordered before an async one; with
//! [`super::FRONT_PASSES_BARRIER`] a front post is, because nothing holds it back.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

use super::posting::{posted_pairs, posting};

pub(crate) static RULE: Rule = Rule {
    name: "MSG-BEGIN-1",
    reference: "EventRacer Android, Fig. 4 and Table 2",
    logic: "η = enqueue(m) ≺ γ = enqueue(m') to one Looper, looperord(η, γ), η.async ∨ ¬γ.async ⊢ end(m) ≺ begin(m')",
    speculative: false,
    page: include_str!("../../../../docs/rules/msg-begin-1.md"),
    misses: |p| p.posted_in_order(looperord, p.rules.contains(&super::FRONT_PASSES_BARRIER)),
    derive: Derive::Operations(derive, &[Mechanism::PostedInOrder, Mechanism::PostedBeforeIdle]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for (eta, gamma) in posted_pairs(p.facts) {
        let first = posting(eta.enqueue, p.rules);
        let second = posting(gamma.enqueue, p.rules);
        let free = eta.enqueue.is_async
            || !gamma.enqueue.is_async
            || first == Posting::Front && p.rules.contains(&super::FRONT_PASSES_BARRIER);
        if looperord(first, second) && free && p.before(eta.op, gamma.op) {
            out.order_end(eta.end, gamma.begin);
        }
    }
}

/// Table 2: whether the kinds of two ordered posts keep their events in order.
fn looperord(first: Posting, second: Posting) -> bool {
    match (first, second) {
        (Posting::Delayed(d1), Posting::Delayed(d2)) => d1 <= d2,
        (Posting::Delayed(d1), Posting::Idle) => d1 == 0,
        (Posting::Front, Posting::Delayed(_) | Posting::AtTime(_) | Posting::Idle)
        | (Posting::Idle, Posting::Idle) => true,
        _ => false,
    }
}
