//! Decides whether races cover a pair of accesses that need not be a listed race itself.
//!
//! The definition is that of [`crate::coverage`], but the answer states only whether a chain
//! exists. Races are edges ev(c) → ev(d) that hold from d on. A search from one event follows them
//! in the order of d, keeps the targets that no other target precedes, and repeats until it reaches
//! nothing new. That takes two rounds unless events nest.
//!
//! Cost: O(edges · w) order queries for each start, where w is the number of unordered targets and
//! edges between the same two events count once. After [`QUERIES`] queries in all, the search gives
//! no answer.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use order::{HappensBefore, Model};
use trace::{EventId, OpId, Trace};

use crate::{Race, event_race};

/// The number of order queries that all searches of one trace may take, which is a second or less.
/// Beyond it there is no answer, which a caller must expect in traces with very many races.
pub const QUERIES: usize = 20_000_000;

/// The races of a trace as synchronisation.
pub struct Covering<'a> {
    trace: &'a Trace,
    order: &'a dyn HappensBefore,
    /// The edges, sorted by `second`.
    edges: Vec<Edge>,
    queries_left: Cell<usize>,
}

struct Edge {
    from: EventId,
    to: EventId,
    /// The earliest second access of the races between the two events.
    second: OpId,
}

impl<'a> Covering<'a> {
    /// Takes as edges those of `races` for which `may_cover` holds. `races` must be sorted by their
    /// second accesses.
    pub fn new(
        trace: &'a Trace,
        order: &'a dyn HappensBefore,
        model: &Model,
        races: &[Race],
        may_cover: &dyn Fn(&Race) -> bool,
    ) -> Self {
        let mut known = HashSet::new();
        let mut edges = Vec::new();
        for race in races.iter().filter(|race| may_cover(race)) {
            let Some(seen) = event_race(trace, model, race, true) else { continue };
            let (from, to, second) = (seen.first_event, seen.second_event, seen.second);
            if known.insert((from, to)) {
                edges.push(Edge { from, to, second });
            }
        }
        Self { trace, order, edges, queries_left: Cell::new(QUERIES) }
    }

    /// Returns what chains of races that start at or after an event reach, or `None` if the queries
    /// are used up.
    pub fn starting_at(&self, event: EventId) -> Option<Reach<'_>> {
        let (first, earliest) = (Vec::new(), HashMap::new());
        let mut reach = Reach { covering: self, start: event, first, earliest };
        let mut taken = vec![false; self.edges.len()];
        loop {
            let mut found = false;
            for (edge, taken) in self.edges.iter().zip(&mut taken) {
                let queries = self.queries_left.get().checked_sub(2 * (reach.first.len() + 1));
                self.queries_left.set(queries?);
                if !*taken && reach.precedes(edge.from) {
                    (*taken, found) = (true, true);
                    reach.add(edge);
                }
            }
            if !found {
                return Some(reach);
            }
        }
    }
}

/// The events that chains of races from one event reach.
pub struct Reach<'a> {
    covering: &'a Covering<'a>,
    start: EventId,
    /// The targets reached that no target reached earlier precedes.
    first: Vec<EventId>,
    /// The earliest access that a chain reaches in an event.
    earliest: HashMap<EventId, OpId>,
}

impl Reach<'_> {
    /// Returns whether a chain that starts at the event ends before `access`, which races with an
    /// access of the event.
    pub fn covers(&self, access: OpId) -> bool {
        let Some(event) = self.covering.trace.event_of(access) else { return false };
        let inside = self.earliest.get(&event).is_some_and(|&reached| reached < access);
        let before = |&t: &EventId| self.covering.order.event_before(t, event);
        inside || self.first.iter().any(before)
    }

    /// Returns whether the start or a target is `event` or precedes it.
    fn precedes(&self, event: EventId) -> bool {
        let before = |t| self.covering.order.event_before(t, event);
        self.start == event
            || self.earliest.contains_key(&event)
            || before(self.start)
            || self.first.iter().any(|&t| before(t))
    }

    fn add(&mut self, edge: &Edge) {
        if !self.precedes(edge.to) {
            self.first.push(edge.to);
        }
        let earliest = self.earliest.entry(edge.to).or_insert(edge.second);
        *earliest = (*earliest).min(edge.second);
    }
}
