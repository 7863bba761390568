//! The hints, one file each. The page of a hint under `docs/hints` holds prose and the cases that
//! test it.

mod access_before_definition;
mod double_submit;
mod form_overwritten;
mod lost_input;
mod lost_update;
mod null_dereference;
mod stale_response;
mod use_after_destroy;

use std::collections::BTreeSet;

use races::RaceId;

use crate::evidence::{Evidence, RacyLocation};
use crate::hint::{Given, Hint};

/// Every hint.
pub static HINTS: &[&Hint] = &[
    &form_overwritten::HINT,
    &lost_input::HINT,
    &access_before_definition::HINT,
    &double_submit::HINT,
    &stale_response::HINT,
    &lost_update::HINT,
    &null_dereference::HINT,
    &use_after_destroy::HINT,
];

/// Returns the hints of every race, by race id.
pub(crate) fn hints(evidence: &Evidence<'_>) -> Vec<Vec<Given>> {
    let mut given: Vec<Vec<Given>> = vec![Vec::new(); evidence.races.races.len()];
    for location in evidence.locations() {
        for &hint in HINTS {
            for (race, message) in (hint.find)(&location) {
                let message = format!("{message} {}", hint.fix);
                given[race.0 as usize].push(Given { hint, message });
            }
        }
    }
    given
}

/// The hints that name what goes wrong.
static NAMED: &[&Hint] = &[
    &form_overwritten::HINT,
    &lost_input::HINT,
    &access_before_definition::HINT,
    &double_submit::HINT,
    &stale_response::HINT,
    &lost_update::HINT,
];

/// Returns the races of a location to which a hint applies that names what goes wrong.
pub(crate) fn named(location: &RacyLocation<'_>) -> BTreeSet<RaceId> {
    NAMED.iter().flat_map(|hint| (hint.find)(location)).map(|(race, _)| race).collect()
}
