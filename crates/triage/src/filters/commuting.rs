//! Commuting operations (EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6).
//!
//! The two accesses commute: the program's state afterwards does not show which came first. Lists
//! name such operations (`data/commuting.list`, and the user's own): locations, such as class
//! names, and all locations of kind `cookie`; functions that commute with everything, such as a
//! request to redraw, one of which is enough; and pairs of functions, such as additions to a set. A
//! function counts anywhere on the call stack.
//!
//! In model `web`, two writes do not commute that contradict each other: they give one cookie different values, or
//! one adds a class name that the other takes away. The names that a write adds and takes away follow from the
//! value that the access before it found or left.
//!
//! In model `web`, updates commute as well: two events each read something that only code sees and then
//! write another number, or read and write it in one expression (`count++`, `pending -= 1`). Events are
//! atomic, so no update is lost.
//!
//! May miss: races on operations that a list names wrongly.

use std::collections::BTreeSet;

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::{Access, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lists;
use crate::visibility::{Visibility, unnumbered, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Commuting,
    reference: "EventRacer, §5.3; EventRacer Android, §7.3.2; AsyncClock, §6",
    definition: "the location is listed or a cookie, and in model web two writes of it do not contradict each \
                 other; or one access runs in a listed function, or the two in a listed pair; in model web, or \
                 both accesses belong to updates",
    page: include_str!("../../../../docs/labels/commuting.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let name = evidence.trace.names().locations.get(location.id);
    let is_cookie = evidence.trace.location_kind(location.id) == Some(LocationKind::Cookie);
    if is_cookie || lists::any(&evidence.lists.commuting_locations, name) {
        return location.races_where(|race| !contradict(location, race));
    }
    location.races_where(|race| is_listed(location, race) || are_updates(location, race))
}

/// Returns whether two writes contradict each other, in model `web`: they write one cookie, or one adds a class
/// name that the other takes away.
fn contradict(location: &RacyLocation<'_>, race: &Race) -> bool {
    let evidence = location.evidence;
    if !evidence.in_browser() || !location.is_write_write(race) {
        return false;
    }
    let name = evidence.trace.names().locations.get(location.id);
    if unnumbered(name).ends_with(b".className") {
        let [one, two] = [race.first, race.second].map(|op| Change::of(location, op));
        return one.zip(two).is_some_and(|(one, two)| one.contradicts(&two));
    }
    let is_one = evidence.trace.location_kind(location.id) == Some(LocationKind::Cookie)
        && unnumbered(name).ends_with(b"]");
    is_one && location.value(race.first) != location.value(race.second)
}

/// The class names that a write adds, and those that it takes away.
struct Change<'a> {
    added: BTreeSet<&'a str>,
    removed: BTreeSet<&'a str>,
}

impl<'a> Change<'a> {
    /// Returns what a write changes in what the access before it found or left, if both are known in full. If it
    /// changes nothing, it adds what it leaves.
    fn of(location: &'a RacyLocation<'_>, op: OpId) -> Option<Self> {
        let names = |op| Some(class_names(location.value(op)?)?.collect::<BTreeSet<&str>>());
        let at = location.accesses.partition_point(|access| access.op < op);
        let before = at.checked_sub(1).map(|before| location.accesses[before].op);
        let (old, new) = (before.map_or_else(|| Some(BTreeSet::new()), names)?, names(op)?);
        let added: BTreeSet<&str> = new.difference(&old).copied().collect();
        let removed: BTreeSet<&str> = old.difference(&new).copied().collect();
        let is_same = added.is_empty() && removed.is_empty();
        Some(Self { added: if is_same { new } else { added }, removed })
    }

    fn contradicts(&self, other: &Self) -> bool {
        !self.added.is_disjoint(&other.removed) || !self.removed.is_disjoint(&other.added)
    }
}

/// Returns the names in the value of a class attribute, unless it was cut.
fn class_names(value: &[u8]) -> Option<impl Iterator<Item = &str>> {
    let text = std::str::from_utf8(value).ok()?;
    let inside = match text {
        "null" | "undefined" => "",
        _ => text.strip_prefix('"')?.strip_suffix('"')?,
    };
    (!inside.ends_with('…')).then(|| inside.split_ascii_whitespace())
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
