//! Uninitialised values (EventRacer, §5.4).
//!
//! A read r such that every write before it in the trace, and there is one, races with it and
//! nothing covers that race: r may as well come before all of them. Asked of all writes before the
//! read, not only of those listed as races. The listed races of r with a write before it carry the
//! label, unless a likely-harmless filter spoke of them.
//!
//! Races between threads count as uncovered: coverage does not apply to them.
//!
//! May miss: a read with more than [`WRITES_ASKED`] writes before it, and one whose answer would
//! take the searches for covering chains beyond [`races::QUERIES`]. Cost: that many order queries.
//! Only a write whose race with the read is not listed needs a search, one an event.
//!
//! [`WRITES_ASKED`]: crate::evidence::WRITES_ASKED

use std::collections::HashMap;

use races::{Race, RaceId, Reach};
use trace::{EventId, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Uninitialised,
    reference: "EventRacer, §5.4",
    definition: "every write before the read races with it, and nothing covers any of these races",
    page: include_str!("../../../../docs/labels/uninitialised.md"),
    scope: Scope::Aside,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let races: Vec<((OpId, OpId), &Race)> = location
        .races
        .iter()
        .filter_map(|&race| Some((location.write_before_read(race)?, race)))
        .collect();
    let covered = races.iter().map(|(pair, race)| (*pair, race.is_covered())).collect();
    let mut search = Search { location, covered, reached: HashMap::new(), decided: HashMap::new() };
    let uncovered = races.iter().filter(|(_, race)| !race.is_covered());
    let selected = uncovered.filter(|((_, read), _)| search.may_find_nothing(*read));
    selected.map(|(_, race)| race.id).collect()
}

/// What is known about the reads of one location.
struct Search<'a> {
    location: &'a RacyLocation<'a>,
    /// The listed races: whether others cover them.
    covered: HashMap<(OpId, OpId), bool>,
    /// What chains of races lead to from an event; nothing if that is not known.
    reached: HashMap<EventId, Option<Reach<'a>>>,
    decided: HashMap<OpId, bool>,
}

impl Search<'_> {
    fn may_find_nothing(&mut self, read: OpId) -> bool {
        if let Some(&decided) = self.decided.get(&read) {
            return decided;
        }
        let writes = self.location.racing_writes_before(read);
        let found = writes.is_some_and(|w| w.iter().all(|write| self.is_uncovered(write.op, read)));
        self.decided.insert(read, found);
        found
    }

    /// Whether it is known that no races cover the pair.
    fn is_uncovered(&mut self, write: OpId, read: OpId) -> bool {
        if let Some(&covered) = self.covered.get(&(write, read)) {
            return !covered;
        }
        let evidence = self.location.evidence;
        let events = races::atomic_events(evidence.trace, evidence.model, write, read);
        let Some((start, _)) = events else { return true };
        let reach = self.reached.entry(start);
        let reach = reach.or_insert_with(|| evidence.covering.starting_at(start));
        reach.as_ref().is_some_and(|reach| !reach.covers(read))
    }
}
