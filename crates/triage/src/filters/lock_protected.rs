//! Accesses under a common lock (EventRacer Android, §2).
//!
//! The accesses are not both in events of one Looper, and hold a common lock. They cannot overlap,
//! but either may run first.
//!
//! May miss: an order that matters.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::LockProtected,
    reference: "EventRacer Android, §2",
    definition: "the accesses may overlap but for a lock that both hold",
    page: include_str!("../../../../docs/labels/lock-protected.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    location.races_where(|race| race.lock_protected)
}
