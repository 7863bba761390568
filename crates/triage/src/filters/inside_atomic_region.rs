//! Accesses inside atomic regions (EventRacer Android, §8.2 and Table 7).
//!
//! The paper counts races between threads apart when they lie inside atomic regions: explicit
//! locks or `synchronized`. It does not say whether one access is enough; we ask for both. A
//! common lock would make the race *lock-protected*, so here each access holds locks, and none of
//! them is the other's: two threads that both meant to be careful.
//!
//! The label sets apart and hides nothing: such races are rather a wrong lock than no problem.

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
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    location.races_where(|race| race.separately_locked)
}
