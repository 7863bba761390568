//! Uninitialised values (EventRacer, §5.4).
//!
//! There are writes before the read r in the trace, all of them race with r, and nothing covers any
//! of these races: r may run before all of them. The location is not known to have had a value before
//! its first access in the trace ([`RacyLocation::is_initialised`]). The filter examines all writes before the read,
//! not only those of listed races. The listed races of r with a write before it get the label,
//! unless a likely-harmless filter applies to them.
//!
//! Races between threads count as uncovered, because coverage does not apply to them.
//!
//! May miss: a read with more than [`WRITES_ASKED`] writes before it, and a read for which the
//! searches for covering chains would exceed [`races::QUERIES`]. The cost is bounded by that many
//! order queries. Only a write whose race with the read is not listed needs a search, and each
//! event needs at most one.
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
    definition: "every write before the read races with it, nothing covers any of these races, and \
                 the location is not known to have a value from the start",
    page: include_str!("../../../../docs/labels/uninitialised.md"),
    scope: Scope::Aside,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    if location.is_initialised() {
        return Vec::new();
    }
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

/// The state of the searches for one location.
struct Search<'a> {
    location: &'a RacyLocation<'a>,
    /// For each listed race, whether other races cover it.
    covered: HashMap<(OpId, OpId), bool>,
    /// What chains of races reach from an event; `None` if the search gave no answer.
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

    /// Returns whether it is known that no races cover the pair.
    fn is_uncovered(&mut self, write: OpId, read: OpId) -> bool {
        if let Some(&covered) = self.covered.get(&(write, read)) {
            return !covered;
        }
        let evidence = self.location.evidence;
        let events = races::atomic_events(evidence.trace, evidence.model, write, read);
        let Some((start, _)) = events else { return true };
        let reach = self.reached.entry(start);
        let reach = reach.or_insert_with(|| evidence.covering().starting_at(start));
        reach.as_ref().is_some_and(|reach| !reach.covers(read))
    }
}
