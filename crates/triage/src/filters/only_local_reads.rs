//! Only local reads (EventRacer, §5.3).
//!
//! Every read of the location follows a write of its own event, and all races are between events
//! that do not overlap. The location is used like a local variable, and no event reads what another
//! wrote. The paper does not require a read. This filter does: the last value of a location that is
//! only written may matter to a reader that the trace does not show.
//!
//! May miss: a read that the recorded run did not reach.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::OnlyLocalReads,
    reference: "EventRacer, §5.3",
    definition: "every read of the location follows a write of its own event",
    page: include_str!("../../../../docs/labels/only-local-reads.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let is_read = location.reads().next().is_some();
    let local = location.reads().all(|read| read.is_local_read);
    location.all_if(is_read && local && location.races.iter().all(|race| location.is_atomic(race)))
}
