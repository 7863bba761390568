//! Pairs of posted events, which the premises of the queue rules mention.

use trace::{Enqueue, OpId, Posting};

use crate::facts::{Dispatched, Facts};
use crate::model::RuleSet;

/// A dispatched message with its enqueue.
#[derive(Clone, Copy)]
pub(crate) struct Posted {
    /// The enqueue operation: η or γ of the rules.
    pub(crate) op: OpId,
    pub(crate) enqueue: Enqueue,
    pub(crate) begin: OpId,
    pub(crate) end: Option<OpId>,
}

/// All ordered pairs (η, γ) of different messages posted to one Looper and dispatched.
pub(crate) fn posted_pairs<'a>(
    facts: &'a Facts<'_>,
) -> impl Iterator<Item = (Posted, Posted)> + 'a {
    facts.by_looper.iter().flat_map(|events| posted_pairs_of(events))
}

/// All ordered pairs (η, γ) of different messages among the events of one dispatcher.
pub(crate) fn posted_pairs_of(
    events: &[Dispatched],
) -> impl Iterator<Item = (Posted, Posted)> + '_ {
    let posted = |e: &Dispatched| {
        e.posted.map(|(op, enqueue)| Posted { op, enqueue, begin: e.begin, end: e.end })
    };
    events.iter().filter_map(posted).flat_map(move |eta| {
        events.iter().filter_map(posted).filter(move |g| g.op != eta.op).map(move |g| (eta, g))
    })
}

/// Returns how a message was posted, in normal form if NORMAL-FORM is on.
pub(crate) fn posting(enqueue: Enqueue, rules: &RuleSet) -> Posting {
    if rules.contains(&super::NORMAL_FORM) { normal(enqueue.posting) } else { enqueue.posting }
}

/// The normal form: a post for time 0 goes to the front, a negative delay is none.
pub(crate) fn normal(posting: Posting) -> Posting {
    match posting {
        Posting::AtTime(0) => Posting::Front,
        Posting::Delayed(delay) => Posting::Delayed(delay.max(0)),
        other => other,
    }
}
