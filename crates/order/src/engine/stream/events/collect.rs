//! Moments that the caller keeps, and collecting the clocks that nothing refers to any more.

use trace::EventId;

use super::{EventStream, Held, KeptId, Now, Settled, Watched};
use crate::engine::graph::{Clock, Clocks};
use crate::rules::causes::Kind;

/// The least number of nodes of clocks at which they are collected.
const LEAST: usize = if cfg!(debug_assertions) { 1 << 8 } else { 1 << 16 };

/// How many causes of an event are watched with it.
const CAUSES: usize = 64;

impl EventStream {
    /// Keeps a moment. All moments of an event know what the event follows.
    pub(in super::super) fn keep(&mut self, now: Now) -> KeptId {
        let id = self.kept.add(now);
        if let Some(slot) = self.running(now.event)
            && !self.events[slot].is_settled
        {
            self.events[slot].kept.push(id.0);
        }
        id
    }

    pub(in super::super) fn kept(&mut self, id: KeptId) -> Now {
        let now = self.kept[id];
        match self.running(now.event).filter(|&slot| !self.events[slot].is_settled) {
            Some(slot) => Now { held: self.held(slot), ..now },
            None => now,
        }
    }

    pub(in super::super) fn release(&mut self, id: KeptId) {
        if let Some(slot) = self.running(self.kept[id].event) {
            self.events[slot].kept.retain(|&kept| kept != id.0);
        }
        self.kept.release(id);
    }

    /// Whether "unordered" is final: nothing orders what lies outside events, and events are settled.
    pub(in super::super) fn is_final(&self, now: &Now) -> bool {
        self.running(now.event).is_none_or(|slot| self.events[slot].is_settled)
    }

    /// Watches an event, its causes, the causes of those that are parts themselves, and so on. Returns the
    /// causes that are watched from now on.
    pub(in super::super) fn watch(&mut self, event: EventId) -> Vec<EventId> {
        let mut found = vec![event];
        let mut at = 0;
        while at < found.len() && found.len() < CAUSES {
            let event = found[at];
            at += 1;
            if self.watched.contains_key(&event) {
                continue;
            }
            let Some(slot) = self.running(Some(event)) else { continue };
            let held = self.held(slot);
            let row = &self.events[slot];
            let end = (row.end != super::state::NEVER).then_some((row.chain, row.position));
            let causes: Vec<EventId> = row.causes.iter().map(|cause| cause.event).collect();
            found.extend(&causes);
            let is_microtask = row.kind == Kind::Microtask;
            // An event does not precede itself.
            let begin = Held { position: held.position.saturating_sub(1), ..held };
            let watched = Watched { begin, end, epoch: u32::MAX, causes, is_microtask };
            self.watched.insert(event, watched);
        }
        found.split_off(1)
    }

    pub(in super::super) fn watched_before(&mut self, t: EventId, u: EventId) -> bool {
        let watched = self.watched.get(&t).zip(self.watched.get(&u));
        watched.is_some_and(|(t, u)| t.precedes(&self.clocks, u))
    }

    pub(in super::super) fn into_settled(self) -> Settled {
        Settled::new(self.clocks, self.watched, self.kept)
    }

    pub(super) fn collect_if_due(&mut self) {
        if self.clocks.len() <= 2 * self.live + LEAST {
            return;
        }
        let mut moving = std::mem::replace(&mut self.clocks, Clocks::new()).moving();
        let mut each = |clock: &mut Clock| *clock = moving.copy(*clock);
        self.window.visit_clocks(&mut each);
        for event in self.events.iter_mut() {
            each(&mut event.clock);
            each(&mut event.start);
            each(&mut event.searched);
            event.base.iter_mut().for_each(|base| each(&mut base.clock));
        }
        for now in self.kept.iter_mut() {
            each(&mut now.held.clock);
            each(&mut now.start);
        }
        self.watched.values_mut().for_each(|watched| each(&mut watched.begin.clock));
        self.clocks = moving.done();
        self.live = self.clocks.len();
    }
}
