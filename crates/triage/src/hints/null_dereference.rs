//! Null dereference: a read that all earlier writes race with.
//!
//! The location has writes before the read in the trace, and all of them are unordered with it. It is
//! not known to have had a value before its first access ([`RacyLocation::is_initialised`]). The value read is not known to be one that code does not dereference: `undefined`, `null`, a boolean
//! or a number. In another run the read may find nothing, and the code goes on to use it. Unlike
//! the label *uninitialised*, this hint ignores coverage and applies also to races with harmless
//! labels. In model `web` *access-before-definition* takes its place.

use std::collections::BTreeMap;

use races::RaceId;
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::hint::{Hint, place};

pub(super) static HINT: Hint = Hint {
    name: "null-dereference",
    definition: "not model web; nothing orders any write before the read, which found a value to be used, and the \
                 location is not known to have a value from the start",
    fix: "Test the value before it is used, or wait for what writes it.",
    page: include_str!("../../../../docs/hints/null-dereference.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    if location.is_initialised() || location.evidence.in_browser() {
        return Vec::new();
    }
    let mut decided: BTreeMap<OpId, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for race in &location.races {
        let Some((_, read)) = location.write_before_read(race) else { continue };
        let applies = *decided.entry(read).or_insert_with(|| {
            !is_plain(location, read) && location.racing_writes_before(read).is_some()
        });
        if applies {
            let message = format!(
                "The {} access reads what no write is certain to have written before it: it may \
                 find nothing.",
                place(race, read)
            );
            found.push((race.id, message));
        }
    }
    found
}

/// Returns whether a read is known to have found a value that code does not dereference.
fn is_plain(location: &RacyLocation<'_>, read: OpId) -> bool {
    let Some(value) = location.value(read).and_then(|value| std::str::from_utf8(value).ok()) else {
        return false;
    };
    matches!(value, "undefined" | "null" | "true" | "false") || value.parse::<f64>().is_ok()
}
