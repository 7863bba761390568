//! Races that only an event within one frame's time can turn around.
//!
//! The task of one access is prompt: an animation frame, the call of an observer, or a timer without delay. The
//! event that requested it is ordered before the other access, so the other access can only come first in between.
//! That is at most the time of a frame: no person acts so fast, and a later answer of a server needs luck. If the
//! event that requested a prompt task is prompt itself, the one that requested that counts, for a few steps; the
//! frames of an animation are not brief together.
//!
//! Lists of handlers are left to [late-handler](super::late_handler), and what the user enters in a form is left
//! out.
//!
//! May miss: events that wait in the queue of a page that is busy for long.
//!
//! Cost: at most [`STEPS`] order queries for each race.

use races::{Race, RaceId};
use trace::{EventId, LocationKind, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::visibility::is_form_value;

pub(super) static FILTER: Filter = Filter {
    label: Label::Brief,
    reference: "real applications",
    definition: "model web; the task of one access is a frame, an observer's, a timer without delay or a message \
                 of its own thread, and the event that requested it, or requested such a task that did, is \
                 ordered before the other access",
    page: include_str!("../../../../docs/labels/brief.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

/// How many prompt tasks may follow one another.
const STEPS: usize = 3;

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let trace = location.evidence.trace;
    let is_list = trace.location_kind(location.id) == Some(LocationKind::Handler);
    if !location.evidence.in_browser() || is_list || is_form_value(trace, location.id) {
        return Vec::new();
    }
    location.races_where(|race: &Race| {
        is_requested_before(location, race.first, race.second)
            || is_requested_before(location, race.second, race.first)
    })
}

/// Returns whether the task of an access is prompt, and what requested it is ordered before the other access.
fn is_requested_before(location: &RacyLocation<'_>, op: OpId, other: OpId) -> bool {
    let evidence = location.evidence;
    let trace = evidence.trace;
    let (Some(event), Some(other)) = (trace.event_of(op), trace.event_of(other)) else {
        return false;
    };
    let mut task = evidence.head(event);
    for _ in 0..STEPS {
        let post = trace.event(task).enqueue.filter(|_| evidence.is_prompt(task));
        let Some(by) = post.and_then(|post| trace.event_of(post)) else { return false };
        if is_before(location, by, other) {
            return true;
        }
        task = evidence.head(by);
    }
    false
}

/// Returns whether an event is ordered before another, or belongs to the same task.
fn is_before(location: &RacyLocation<'_>, by: EventId, other: EventId) -> bool {
    let evidence = location.evidence;
    evidence.head(by) == evidence.head(other) || evidence.order.event_before(by, other)
}
