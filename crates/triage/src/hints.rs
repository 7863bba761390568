//! The hints, one file each. The page of a hint under `docs/hints` holds prose and the cases that
//! test it.

mod lost_update;
mod null_dereference;
mod stale_response;
mod use_after_destroy;

use crate::evidence::Evidence;
use crate::hint::{Given, Hint};

/// Every hint.
pub static HINTS: &[&Hint] =
    &[&null_dereference::HINT, &use_after_destroy::HINT, &lost_update::HINT, &stale_response::HINT];

/// Returns the hints of every race, by race id.
pub(crate) fn hints(evidence: &Evidence<'_>) -> Vec<Vec<Given>> {
    let mut given: Vec<Vec<Given>> = vec![Vec::new(); evidence.races.races.len()];
    for location in evidence.locations() {
        for &hint in HINTS {
            for (race, message) in (hint.find)(&location) {
                given[race.0 as usize].push(Given { hint, message });
            }
        }
    }
    given
}
