//! What the pass keeps of threads, queues and events.

use std::collections::{BTreeSet, VecDeque};

use hashbrown::HashMap;
use trace::{Enqueue, EventId, Posting, ProcessId, QueueId, QueueKind, ThreadId};

use super::held::Held;
use super::list::List;
use super::log::Log;
use crate::engine::graph::Clock;

/// The index of an event that is kept. Slots are reused.
pub(super) type Slot = u32;

/// A thread.
pub(super) struct Thread {
    /// What the thread does outside events.
    pub(super) task: Held,
    /// Its open events, innermost last.
    pub(super) open: Vec<Slot>,
    pub(super) process: ProcessId,
    /// The queue that it attached first.
    pub(super) queue: Option<QueueId>,
    /// Whether an event that nothing posted began on it before it attached a queue.
    pub(super) ran_unposted: bool,
    pub(super) inits: List,
    pub(super) forks: List,
    pub(super) exits: List,
    /// Ends of events on the thread.
    pub(super) ends: List,
    /// Ends of events of a looper on the thread.
    pub(super) looper_ends: List,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            task: Held::unborn(),
            open: Vec::new(),
            process: ProcessId(0),
            queue: None,
            ran_unposted: false,
            inits: List::default(),
            forks: List::default(),
            exits: List::default(),
            ends: List::default(),
            looper_ends: List::default(),
        }
    }
}

/// How messages of a class keep their order: the kind, the flag `async`, the delay or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) kind: Kept,
    pub(super) is_async: bool,
    pub(super) key: i64,
}

/// The kinds of messages that are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    Delayed,
    AtTime,
    Idle,
    Front,
    /// Inter-process messages; the key is the thread that posted.
    Ipc,
}

impl Class {
    /// The class of a message; none for those that the trace alone orders.
    pub(super) fn of(post: &Post) -> Option<Self> {
        let mut is_async = post.enqueue.is_async;
        let (kind, key) = match post.posting {
            Posting::Delayed(delay) => (Kept::Delayed, delay),
            Posting::AtTime(time) => (Kept::AtTime, time),
            Posting::Idle => (Kept::Idle, 0),
            Posting::Front => (Kept::Front, 0),
            Posting::Ipc if !post.enqueue.sync => {
                is_async = false;
                (Kept::Ipc, i64::from(post.thread.0))
            }
            Posting::Ipc | Posting::Input | Posting::Display => return None,
        };
        Some(Self { kind, is_async, key })
    }
}

/// The inter-process messages from one process to one queue, blocking or not.
#[derive(Default)]
pub(super) struct Calls {
    /// The number of the post of each message that has not ended.
    pub(super) waiting: BTreeSet<u64>,
    /// Ended messages by the number of their post.
    pub(super) ended: Vec<(u64, Held)>,
    /// Ended messages that were posted before all that wait.
    pub(super) merged: List,
}

/// A queue.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) owner: Option<ThreadId>,
    pub(super) has_ipc: bool,
    /// The kind that the first event of the queue found.
    pub(super) decided: Option<QueueKind>,
    /// Posts by kind and flag `async`.
    pub(super) delayed: [Log; 2],
    pub(super) at_time: [Log; 2],
    pub(super) idle: [Log; 2],
    pub(super) front: [Log; 2],
    /// Inter-process posts by thread.
    pub(super) ipc: HashMap<ThreadId, Log>,
    /// Posts of barriers; the slot is an index of [`Self::barrier_posts`].
    pub(super) barriers: Log,
    /// Posted barriers: the barrier and the number of the post.
    pub(super) barrier_posts: HashMap<u32, BarrierPost>,
    pub(super) next_barrier: u32,
    /// The latest events of each class that ended.
    pub(super) recent: HashMap<Class, Vec<Slot>>,
    /// Events that ended after a message began that should have followed them.
    pub(super) overtaken: Vec<Slot>,
    /// Barriers whose removal a message did not wait for that should have.
    pub(super) overtaken_barriers: Vec<u32>,
    /// Begins of events, if the queue is a looper's.
    pub(super) begins: Log,
    /// The latest events that ended, the last first, if the queue is a looper's.
    pub(super) latest: VecDeque<Slot>,
    /// Open events, if the queue is a looper's.
    pub(super) open: Vec<Slot>,
    /// Whether an event of the looper began before another had ended.
    pub(super) overlapping: bool,
    /// Ended input and display events.
    pub(super) native: [List; 2],
    pub(super) calls: HashMap<(ProcessId, bool), Calls>,
    /// Posts to the front in the order of the trace.
    pub(super) fronts: VecDeque<Slot>,
}

/// A barrier in a queue.
pub(super) struct BarrierPost {
    pub(super) barrier: u32,
    pub(super) number: u64,
    pub(super) node: (u32, u32),
}

impl Queue {
    pub(super) fn kind(&self) -> QueueKind {
        match (self.owner, self.has_ipc) {
            (Some(_), _) => QueueKind::Looper,
            (None, true) => QueueKind::Binder,
            (None, false) => QueueKind::Pool,
        }
    }
}

/// A message and the event it became.
#[derive(Clone)]
pub(super) struct Event {
    pub(super) id: EventId,
    pub(super) post: Option<Post>,
    pub(super) queue: Option<QueueId>,
    /// The looper on which it runs.
    pub(super) looper: Option<QueueId>,
    pub(super) begin: Option<Held>,
    pub(super) begin_thread: ThreadId,
    /// The floor of the begin: how many events had begun there, and its number.
    pub(super) floor: (u32, u64),
    /// The running task, and its last node after the end.
    pub(super) task: Held,
    pub(super) has_ended: bool,
    pub(super) end_epoch: u32,
    /// Up to this clock, the begins of the looper were searched for the event.
    pub(super) checked: Clock,
    /// Up to this clock, the posts to the queue were searched for the event.
    pub(super) searched: Clock,
    /// Whether a message began that should have followed this one, which had not ended.
    pub(super) is_overtaken: bool,
    pub(super) is_removed: bool,
}

/// The post of a message.
#[derive(Clone, Copy)]
pub(super) struct Post {
    pub(super) held: Held,
    pub(super) posting: Posting,
    pub(super) enqueue: Enqueue,
    pub(super) thread: ThreadId,
    pub(super) process: ProcessId,
}

/// The events that are kept.
#[derive(Default)]
pub(super) struct Events {
    all: Vec<Event>,
    slots: HashMap<EventId, Slot>,
    free: Vec<Slot>,
}

impl Events {
    pub(super) fn slot(&self, event: EventId) -> Option<Slot> {
        self.slots.get(&event).copied()
    }

    pub(super) fn slot_or_new(&mut self, event: EventId) -> Slot {
        if let Some(slot) = self.slot(event) {
            return slot;
        }
        let new = Event {
            id: event,
            post: None,
            queue: None,
            looper: None,
            begin: None,
            begin_thread: ThreadId(0),
            floor: (0, 0),
            task: Held::unborn(),
            has_ended: false,
            end_epoch: 0,
            checked: Clock::EMPTY,
            searched: Clock::EMPTY,
            is_overtaken: false,
            is_removed: false,
        };
        let slot = if let Some(slot) = self.free.pop() {
            self.all[slot as usize] = new;
            slot
        } else {
            self.all.push(new);
            self.all.len() as u32 - 1
        };
        self.slots.insert(event, slot);
        slot
    }

    pub(super) fn release(&mut self, slot: Slot) {
        self.slots.remove(&self.all[slot as usize].id);
        self.free.push(slot);
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Event>() + 12 * self.slots.capacity()
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.values().copied()
    }
}

impl std::ops::Index<Slot> for Events {
    type Output = Event;

    fn index(&self, slot: Slot) -> &Event {
        &self.all[slot as usize]
    }
}

impl std::ops::IndexMut<Slot> for Events {
    fn index_mut(&mut self, slot: Slot) -> &mut Event {
        &mut self.all[slot as usize]
    }
}
