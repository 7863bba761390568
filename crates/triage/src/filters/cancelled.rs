//! Timers and requests that are cancelled.
//!
//! The location is a timer or a request. A timer is read when it fires and written when it is cleared; a
//! request is read by its callbacks and written when it is aborted. The race says that the callback runs
//! before the cancellation or not at all, which is what a cancellation is for. What the callback does is
//! recorded by itself. The race still covers others: cancelling is synchronisation.
//!
//! May miss: a callback that must run, and is cancelled in its place.

use races::RaceId;
use trace::LocationKind;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Cancelled,
    reference: "real applications",
    definition: "model web; the location is a timer or a request",
    page: include_str!("../../../../docs/labels/cancelled.md"),
    scope: Scope::Location,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let trace = location.evidence.trace;
    let is_pending = match trace.location_kind(location.id) {
        Some(LocationKind::Other(kind)) => matches!(trace.text(kind), b"timer" | b"request"),
        _ => false,
    };
    location.all_if(location.evidence.in_browser() && is_pending)
}
