//! Lazy initialisation (EventRacer, §5.3).
//!
//! The location is written once. Before that it is read once, in the same event, and the read found
//! nothing (`undefined` or `null`). Afterwards other events read it. The first event to run
//! initialises the location.
//!
//! The paper requires *multiple* other reads, but its own example, `lazy` of Fig. 7, has one, so
//! one is enough here. Reads after the write in its own event (`if (!x) x = …; use(x)`) are
//! ignored. The filter also requires that all races lie between events that do not overlap: two
//! threads may both find nothing.
//!
//! May miss: a read that does not check the value it finds. The paper calls this filter a heuristic
//! guess.

use races::RaceId;

use crate::evidence::{Access, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::LazyInit,
    reference: "EventRacer, §5.3",
    definition: "the only write follows the only earlier read, which found nothing, in one event; \
                 other events read later",
    page: include_str!("../../../../docs/labels/lazy-init.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    location.all_if(initialises(location) && location.races.iter().all(|r| location.is_atomic(r)))
}

fn initialises(location: &RacyLocation<'_>) -> bool {
    let mut writes = location.writes();
    let (Some(write), None) = (writes.next(), writes.next()) else { return false };
    let (before, after): (Vec<&Access>, Vec<&Access>) =
        location.reads().partition(|read| read.op < write.op);
    let [check] = before.as_slice() else { return false };
    check.event.is_some()
        && check.event == write.event
        && location.is_nothing(check.op)
        && after.iter().any(|read| read.event != write.event)
}
