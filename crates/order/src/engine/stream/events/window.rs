//! Rule WINDOW: what is older than the window happens before every new event, and is dropped.
//!
//! The *floor* of an event is the last event that began at least the length of the window before it.
//! Time is the largest `at` of the operations so far, accesses and calls left out. Every event that ended
//! before that begin precedes the event.
//!
//! An event keeps the floor of its begin. What ended below the floor of every event that is not settled
//! is dropped, unless something refers to it; then it is dropped when nothing does any more.

use std::collections::VecDeque;

use trace::{EventId, Id};

use super::state::Slot;
use super::{Dropped, EventStream, GONE, Point};
use crate::engine::graph::Clock;

/// A set of dense ids.
#[derive(Default)]
struct Ids(Vec<u64>);

impl Ids {
    fn insert(&mut self, id: usize) {
        if self.0.len() <= id / 64 {
            self.0.resize(id / 64 + 1, 0);
        }
        self.0[id / 64] |= 1 << (id % 64);
    }

    fn contains(&self, id: usize) -> bool {
        self.0.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }
}

/// The window and its floor.
pub(super) struct Window {
    duration: Option<u64>,
    time: u64,
    /// Begins above the floor: the time, how many events had begun then, and the number.
    begins: VecDeque<(u64, u32, u64)>,
    floor: (u32, u64),
    /// Events that ended above the floor, in that order.
    above: VecDeque<Slot>,
    /// Events that ended below the floor and are not settled.
    unsettled: Vec<Slot>,
    /// The settled events below the floor.
    clock: Clock,
    /// Ended events that are kept, in the order of their ends.
    ended: VecDeque<Slot>,
    /// The events that were dropped, as a clock: they precede everything that is to come.
    gone: Clock,
    /// These, as of the last call of `start_dropping`.
    dropping: Clock,
    dropped_ids: Ids,
    spent: Ids,
    dropped: Dropped,
}

impl Window {
    pub(super) fn new(duration: Option<u64>) -> Self {
        Self {
            duration,
            time: 0,
            begins: VecDeque::new(),
            floor: (0, 0),
            above: VecDeque::new(),
            unsettled: Vec::new(),
            clock: Clock::EMPTY,
            ended: VecDeque::new(),
            gone: Clock::EMPTY,
            dropping: Clock::EMPTY,
            dropped_ids: Ids::default(),
            spent: Ids::default(),
            dropped: Dropped::default(),
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.duration.is_some()
    }

    /// Moves to the time of an operation.
    pub(super) fn at(&mut self, at: Option<u64>) {
        self.time = self.time.max(at.unwrap_or(0));
        let Some(duration) = self.duration else { return };
        while let Some(&(time, epoch, number)) = self.begins.front() {
            if time.saturating_add(duration) > self.time {
                return;
            }
            self.floor = (epoch, number);
            self.begins.pop_front();
        }
    }

    /// Notes that an event began: so many have by now.
    pub(super) fn begun(&mut self, epoch: u32, number: u64) {
        if self.is_on() {
            self.begins.push_back((self.time, epoch, number));
        }
    }

    pub(super) fn ended(&mut self, slot: Slot) {
        if self.is_on() {
            self.above.push_back(slot);
            self.ended.push_back(slot);
        }
    }

    /// Whether an event was dropped, or a message forgotten.
    pub(super) fn has_dropped(&self, event: EventId) -> bool {
        self.dropped_ids.contains(event.index())
    }

    pub(super) fn note_dropped(&mut self, event: EventId) {
        self.dropped_ids.insert(event.index());
    }

    /// Whether a callback was forgotten because it ran.
    pub(super) fn has_spent(&self, callback: u32) -> bool {
        self.spent.contains(callback as usize)
    }

    pub(super) fn spend(&mut self, callback: u32) {
        self.spent.insert(callback as usize);
        self.dropped.lists += 1;
    }

    pub(super) fn visit_clocks(&mut self, each: &mut impl FnMut(&mut Clock)) {
        each(&mut self.clock);
        each(&mut self.gone);
        each(&mut self.dropping);
    }
}

impl EventStream {
    /// Drops what it can at every end of an event. Passes over events always do.
    #[allow(clippy::unused_self, reason = "the other pass has something to do")]
    pub(in super::super) fn drop_eagerly(&mut self) {}

    pub(in super::super) fn dropped(&self) -> Dropped {
        self.window.dropped
    }

    /// Lets an event that begins follow what ended below the floor.
    pub(super) fn start_above_floor(&mut self, slot: Slot) {
        if !self.window.is_on() {
            return;
        }
        if self.window.has_dropped(self.events[slot].id) {
            self.approximations += 1;
        }
        let floor = self.window.floor;
        self.events[slot].floor = floor;
        while let Some(&event) = self.window.above.front() {
            if self.events[event].end > floor.1 {
                break;
            }
            self.window.above.pop_front();
            self.pin(event);
            self.window.unsettled.push(event);
        }
        for event in std::mem::take(&mut self.window.unsettled) {
            if self.events[event].is_settled {
                self.window.clock = self.follow(self.window.clock, event);
                self.unpin(event);
            } else {
                self.window.unsettled.push(event);
                self.add_source(slot, event, false);
            }
        }
        self.events[slot].start = self.window.clock;
    }

    /// Drops events that lie below the floor.
    pub(super) fn drop_old(&mut self) {
        if !self.window.is_on() {
            return;
        }
        let floors = self.unsettled.iter().map(|&slot| self.events[slot].floor);
        let (lowest, _) = floors.fold(self.window.floor, std::cmp::Ord::min);
        while let Some(&slot) = self.window.ended.front() {
            // What is not in the floor's clock yet is needed for it.
            let event = &self.events[slot];
            let is_above = self.window.above.front() == Some(&slot);
            if event.end_epoch >= lowest || !event.is_settled || is_above {
                break;
            }
            self.window.ended.pop_front();
            if event.pins == 0 {
                self.drop_event(slot);
            } else {
                self.events[slot].is_old = true;
            }
        }
    }

    pub(super) fn drop_event(&mut self, slot: Slot) {
        self.window.dropped.events += 1;
        let event = &mut self.events[slot];
        let (id, chain, position, thread) = (event.id, event.chain, event.position, event.thread);
        let (runs, is_late) = (std::mem::take(&mut event.runs), event.is_late);
        self.window.note_dropped(id);
        self.window.gone = self.clocks.with(self.window.gone, chain, position);
        let on_chain = &mut self.on_chain[chain as usize];
        let index = (position - 1 - on_chain.dropped) as usize;
        on_chain.slots[index] = GONE;
        while on_chain.slots.front() == Some(&GONE) {
            on_chain.slots.pop_front();
            on_chain.dropped += 1;
        }
        // Whoever knew of the event found these through it.
        for (id, part) in runs.into_iter().flatten() {
            if part != slot && self.events.get((id, part)).is_some() {
                self.note_late(part);
            }
        }
        self.unlog(slot);
        let of_thread = self.thread(thread);
        if is_late {
            of_thread.late.retain(|&late| late != slot);
        }
        self.events.release(slot);
        let (events, kept) = (&self.events, self.events.len());
        let of_thread = &mut self.threads[thread.index()];
        if of_thread.events.len() > 64 + 2 * kept {
            of_thread.events.retain(|&entry| events.get(entry).is_some());
        }
    }

    /// Forgets a message that is not going to begin.
    pub(super) fn forget_message(&mut self, slot: Slot) {
        self.unlog(slot);
        let post = self.events[slot].post;
        self.events.release(slot);
        if let Some(post) = post {
            self.unpin(post.poster);
        }
    }

    pub(in super::super) fn has_window(&self) -> bool {
        self.window.is_on()
    }

    pub(in super::super) fn start_dropping(&mut self) {
        self.window.dropping = self.window.gone;
    }

    pub(in super::super) fn is_dropped(&self, point: Point) -> bool {
        self.clocks.get(self.window.dropping, point.chain) >= point.position
    }
}
