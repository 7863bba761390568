//! Writes that change nothing.
//!
//! Only code sees the location, and every write of the race leaves the value that the access before it in the
//! trace found or left. The other access has the same value. So it finds the same in either order. Values
//! count only if the trace states them in full: numbers, truth values, `null`, `undefined` and short texts.
//!
//! May miss: a write that changes the value in another run.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::visibility::{Visibility, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Unchanged,
    reference: "real applications",
    definition: "model web; only code sees the location, both accesses have one plain value, and the access \
                 before each write of the race has it too",
    page: include_str!("../../../../docs/labels/unchanged.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let is_internal = visibility(evidence.trace, location.id) == Visibility::Internal;
    if !evidence.in_browser() || !is_internal {
        return Vec::new();
    }
    location.races_where(|race: &Race| {
        let value = location.value(race.first);
        value.is_some_and(is_plain)
            && location.value(race.second) == value
            && keeps(location, race.first)
            && keeps(location, race.second)
    })
}

/// Returns whether an access is a read, or a write that leaves what the access before it found or left.
fn keeps(location: &RacyLocation<'_>, op: OpId) -> bool {
    let at = location.accesses.partition_point(|access| access.op < op);
    let before = at.checked_sub(1).map(|before| location.accesses[before].op);
    !location.accesses[at].is_write
        || before.is_some_and(|before| location.value(before) == location.value(op))
}

/// Returns whether equal values of this kind are the same value, and not only written alike.
fn is_plain(value: &[u8]) -> bool {
    let is_number = || std::str::from_utf8(value).is_ok_and(|text| text.parse::<f64>().is_ok());
    let is_text = || value.starts_with(b"\"") && value.ends_with(b"\"");
    matches!(value, b"true" | b"false" | b"null" | b"undefined") || is_number() || is_text()
}
