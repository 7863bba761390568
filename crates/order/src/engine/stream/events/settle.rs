//! The clocks of events: computed on demand, and once more when the event has ended.

use super::parts::Following;
use super::state::{NEVER, Slot};
use super::{EventStream, Needed};
use crate::engine::graph::Clock;
use crate::rules::causes::Kind;

impl EventStream {
    /// Joins an event and all that precedes it to a clock.
    pub(super) fn follow(&mut self, clock: Clock, from: Slot) -> Clock {
        let event = &self.events[from];
        if event.is_settled && self.clocks.get(clock, event.chain) >= event.position {
            return clock;
        }
        let place = (event.chain, event.position);
        self.clocks.merge_with(Clock::EMPTY, (clock, event.clock), place)
    }

    /// Brings the clock of an event up to date, if it came to follow more.
    pub(super) fn refresh(&mut self, slot: Slot) {
        if self.events[slot].is_stale && !self.events[slot].is_settled {
            self.close(slot);
        }
    }

    /// Computes the clock of an event from what it follows as far as it is known.
    fn close(&mut self, slot: Slot) {
        self.resolve_calls(slot);
        self.events[slot].is_stale = false;
        let mut clock = self.events[slot].start;
        let mut is_final = true;
        for i in 0..self.events[slot].sources.len() {
            let source = self.events[slot].sources[i];
            self.refresh(source);
            clock = self.follow(clock, source);
            is_final &= self.events[source].is_settled;
        }
        let (clock, of_queue) = self.follow_queue(slot, clock);
        let mut following = Following { clock, is_final: is_final && of_queue };
        let base = self.follow_parts(slot, &mut following);
        let event = &mut self.events[slot];
        let unknown_call = event.kind == Kind::Microtask
            && event.end == NEVER
            && event.causes.iter().any(|cause| cause.call.is_none());
        event.is_provisional = !following.is_final || unknown_call;
        event.clock = following.clock;
        event.base = base;
    }

    /// Settles the events that wait for nothing any more.
    pub(super) fn look(&mut self) {
        self.ends_since_look = 0;
        let unsettled = std::mem::take(&mut self.unsettled);
        let mut left: Vec<Slot> = Vec::new();
        for slot in unsettled {
            if self.events[slot].end == NEVER || self.waits(slot, &left) {
                left.push(slot);
                continue;
            }
            let again = self.events[slot].is_stale || self.events[slot].is_provisional;
            if again && self.parts.has(Needed::ClosingAgain) {
                self.close(slot);
            }
            if self.waits(slot, &left) {
                left.push(slot);
            } else {
                self.settle(slot);
            }
        }
        self.unsettled = left;
        self.drop_old();
    }

    /// Whether an event may still gain because of one of `others`, which are not settled.
    fn waits(&self, slot: Slot, others: &[Slot]) -> bool {
        if !self.parts.has(Needed::WaitingForOthers) {
            return false;
        }
        let event = &self.events[slot];
        let poster = event.post.map(|post| post.poster);
        others.iter().any(|&other| poster == Some(other) || self.is_in(event.clock, other))
    }

    fn settle(&mut self, slot: Slot) {
        self.events[slot].is_settled = true;
        self.settle_message(slot);
        self.find_late(slot);
        let held = self.held(slot);
        let event = &mut self.events[slot];
        let (sources, post) = (std::mem::take(&mut event.sources), event.post);
        event.calls = Vec::new();
        for id in std::mem::take(&mut event.kept) {
            self.kept[super::KeptId(id)].held = held;
        }
        if let Some(watched) = self.watched.get_mut(&event.id) {
            watched.begin.clock = held.clock;
        }
        let pinned = sources.into_iter().chain(post.map(|post| post.poster));
        pinned.for_each(|pinned| self.unpin(pinned));
    }
}
