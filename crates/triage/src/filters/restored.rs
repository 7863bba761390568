//! Values that every event restores.
//!
//! The first access of the location in the trace is a read. Every write leaves the value that this read
//! found, and every read that does not follow a write of its own event found that value, too. Since a
//! recorder of model `web` states the value that a location has at the end of the writing event, this is
//! so for flags against re-entrancy (`running = true; …; running = false`) and for saved and restored
//! values. Events are atomic, so no event can find anything else, in whatever order they run.
//!
//! The filter requires model `web`: elsewhere a write states the value that was written, which another
//! thread may find.
//!
//! May miss: an event that does not restore the value, and did not run in this recording.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Restored,
    reference: "real applications",
    definition: "model web; the first access is a read, and every write leaves, and every read that does \
                 not follow a write of its own event finds, the value that it found",
    page: include_str!("../../../../docs/labels/restored.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    location.all_if(location.evidence.in_browser() && is_restored(location))
}

fn is_restored(location: &RacyLocation<'_>) -> bool {
    let Some(first) = location.accesses.first().filter(|first| !first.is_write) else {
        return false;
    };
    let Some(value) = location.value(first.op) else { return false };
    let keeps = |op| location.value(op) == Some(value);
    location.accesses.iter().all(|access| access.is_local_read || keeps(access.op))
        && location.races.iter().all(|race| location.is_atomic(race))
}
