//! Collecting the clocks that nothing refers to any more, and clocks that the caller keeps.
//!
//! Clocks are immutable and share what they have in common. When there are twice as many nodes of
//! clocks as after the last collection, those that are in use are copied and the others are gone. All
//! clocks are brought up to date on the way, so the gains are forgotten too.

use hashbrown::HashMap;
use trace::EventId;

use super::chains::FLOOR;
use super::held::Held;
use super::{Now, Point, Stream};
use crate::engine::graph::{Clock, Clocks};

/// The least number of nodes of clocks at which they are collected.
const LEAST: usize = if cfg!(debug_assertions) { 1 << 8 } else { 1 << 16 };

/// Names a moment that the caller keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptId(u32);

/// Moments that the caller keeps.
#[derive(Default)]
pub(super) struct Kept {
    all: Vec<Now>,
    free: Vec<u32>,
}

/// What orders an event with others.
pub(super) struct Watched {
    begin: Held,
    /// The chain and position of the end.
    pub(super) end: Option<(u32, u32)>,
    /// How many events had begun at the end.
    pub(super) epoch: u32,
}

/// The order of what was watched and kept in a pass that is over.
pub struct Settled {
    clocks: Clocks,
    events: HashMap<EventId, Watched>,
    moments: Vec<Now>,
}

impl Settled {
    /// Whether an access happens before those of a moment.
    pub fn before(&self, point: Point, moment: KeptId) -> bool {
        let now = &self.moments[moment.0 as usize];
        now.point.chain == point.chain
            || point.epoch < now.floor
            || self.clocks.get(now.held.clock, point.chain) >= point.position
    }

    /// Whether one event ends before another begins. False for events that were not watched.
    pub fn event_before(&self, t: EventId, u: EventId) -> bool {
        let (Some(t), Some(u)) = (self.events.get(&t), self.events.get(&u)) else { return false };
        let floor = self.clocks.get(u.begin.clock, FLOOR);
        t.end.is_some_and(|(chain, position)| {
            t.epoch < floor || u.begin.covers(&self.clocks, chain, position)
        })
    }
}

impl Stream {
    /// Keeps a moment, which may still gain.
    pub fn keep(&mut self, now: Now) -> KeptId {
        let mut now = now;
        now.held.number = self.number;
        if let Some(id) = self.kept.free.pop() {
            self.kept.all[id as usize] = now;
            return KeptId(id);
        }
        self.kept.all.push(now);
        KeptId(self.kept.all.len() as u32 - 1)
    }

    /// Returns a moment that was kept, up to date.
    pub fn kept(&mut self, id: KeptId) -> Now {
        let mut now = self.kept.all[id.0 as usize];
        now.held = self.fresh(now.held);
        self.kept.all[id.0 as usize] = now;
        now
    }

    /// Forgets a moment that was kept.
    pub fn release(&mut self, id: KeptId) {
        self.kept.all[id.0 as usize].held = Held::unborn();
        self.kept.free.push(id.0);
    }

    /// Keeps what orders an event with others, for [`Settled`].
    pub fn watch(&mut self, event: EventId) {
        if let Some(slot) = self.events.slot(event)
            && let Some(begin) = self.events[slot].begin
        {
            let row = &self.events[slot];
            let end = row.has_ended.then_some((row.task.chain, row.task.position));
            self.watched.entry(event).or_insert(Watched { begin, end, epoch: row.end_epoch });
        }
    }

    /// Whether one event is known to end before another begins; none if one of them is not kept.
    pub fn event_before(&mut self, t: EventId, u: EventId) -> Option<bool> {
        let (t, u) = (self.events.slot(t)?, self.events.slot(u)?);
        let begin = self.fresh(self.events[u].begin?);
        let end = self.events[t].task;
        let ended = self.events[t].has_ended;
        Some(ended && begin.covers(&self.clocks, end.chain, end.position))
    }

    /// Ends the pass, and returns the order of what was watched and kept.
    pub fn into_settled(mut self) -> Settled {
        self.visit_held(&mut |stream, held| *held = stream.fresh(*held));
        Settled { clocks: self.clocks, events: self.watched, moments: self.kept.all }
    }

    pub(super) fn collect_if_due(&mut self) {
        if self.clocks.len() > 2 * self.live + LEAST {
            self.collect();
        }
    }

    fn collect(&mut self) {
        self.visit_held(&mut |stream, held| *held = stream.fresh(*held));
        self.gains.clear();
        let mut moving = std::mem::replace(&mut self.clocks, Clocks::new()).moving();
        self.visit_held(&mut |_, held| {
            held.start_over();
            held.clock = moving.copy(held.clock);
        });
        self.visit_clocks(&mut |clock| *clock = moving.copy(*clock));
        self.clocks = moving.done();
        self.live = self.clocks.len();
    }

    /// Calls `each` for every clock that is held with its node.
    fn visit_held(&mut self, each: &mut impl FnMut(&mut Self, &mut Held)) {
        let mut threads = std::mem::take(&mut self.threads);
        for thread in &mut threads {
            each(self, &mut thread.task);
            for list in [
                &mut thread.inits,
                &mut thread.forks,
                &mut thread.exits,
                &mut thread.ends,
                &mut thread.looper_ends,
            ] {
                list.visit(&mut |held| each(self, held));
            }
        }
        self.threads = threads;
        let mut handles = std::mem::take(&mut self.handles);
        handles.values_mut().for_each(|list| list.visit(&mut |held| each(self, held)));
        self.handles = handles;
        let mut callbacks = std::mem::take(&mut self.callbacks);
        for callback in callbacks.values_mut() {
            callback.registers.visit(&mut |held| each(self, held));
            callback.invokes.visit(&mut |held| each(self, held));
            callback.sync_invokes.visit(&mut |held| each(self, held));
        }
        self.callbacks = callbacks;
        let mut removals = std::mem::take(&mut self.removals);
        removals.values_mut().flatten().for_each(|held| each(self, held));
        self.removals = removals;
        let mut queues = std::mem::take(&mut self.queues);
        for queue in &mut queues {
            queue.native.iter_mut().for_each(|list| list.visit(&mut |held| each(self, held)));
            for calls in queue.calls.values_mut() {
                calls.ended.iter_mut().for_each(|(_, held)| each(self, held));
                calls.merged.visit(&mut |held| each(self, held));
            }
        }
        self.queues = queues;
        let mut events = std::mem::take(&mut self.events);
        let slots: Vec<_> = events.slots().collect();
        for slot in slots {
            let event = &mut events[slot];
            each(self, &mut event.task);
            event.post.iter_mut().for_each(|post| each(self, &mut post.held));
            event.begin.iter_mut().for_each(|begin| each(self, begin));
        }
        self.events = events;
        let mut kept = std::mem::take(&mut self.kept.all);
        for now in &mut kept {
            each(self, &mut now.held);
        }
        self.kept.all = kept;
        let mut watched = std::mem::take(&mut self.watched);
        watched.values_mut().for_each(|watched| each(self, &mut watched.begin));
        self.watched = watched;
        self.visit_told(each);
    }

    /// Calls `each` for every other clock, except those of gains.
    fn visit_clocks(&mut self, each: &mut impl FnMut(&mut Clock)) {
        each(&mut self.window.clock);
        let slots: Vec<_> = self.events.slots().collect();
        for slot in slots {
            each(&mut self.events[slot].checked);
            each(&mut self.events[slot].searched);
        }
    }
}
