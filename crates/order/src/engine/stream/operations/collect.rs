//! Collecting the clocks that nothing refers to any more, and clocks that the caller keeps.
//!
//! Clocks are immutable and share what they have in common. When there are twice as many nodes of
//! clocks as after the last collection, those that are in use are copied and the others are gone. All
//! clocks are brought up to date on the way, so the gains are forgotten too.

use trace::EventId;

use super::held::Held;
use super::{KeptId, Now, OperationStream, Settled, Watched};
use crate::engine::graph::{Clock, Clocks};

/// The least number of nodes of clocks at which they are collected.
const LEAST: usize = if cfg!(debug_assertions) { 1 << 8 } else { 1 << 16 };

impl OperationStream {
    /// Keeps a moment, which may still gain.
    pub(in super::super) fn keep(&mut self, now: Now) -> KeptId {
        self.kept.add(now)
    }

    /// Returns a moment that was kept, up to date.
    pub(in super::super) fn kept(&mut self, id: KeptId) -> Now {
        let mut now = self.kept[id];
        now.held = self.fresh(now.held);
        self.kept[id] = now;
        now
    }

    /// Forgets a moment that was kept.
    pub(in super::super) fn release(&mut self, id: KeptId) {
        self.kept.release(id);
    }

    /// Keeps what orders an event with others, for [`Settled`].
    pub(in super::super) fn watch(&mut self, event: EventId) -> Vec<EventId> {
        if let Some(slot) = self.events.slot(event)
            && let Some(begin) = self.events[slot].begin
        {
            let row = &self.events[slot];
            let end = row.has_ended.then_some((row.task.chain, row.task.position));
            let (epoch, causes) = (row.end_epoch, Vec::new());
            let watched = Watched { begin, end, epoch, causes, is_microtask: false };
            self.watched.entry(event).or_insert(watched);
        }
        Vec::new()
    }

    /// Forgets the events that are watched and that `is_needed` does not return.
    pub(in super::super) fn unwatch(&mut self, mut is_needed: impl FnMut(EventId) -> bool) {
        self.watched.retain(|&event, _| is_needed(event));
    }

    /// Whether one event is known to end before another begins, both of which are watched.
    pub(in super::super) fn watched_before(&mut self, t: EventId, u: EventId) -> bool {
        let Some(begin) = self.watched.get(&u).map(|u| u.begin) else { return false };
        let begin = self.fresh(begin);
        if let Some(u) = self.watched.get_mut(&u) {
            u.begin = begin;
        }
        let watched = self.watched.get(&t).zip(self.watched.get(&u));
        watched.is_some_and(|(t, u)| t.precedes(&self.clocks, u))
    }

    /// Ends the pass, and returns the order of what was watched and kept.
    pub(in super::super) fn into_settled(mut self) -> Settled {
        self.visit_held(&mut |stream, held| *held = stream.fresh(*held));
        Settled::new(self.clocks, self.watched, self.kept)
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
        let mut kept = std::mem::take(&mut self.kept);
        for now in kept.iter_mut() {
            each(self, &mut now.held);
        }
        self.kept = kept;
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
