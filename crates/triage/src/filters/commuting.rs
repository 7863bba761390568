//! Commuting operations (EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6).
//!
//! The two accesses commute: the program's state afterwards does not show which came first. Lists
//! name such operations (`data/commuting.list`, and the user's own): locations, such as class
//! names, and all locations of kind `cookie`; functions that commute with everything, such as a
//! request to redraw, one of which is enough; and pairs of functions, such as additions to a set. A
//! function counts anywhere on the call stack.
//!
//! May miss: races on operations that a list names wrongly.

use races::{Race, RaceId};
use trace::LocationKind;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lists;

pub(super) static FILTER: Filter = Filter {
    label: Label::Commuting,
    reference: "EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6",
    definition: "the location is listed or a cookie, or one access runs in a listed function, or \
                 the two in a listed pair",
    page: include_str!("../../../../docs/labels/commuting.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let name = evidence.trace.names().locations.get(location.id);
    let cookie = evidence.trace.location_kind(location.id) == Some(LocationKind::Cookie);
    if cookie || lists::any(&evidence.lists.commuting_locations, name) {
        return location.all_if(true);
    }
    location.races_where(|race| is_listed(location, race))
}

fn is_listed(location: &RacyLocation<'_>, race: &Race) -> bool {
    let evidence = location.evidence;
    let [first, first_as_other] = evidence.code.commuting_entries(race.first);
    let [second, second_as_other] = evidence.code.commuting_entries(race.second);
    let is_lone = |entry: &usize| evidence.lists.commutes[*entry].other.is_none();
    first.iter().chain(&second).any(is_lone)
        || first.iter().any(|entry| second_as_other.contains(entry))
        || second.iter().any(|entry| first_as_other.contains(entry))
}
