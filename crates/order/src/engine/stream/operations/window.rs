//! Rule WINDOW: what is older than the window happens before every new event, and is dropped.
//!
//! The *floor* of an operation is the last event that began at least the length of the window before
//! it. Time is the largest `at` of the operations so far, accesses and calls left out, so it never runs
//! back. Everything up to that begin happens before the operation, if it is a begin or stands outside
//! events. Clocks hold the floor as one more entry: how many events had begun there; and the floor is
//! joined as a clock, which knows every chain up to the floor.
//!
//! An event keeps the floor of its begin. So what may be dropped is what lies at or below the floor of
//! every event that runs or is unsettled: whoever asks later has a floor as high as that. A message that
//! was removed is dropped with its removal, because it is not going to begin; if the trace contradicts
//! that, the event begins as one that nothing posted, which is counted. One bit for each message is left.

use std::collections::VecDeque;

use trace::{EventId, Id, Posting};

use super::chains::FLOOR;
use super::state::{Class, Slot};
use super::{Dropped, Needed, OperationStream};
use crate::engine::graph::Clock;

/// The window and its floor.
pub(super) struct Window {
    duration: Option<u64>,
    time: u64,
    /// Begins above the floor: the time, how many events had begun then, and the number.
    begins: VecDeque<(u64, u32, u64)>,
    floor: u32,
    floor_number: u64,
    /// The least floor of what runs or is unsettled, as of the last look.
    lowest: u32,
    /// Nodes above the floor clock: their epoch, chain and position.
    nodes: VecDeque<(u32, u32, u32)>,
    /// Knows every chain up to the floor.
    pub(super) clock: Clock,
    /// Events in the order in which they ended.
    ended: VecDeque<Slot>,
    /// Messages in the order in which they were removed, with the numbers of the removals.
    removed: VecDeque<(u64, Slot, EventId)>,
    /// A bit for each of them that was dropped.
    gone: Vec<u64>,
    dropped: Dropped,
    /// How many lists there may be before old ones are looked for.
    lists: usize,
    eager: bool,
}

impl Window {
    pub(super) fn new(duration: Option<u64>) -> Self {
        Self {
            duration,
            time: 0,
            begins: VecDeque::new(),
            floor: 0,
            floor_number: 0,
            lowest: 0,
            nodes: VecDeque::new(),
            clock: Clock::EMPTY,
            ended: VecDeque::new(),
            removed: VecDeque::new(),
            gone: Vec::new(),
            dropped: Dropped::default(),
            lists: 1024,
            eager: false,
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.duration.is_some()
    }

    pub(super) fn is_eager(&self) -> bool {
        self.eager
    }

    pub(super) fn floor(&self) -> u32 {
        self.floor
    }

    pub(super) fn lowest(&self) -> u32 {
        self.lowest
    }

    /// The floor, and the number of the operation at which it lies.
    pub(super) fn place(&self) -> (u32, u64) {
        (self.floor, self.floor_number)
    }

    pub(super) fn bytes(&self) -> usize {
        24 * self.begins.capacity() + 12 * self.nodes.capacity() + 4 * self.ended.capacity()
    }

    /// Moves to the time of an operation.
    pub(super) fn at(&mut self, at: Option<u64>) {
        self.time = self.time.max(at.unwrap_or(0));
        let Some(duration) = self.duration else { return };
        while let Some(&(time, epoch, number)) = self.begins.front() {
            if time.saturating_add(duration) > self.time {
                return;
            }
            (self.floor, self.floor_number) = (epoch, number);
            self.begins.pop_front();
        }
    }

    /// Notes that an event began: so many have by now.
    pub(super) fn begun(&mut self, epoch: u32, number: u64) {
        if self.is_on() {
            self.begins.push_back((self.time, epoch, number));
        }
    }

    /// Notes a node.
    #[inline]
    pub(super) fn passed(&mut self, epoch: u32, chain: u32, position: u32) {
        if self.is_on() {
            self.nodes.push_back((epoch, chain, position));
        }
    }

    pub(super) fn ended(&mut self, slot: Slot) {
        if self.is_on() {
            self.ended.push_back(slot);
        }
    }

    /// Whether a message was dropped because it was removed.
    pub(super) fn is_gone(&self, event: EventId) -> bool {
        self.gone.get(event.index() / 64).is_some_and(|bits| bits >> (event.index() % 64) & 1 == 1)
    }

    fn note_gone(&mut self, event: EventId) {
        if self.gone.len() <= event.index() / 64 {
            self.gone.resize(event.index() / 64 + 1, 0);
        }
        self.gone[event.index() / 64] |= 1 << (event.index() % 64);
    }

    /// Notes that a message was removed before it began.
    pub(super) fn removed(&mut self, number: u64, slot: Slot, event: EventId) {
        if self.is_on() {
            self.removed.push_back((number, slot, event));
        }
    }
}

impl OperationStream {
    /// Drops what it can at every end of an event: for tests, which would otherwise drop little.
    pub(in super::super) fn drop_eagerly(&mut self) {
        self.window.eager = true;
    }

    /// How much the window has dropped.
    pub(in super::super) fn dropped(&self) -> Dropped {
        self.window.dropped
    }

    /// Joins everything up to the floor to a clock.
    pub(super) fn window_joined(&mut self, clock: Clock) -> Clock {
        let floor = self.window.floor;
        if floor == 0 || self.clocks.get(clock, FLOOR) >= floor {
            return clock;
        }
        let mut old = self.window.clock;
        while let Some(&(_, chain, position)) =
            self.window.nodes.front().filter(|&&(epoch, ..)| epoch < floor)
        {
            self.window.nodes.pop_front();
            old = self.clocks.with(old, chain, position);
        }
        old = self.clocks.with(old, FLOOR, floor);
        self.window.clock = old;
        self.clocks.join(clock, old)
    }

    /// The floor below which nothing is asked for any more, and the number of its operation.
    fn lowest_floor(&self) -> (u32, u64) {
        let open = self.threads.iter().flat_map(|thread| thread.open.iter());
        let all = open.chain(&self.unsettled).filter(|_| self.parts.has(Needed::LowestFloor));
        let floors = all.map(|&slot| self.events[slot].floor);
        floors.fold(self.window.place(), std::cmp::Ord::min)
    }

    /// Drops events and lists that lie below the floor.
    pub(super) fn drop_old(&mut self) {
        if !self.window.is_on() {
            return;
        }
        let (floor, number) = self.lowest_floor();
        self.window.lowest = floor;
        while let Some(&slot) = self.window.ended.front() {
            if self.events[slot].end_epoch >= floor {
                break;
            }
            self.window.ended.pop_front();
            self.drop_event(slot);
        }
        while let Some(&(removal, slot, event)) = self.window.removed.front() {
            if removal > number {
                break;
            }
            self.window.removed.pop_front();
            if self.events.slot(event) == Some(slot) && self.events[slot].begin.is_none() {
                self.drop_event(slot);
                self.window.note_gone(event);
            }
        }
        let lists = self.handles.len() + self.callbacks.len() + self.removals.len();
        if lists > self.window.lists || self.window.eager {
            self.drop_lists(number);
            let left = self.handles.len() + self.callbacks.len() + self.removals.len();
            self.window.lists = 1024 + 2 * left;
        }
    }

    fn drop_event(&mut self, slot: Slot) {
        self.window.dropped.events += 1;
        let event = &self.events[slot];
        if let (Some(looper), Some(begin)) = (event.looper, event.begin) {
            let queue = &mut self.queues[looper.index()];
            queue.begins.remove(begin.chain, begin.position);
            queue.latest.retain(|&latest| latest != slot);
        }
        if let Some(post) = event.post {
            let queue = &mut self.queues[post.enqueue.queue.index()];
            let flag = usize::from(post.enqueue.is_async);
            let log = match post.posting {
                Posting::Delayed(_) => Some(&mut queue.delayed[flag]),
                Posting::AtTime(_) => Some(&mut queue.at_time[flag]),
                Posting::Idle => Some(&mut queue.idle[flag]),
                Posting::Front => Some(&mut queue.front[flag]),
                Posting::Ipc => queue.ipc.get_mut(&post.thread),
                Posting::Input | Posting::Display => None,
            };
            if let Some(log) = log {
                log.remove(post.held.chain, post.held.position);
            }
            if post.posting == Posting::Front {
                queue.fronts.retain(|&front| front != slot);
            }
            if event.is_overtaken {
                queue.overtaken.retain(|&overtaken| overtaken != slot);
            }
            if let Some(class) = Class::of(&post)
                && let Some(recent) = queue.recent.get_mut(&class)
            {
                recent.retain(|&recent| recent != slot);
                if recent.is_empty() {
                    queue.recent.remove(&class);
                }
            }
        }
        self.events.release(slot);
    }

    fn drop_lists(&mut self, number: u64) {
        let before = self.handles.len() + self.callbacks.len();
        self.handles.retain(|_, list| list.forget(number));
        self.callbacks.retain(|_, callback| {
            let lists =
                [&mut callback.registers, &mut callback.invokes, &mut callback.sync_invokes];
            lists.map(|list| list.forget(number)).contains(&true)
        });
        let after = self.handles.len() + self.callbacks.len();
        self.window.dropped.lists += (before - after) as u64;
        for thread in &mut self.threads {
            for list in [
                &mut thread.inits,
                &mut thread.forks,
                &mut thread.exits,
                &mut thread.ends,
                &mut thread.looper_ends,
            ] {
                list.forget(number);
            }
        }
        let removals = &mut self.removals;
        for queue in &mut self.queues {
            queue.native.iter_mut().for_each(|list| {
                list.forget(number);
            });
            for calls in queue.calls.values_mut() {
                calls.ended.retain(|(_, end)| end.number > number);
                calls.merged.forget(number);
            }
            let gone = queue.barrier_posts.iter().filter(|(_, post)| {
                let removed = removals.get(&post.barrier).and_then(|all| all.last());
                removed.is_some_and(|last| last.number > post.number && last.number <= number)
            });
            let gone: Vec<(u32, (u32, u32))> =
                gone.map(|(&index, post)| (index, post.node)).collect();
            for (index, (chain, position)) in gone {
                queue.barrier_posts.remove(&index);
                queue.barriers.remove(chain, position);
                queue.overtaken_barriers.retain(|&other| other != index);
            }
        }
        removals.retain(|_, all| {
            all.retain(|node| node.number > number);
            !all.is_empty()
        });
    }
}
