//! The conditions of the queue rules that do not mention ≺.

use trace::Posting;

use crate::skeleton::{Message, Posted};

/// MSG-BEGIN-1 for η ≺ γ: whether the events of two posts to one Looper keep their order.
pub(crate) fn keeps_order(eta: &Posted, gamma: &Posted) -> bool {
    let in_time = match (eta.posting, gamma.posting) {
        (Posting::Delayed(first), Posting::Delayed(second)) => first <= second,
        (Posting::Delayed(delay), Posting::Idle) => delay == 0,
        (Posting::Front, Posting::Delayed(_) | Posting::AtTime(_) | Posting::Idle)
        | (Posting::Idle, Posting::Idle) => true,
        _ => false,
    };
    in_time && (eta.is_async || !gamma.is_async || eta.posting == Posting::Front)
}

/// MSG-BEGIN-2: whether a message posted so can be overtaken by one posted to the front.
pub(crate) fn waits(posted: &Posted) -> bool {
    matches!(
        posted.posting,
        Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front | Posting::Idle
    )
}

/// REMOVE-BARRIER: whether a barrier holds back a message posted so.
pub(crate) fn is_held(posted: &Posted) -> bool {
    matches!(posted.posting, Posting::Delayed(_)) && !posted.is_async
}

/// Whether a post that precedes η and orders γ's event has already ordered η's event (§6.1).
pub(crate) fn are_alike(eta: &Posted, gamma: &Posted) -> bool {
    matches!(eta.posting, Posting::Delayed(_))
        && eta.posting == gamma.posting
        && eta.is_async == gamma.is_async
}

/// Whether the trace allows end(m) ≺ begin(m').
pub(crate) fn ended_before(first: &Message, second: &Message) -> bool {
    first.end.is_some_and(|end| end < second.begin)
}
