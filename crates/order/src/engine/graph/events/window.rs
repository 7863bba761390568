//! Rule WINDOW: an event follows everything that ended below the floor of its begin.

use trace::{EventId, Id, OpId};

use super::EventClocks;
use crate::engine::graph::clock::Clock;
use crate::facts::Facts;
use crate::rules;

/// The floors of all events, and what lies below the floor of the event that begins.
pub(super) struct Window {
    floors: Vec<Option<OpId>>,
    /// Events that end, by their ends.
    ended: Vec<(OpId, EventId)>,
    /// How many of them lie below the floor.
    below: usize,
    clock: Clock,
}

impl Window {
    pub(super) fn new(facts: &Facts<'_>, length: u64) -> Self {
        let ends = facts.events.iter().filter_map(|event| Some((event.end?, event.event)));
        let mut ended: Vec<(OpId, EventId)> = ends.collect();
        ended.sort_unstable();
        let floors = rules::floors(facts.trace, length);
        Self { floors, ended, below: 0, clock: Clock::EMPTY }
    }

    /// The last begin below the floor when an event begins.
    pub(super) fn floor(&self, event: EventId) -> Option<OpId> {
        self.floors[event.index()]
    }

    /// Joins what ended below the floor to the clock of an event that begins. Events must be passed in
    /// the order of their begins.
    pub(super) fn join(&mut self, closed: &mut EventClocks, clock: Clock, event: EventId) -> Clock {
        let floor = self.floor(event);
        while let Some(&(end, event)) = self.ended.get(self.below)
            && Some(end) < floor
        {
            self.below += 1;
            let row = closed.rows[event.index()];
            let joined = closed.clocks.join(self.clock, row.clock);
            self.clock = closed.clocks.with(joined, row.chain, row.position);
        }
        closed.clocks.join(clock, self.clock)
    }
}
