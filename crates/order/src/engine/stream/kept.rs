//! What outlives the events of a pass: moments that the caller keeps, and events that are watched.

use hashbrown::HashMap;
use trace::EventId;

use super::chains::FLOOR;
use super::operations::Held;
use super::{Now, Point};
use crate::Places;
use crate::engine::graph::{Clock, Clocks};
use crate::rules::causes::Causes;

/// Names a moment that the caller keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptId(pub(super) u32);

/// Moments that the caller keeps.
#[derive(Default)]
pub(super) struct Kept {
    all: Vec<Now>,
    free: Vec<u32>,
}

impl Kept {
    pub(super) fn add(&mut self, now: Now) -> KeptId {
        if let Some(id) = self.free.pop() {
            self.all[id as usize] = now;
            return KeptId(id);
        }
        self.all.push(now);
        KeptId(self.all.len() as u32 - 1)
    }

    pub(super) fn release(&mut self, id: KeptId) {
        (self[id].held, self[id].start) = (Held::unborn(), Clock::EMPTY);
        self.free.push(id.0);
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Now> {
        self.all.iter_mut()
    }
}

impl std::ops::Index<KeptId> for Kept {
    type Output = Now;

    fn index(&self, id: KeptId) -> &Now {
        &self.all[id.0 as usize]
    }
}

impl std::ops::IndexMut<KeptId> for Kept {
    fn index_mut(&mut self, id: KeptId) -> &mut Now {
        &mut self.all[id.0 as usize]
    }
}

/// What orders an event with others.
pub(super) struct Watched {
    pub(super) begin: Held,
    /// The chain and position of the end.
    pub(super) end: Option<(u32, u32)>,
    /// How many events had begun at the end.
    pub(super) epoch: u32,
    /// The causes of a part of a task, and whether that is a microtask.
    pub(super) causes: Vec<EventId>,
    pub(super) is_microtask: bool,
}

impl Watched {
    /// Whether one event ends before another begins.
    pub(super) fn precedes(&self, clocks: &Clocks, other: &Self) -> bool {
        let floor = clocks.get(other.begin.clock, FLOOR);
        self.end.is_some_and(|(chain, position)| {
            self.epoch < floor || other.begin.covers(clocks, chain, position)
        })
    }
}

/// The order of what was watched and kept in a pass that is over.
pub struct Settled {
    clocks: Clocks,
    events: HashMap<EventId, Watched>,
    kept: Kept,
}

impl Settled {
    pub(super) fn new(clocks: Clocks, events: HashMap<EventId, Watched>, kept: Kept) -> Self {
        Self { clocks, events, kept }
    }

    /// Returns the causes of the events that were watched, in a trace with so many events, for which
    /// `shown` returns the ids that they have there.
    pub fn causes(&self, events: usize, shown: impl Fn(EventId) -> Option<EventId>) -> Causes {
        let watched = self.events.iter();
        let parts = watched.filter(|(_, watched)| !watched.causes.is_empty());
        let parts = parts.filter_map(|(&part, watched)| {
            let causes = watched.causes.iter().filter_map(|&cause| shown(cause));
            Some((shown(part)?, watched.is_microtask, causes.collect()))
        });
        Causes::of_parts(events, parts)
    }

    /// Returns the places of the events that were watched. `ids` has the id that each event has in the
    /// pass, if it has another one in the trace that is asked about.
    pub fn places<'g>(&'g self, ids: Option<&'g [EventId]>) -> Places<'g> {
        Places::of_settled(self, ids)
    }

    /// The chain of an event and the position of its end there.
    pub(crate) fn end(&self, event: EventId) -> Option<(u32, u32)> {
        self.events.get(&event)?.end
    }

    /// The chain of an event, its position there, and what it knows at its begin. With a window, that is
    /// everything up to the floor too.
    pub(crate) fn begin(&self, event: EventId) -> Option<(u32, u32, Clock)> {
        let Held { chain, position, clock, .. } = self.events.get(&event)?.begin;
        Some((chain, position, clock))
    }

    pub(crate) fn gained(&self, a: Clock, b: Clock, each: &mut impl FnMut(u32, u32, u32)) {
        self.clocks.gained(a, b, each);
    }

    /// Whether an access happens before those of a moment.
    pub fn before(&self, point: Point, moment: KeptId) -> bool {
        super::covers(&self.clocks, &self.kept[moment], point)
    }

    /// Whether one event ends before another begins. False for events that were not watched.
    pub fn event_before(&self, t: EventId, u: EventId) -> bool {
        let (Some(t), Some(u)) = (self.events.get(&t), self.events.get(&u)) else { return false };
        t.precedes(&self.clocks, u)
    }
}
