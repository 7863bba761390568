//! Null dereference: a read whose only writes race with it.
//!
//! Every write of the location before the read in the trace, and there is one, is unordered with
//! it, and what it read is not known to be a value that code can live with: `undefined`, `null`, a
//! truth value or a number. In another run it may find nothing and go on to use it. Unlike the
//! label *uninitialised* this asks nothing about coverage, and speaks beside harmless labels too.

use std::collections::BTreeMap;

use races::RaceId;
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::hint::{Hint, place};

pub(super) static HINT: Hint = Hint {
    name: "null-dereference",
    definition: "nothing orders any write before the read, which found a value to be used",
    page: include_str!("../../../../docs/hints/null-dereference.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
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

/// Whether a read is known to have found a value that is not followed like a reference.
fn is_plain(location: &RacyLocation<'_>, read: OpId) -> bool {
    let Some(value) = location.value(read).and_then(|value| std::str::from_utf8(value).ok()) else {
        return false;
    };
    matches!(value, "undefined" | "null" | "true" | "false") || value.parse::<f64>().is_ok()
}
