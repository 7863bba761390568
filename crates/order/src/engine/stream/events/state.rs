//! What a pass over events keeps: events, and the state of threads, queues and callbacks.

use std::collections::VecDeque;

use hashbrown::HashMap;
use trace::{EventId, QueueId, ThreadId};

use super::super::log::Log;
use crate::engine::graph::Clock;
use crate::rules::causes::Kind;

/// The index of an event that is kept.
pub(super) type Slot = u32;

/// The number of an operation that has not come yet.
pub(super) const NEVER: u64 = u64::MAX;

/// A message and the event it became.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Event {
    pub(super) id: EventId,
    pub(super) post: Option<Post>,
    /// The queue that the message was posted to, and whether as input.
    pub(super) queue: Option<QueueId>,
    pub(super) is_input: bool,
    /// The numbers of the begin and the end, or `NEVER`.
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) thread: ThreadId,
    pub(super) kind: Kind,
    /// The place of the event: its chain, 0 if it has none yet, and its position there.
    pub(super) chain: u32,
    pub(super) position: u32,
    /// The events that precede it, without itself. Final if the event is settled.
    pub(super) clock: Clock,
    /// What it followed when it began because of the window alone.
    pub(super) start: Clock,
    /// The events that it follows by rules that the trace alone decides, until it is settled.
    pub(super) sources: Vec<Slot>,
    /// The calls that queue it, each with its event, until it is settled.
    pub(super) calls: Vec<(EventId, u64)>,
    /// The causes of a part of a task.
    pub(super) causes: Vec<Cause>,
    /// The arcs to it that were read before it began.
    pub(super) arcs: Vec<EventId>,
    /// Whether it came to follow more since its clock was computed.
    pub(super) is_stale: bool,
    /// Whether its clock contains clocks that are not final.
    pub(super) is_provisional: bool,
    pub(super) is_settled: bool,
    /// See [`parts`](super::parts).
    pub(super) base: Option<Base>,
    pub(super) is_late: bool,
    /// Whether another event of its thread began while it ran.
    pub(super) is_overlapped: bool,
    /// The parts that wait for the event, in runs: each follows the one before it.
    pub(super) runs: Vec<Vec<(EventId, Slot)>>,
    /// Whether a message began that should have followed this one, which had not ended.
    pub(super) is_overtaken: bool,
    /// What the poster of the message knew, once the event is settled.
    pub(super) searched: Clock,
    /// The moments of the event that the caller keeps.
    pub(super) kept: Vec<u32>,
    /// How many refer to the event: messages that wait, callbacks, events that are not settled.
    pub(super) pins: u32,
    /// Whether the event lies below the floor and is only kept because of its pins.
    pub(super) is_old: bool,
    /// How many events had begun at the floor of its begin, and the number of that.
    pub(super) floor: (u32, u64),
    /// How many events had begun at its end.
    pub(super) end_epoch: u32,
}

impl Event {
    pub(super) fn has_begun(&self) -> bool {
        self.begin != NEVER
    }

    pub(super) fn is_open(&self) -> bool {
        self.begin != NEVER && self.end == NEVER
    }
}

/// The post of a message that a rule of queues may order.
#[derive(Clone, Copy)]
pub(super) struct Post {
    pub(super) number: u64,
    /// The event that posts; pinned until the message is settled.
    pub(super) poster: Slot,
    /// The place of the poster.
    pub(super) chain: u32,
    pub(super) position: u32,
    pub(super) queue: QueueId,
    /// The rule of queues that speaks of such messages, and the delay by which it orders them.
    pub(super) class: Option<(u8, i64)>,
    /// Whether all that the poster knew had ended, so that it posts nothing more.
    pub(super) is_clean: bool,
}

impl Post {
    /// The position of the post in the log of its chain.
    pub(super) fn logged(&self) -> u64 {
        logged(self.position, self.number)
    }
}

/// The position in a log of posts of a post by the event at a position of a chain.
pub(super) fn logged(position: u32, number: u64) -> u64 {
    u64::from(position) << 32 | number & u64::from(u32::MAX)
}

/// An event that a part of a task waits for.
#[derive(Clone, Copy)]
pub(super) struct Cause {
    pub(super) event: EventId,
    pub(super) chain: u32,
    pub(super) position: u32,
    pub(super) begin: u64,
    /// The last operation of the event that queues the part, if the trace states it.
    pub(super) call: Option<u64>,
}

/// What precedes an event, and how many events that are at least.
#[derive(Clone, Copy, Default)]
pub(super) struct Base {
    pub(super) clock: Clock,
    pub(super) size: u32,
}

/// Events of which each new one follows the last ones that ended, as
/// [`crate::rules::tasks::one_after_another`] has it.
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) running: Vec<Slot>,
    /// Ended, and none of them ended before another began.
    pub(super) last: Vec<Slot>,
}

/// A thread.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) queue: Option<QueueId>,
    /// The event that started the current task.
    pub(super) head: Option<Slot>,
    /// The calls of listeners of the current task.
    pub(super) listeners: Sequence,
    pub(super) open: Vec<Slot>,
    /// The events that began, as far as they are kept.
    pub(super) events: VecDeque<(EventId, Slot)>,
    /// The latest begin of an event that is no microtask, or that a microtask waited for.
    pub(super) latest: Option<u64>,
    /// Parts that ran later than their queue promises, or of which a cause was dropped.
    pub(super) late: Vec<Slot>,
}

/// A queue.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) is_attached: bool,
    /// Whether it was attached when its first event began.
    pub(super) decided: Option<bool>,
    pub(super) inputs: Sequence,
    /// The posts of each class, by the chains of their posters.
    pub(super) logs: Vec<Log<u64>>,
    /// The messages of each class that had not ended when one began that should have followed them.
    pub(super) overtaken: Vec<Vec<Slot>>,
    /// The last settled messages of each class and delay.
    pub(super) recent: HashMap<(u8, i64), VecDeque<Slot>>,
}

/// The last registration of a callback.
#[derive(Clone, Copy)]
pub(super) struct Registered {
    pub(super) by: Option<Slot>,
    pub(super) number: u64,
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
            is_input: false,
            begin: NEVER,
            end: NEVER,
            thread: ThreadId(0),
            kind: Kind::Task,
            chain: 0,
            position: 0,
            clock: Clock::EMPTY,
            start: Clock::EMPTY,
            sources: Vec::new(),
            calls: Vec::new(),
            causes: Vec::new(),
            arcs: Vec::new(),
            is_stale: false,
            is_provisional: false,
            is_settled: false,
            base: None,
            is_late: false,
            is_overlapped: false,
            runs: Vec::new(),
            is_overtaken: false,
            searched: Clock::EMPTY,
            kept: Vec::new(),
            pins: 0,
            is_old: false,
            floor: (0, 0),
            end_epoch: 0,
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
        let event = &mut self.all[slot as usize];
        self.slots.remove(&event.id);
        event.begin = NEVER;
        (event.runs, event.causes, event.kept) = Default::default();
        (event.clock, event.start, event.searched, event.base) = Default::default();
        self.free.push(slot);
    }

    /// The event that had an id, if it is kept.
    pub(super) fn get(&self, (id, slot): (EventId, Slot)) -> Option<&Event> {
        Some(&self[slot]).filter(|event| event.id == id && event.has_begun())
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Event>() + 12 * self.slots.capacity()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        self.all.iter_mut()
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
