//! Accesses inside atomic regions (EventRacer Android, §8.2 and Table 7).
//!
//! The paper counts races between threads separately when they lie inside atomic regions: explicit
//! locks or `synchronized`. It does not state whether one access is enough; this filter requires
//! both. A common lock would make the race *lock-protected*, so here each access holds locks, and
//! the two accesses have none in common.
//!
//! The label sets these races apart and hides none: they suggest a wrong lock rather than no
//! problem.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::InsideAtomicRegion,
    reference: "EventRacer Android, §8.2 and Table 7",
    definition: "both accesses hold locks, but none in common, and may overlap",
    page: include_str!("../../../../docs/labels/inside-atomic-region.md"),
    scope: Scope::Aside,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    location.races_where(|race| race.separately_locked)
}
