//! Commuting operations (EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6).
//!
//! The two accesses commute: the program's state afterwards does not show which came first. Lists
//! name such operations (`data/commuting.list`, and the user's own): locations, such as class
//! names, and all locations of kind `cookie`; functions that commute with everything, such as a
//! request to redraw, one of which is enough; and pairs of functions, such as additions to a set. A
//! function counts anywhere on the call stack.
//!
//! In model `web`, updates commute as well: two events each read something that only code sees and then
//! write another number, or read and write it in one expression (`count++`, `pending -= 1`). Events are
//! atomic, so no update is lost.
//!
//! May miss: races on operations that a list names wrongly.

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::{Access, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lists;
use crate::visibility::{Visibility, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Commuting,
    reference: "EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6",
    definition: "the location is listed or a cookie, or one access runs in a listed function, or \
                 the two in a listed pair; in model web, or both accesses belong to updates",
    page: include_str!("../../../../docs/labels/commuting.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let name = evidence.trace.names().locations.get(location.id);
    let cookie = evidence.trace.location_kind(location.id) == Some(LocationKind::Cookie);
    if cookie || lists::any(&evidence.lists.commuting_locations, name) {
        return location.all_if(true);
    }
    location.races_where(|race| is_listed(location, race) || are_updates(location, race))
}

/// Returns whether both accesses belong to updates of something that only code sees.
fn are_updates(location: &RacyLocation<'_>, race: &Race) -> bool {
    location.evidence.in_browser()
        && visibility(location.evidence.trace, location.id) == Visibility::Internal
        && is_of_update(location, race.first)
        && is_of_update(location, race.second)
}

/// Returns whether the event of an access reads a number and then writes another one, or reads and writes
/// the location at one place of the source.
fn is_of_update(location: &RacyLocation<'_>, op: OpId) -> bool {
    let trace = location.evidence.trace;
    let access = location.access(op);
    let at = location.accesses.partition_point(|other| other.op < op);
    let near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(location.accesses.len());
    let own: Vec<&Access> =
        location.accesses[near].iter().filter(|other| other.event == access.event).collect();
    let [read, write] = own[..] else { return false };
    let number = |op| std::str::from_utf8(location.value(op)?).ok()?.parse::<f64>().ok();
    let place = |op| trace.attributes(op).source;
    let counts =
        number(read.op).zip(number(write.op)).is_some_and(|(old, new)| (old - new).abs() > 0.0);
    access.event.is_some()
        && !read.is_write
        && write.is_write
        && (counts || place(read.op).is_some() && place(read.op) == place(write.op))
}

/// How many accesses of the location before and after one are searched for those of the same event.
const NEAR: usize = 4;

fn is_listed(location: &RacyLocation<'_>, race: &Race) -> bool {
    let evidence = location.evidence;
    let [first, first_as_other] = evidence.code.commuting_entries(race.first);
    let [second, second_as_other] = evidence.code.commuting_entries(race.second);
    let is_lone = |entry: &usize| evidence.lists.commutes[*entry].other.is_none();
    first.iter().chain(&second).any(is_lone)
        || first.iter().any(|entry| second_as_other.contains(entry))
        || second.iter().any(|entry| first_as_other.contains(entry))
}
