//! Writing the same value (EventRacer, §5.3).
//!
//! The uncovered races of the location all lie between writes, and these all write one value.
//! Whichever write is last, the location ends up with the same value.
//!
//! A read that follows a write of its own event is not counted if the race is between events that
//! do not overlap: it cannot read the other event's write, and its race shows no more than that of
//! the write before it. The paper's own example, `likeLocal` of Fig. 7, has such a read.
//!
//! In model `web` all races of the location count, covered or not: the label is decided before coverage
//! ([`crate::cover`]).
//!
//! May miss: a third value between the two writes. A value that the trace does not state is equal
//! to nothing.

use races::{Race, RaceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::SameValue,
    reference: "EventRacer, §5.3",
    definition: "all uncovered races of the location, in model web all its races, are between writes of \
                 one value",
    page: include_str!("../../../../docs/labels/same-value.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let counts = |race: &&Race| location.evidence.in_browser() || !race.is_covered();
    let counted = location.races.iter().copied().filter(counts);
    let mut races = counted.filter(|race| !is_of_local_read(location, race));
    let first = races.next();
    let Some(value) = first.and_then(|race| location.value(race.first)) else {
        return Vec::new();
    };
    let writes_it = |race: &Race| {
        location.is_write_write(race)
            && [race.first, race.second].iter().all(|&op| location.value(op) == Some(value))
    };
    location.all_if(first.is_some_and(writes_it) && races.all(writes_it))
}

fn is_of_local_read(location: &RacyLocation<'_>, race: &Race) -> bool {
    let mut accesses = [race.first, race.second].into_iter().map(|op| location.access(op));
    accesses.any(|access| access.is_local_read) && location.is_atomic(race)
}
