//! The metadata of events, behind pointers with reference counts (§4.1).

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use trace::{Posting, QueueId};

use super::clocks::{Epoch, Key, Time, Tracked, VectorClock};

/// A counted pointer to the metadata of an event.
pub(super) type EventRef = Rc<Event>;

/// How a message was posted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) at: Epoch,
    pub(super) posting: Posting,
    pub(super) is_async: bool,
}

impl Sent {
    /// The AsyncClock that tracks the message. None if no queue rule has its kind as a premise.
    pub(super) fn tracked(&self) -> Option<Tracked> {
        let is_async = self.is_async;
        match self.posting {
            Posting::Delayed(0) => Some(Tracked::Fifo { is_async }),
            Posting::Delayed(_) => Some(Tracked::Delayed { is_async }),
            Posting::AtTime(_) => Some(Tracked::AtTime { is_async }),
            Posting::Front => Some(Tracked::Front { is_async }),
            _ => None,
        }
    }

    /// The delay or the time. 0 for other kinds.
    pub(super) fn time(&self) -> i64 {
        match self.posting {
            Posting::Delayed(time) | Posting::AtTime(time) => time,
            _ => 0,
        }
    }
}

/// The phase of an event, with what may still be asked for.
#[derive(Debug)]
pub(super) enum Phase {
    /// The message waits or was removed, with the time at its send.
    Waiting(Time),
    /// The event runs, with the events that its send removed from its AsyncClock, and the predecessors that
    /// had not ended when it began.
    Running {
        reduced: Vec<EventRef>,
        missed: Vec<EventRef>,
    },
    Ended(Box<Ended>),
    /// The window has passed the event: its metadata is relinquished, and all pointers to it are null.
    Old,
}

#[derive(Debug)]
pub(super) struct Ended {
    pub(super) at: Epoch,
    pub(super) time: Time,
    pub(super) missed: Vec<EventRef>,
}

/// An event, from its send until nothing points to it.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) queue: Option<QueueId>,
    pub(super) sent: Option<Sent>,
    /// The time at the send, for events sent to the front and for multi-path reduction.
    pub(super) at_send: RefCell<VectorClock>,
    pub(super) phase: RefCell<Phase>,
    /// The event before this one in the async-before list of its chain and tags (§5.2).
    pub(super) previous: RefCell<Option<EventRef>>,
    /// The largest time of the events before this one in its list.
    pub(super) longest_before: Option<i64>,
    /// The join of the ends of this event and all before it in its list, once all have ended (§5.3; only
    /// for events sent to the front).
    pub(super) joined: RefCell<Option<Time>>,
    /// Whether the message waits in its queue or the event runs, so that the pass points to it.
    pub(super) is_scheduled: Cell<bool>,
    ledger: Ledger,
}

/// Counts the events that are held.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger(Rc<Cell<u64>>);

impl Ledger {
    pub(super) fn held(&self) -> u64 {
        self.0.get()
    }

    pub(super) fn open(
        &self,
        queue: Option<QueueId>,
        sent: Option<Sent>,
        phase: Phase,
        (at_send, previous): (VectorClock, Option<EventRef>),
    ) -> EventRef {
        let longest_before = previous.as_ref().map(|event| {
            let own = event.sent.map_or(0, |sent| sent.time());
            event.longest_before.map_or(own, |longest| longest.max(own))
        });
        self.0.set(self.0.get() + 1);
        Rc::new(Event {
            queue,
            sent,
            at_send: RefCell::new(at_send),
            phase: RefCell::new(phase),
            previous: RefCell::new(previous),
            longest_before,
            joined: RefCell::default(),
            is_scheduled: Cell::new(true),
            ledger: self.clone(),
        })
    }
}

impl Event {
    /// The AsyncClock that tracks the event's send.
    pub(super) fn key(&self) -> Option<Key> {
        Some(Key { queue: self.queue?, tracked: self.sent?.tracked()? })
    }

    /// Where the event ended.
    pub(super) fn end(&self) -> Option<Epoch> {
        match &*self.phase.borrow() {
            Phase::Ended(ended) => Some(ended.at),
            _ => None,
        }
    }

    /// Whether the event ended after all its predecessors had.
    pub(super) fn is_settled(&self) -> bool {
        matches!(&*self.phase.borrow(), Phase::Ended(ended) if ended.missed.is_empty())
    }

    /// Relinquishes the metadata (§4.1, `invalidate`).
    pub(super) fn invalidate(&self) {
        let mut all = Vec::new();
        self.for_each_pointer(|event| all.push(Rc::clone(event)));
        drop(self.phase.replace(Phase::Old));
        self.at_send.take();
        release(all);
    }

    /// Whether what an AsyncClock says about the event is known to `vector`: the event ended there, or the
    /// window has passed it, and so has what its list joined.
    pub(super) fn is_known(&self, vector: &VectorClock) -> bool {
        if let Some(joined) = &*self.joined.borrow() {
            return vector.includes(&joined.vector);
        }
        match &*self.phase.borrow() {
            Phase::Old => true,
            Phase::Ended(ended) => ended.missed.is_empty() && vector.covers(ended.at),
            _ => false,
        }
    }

    /// The number of pointers to the event in AsyncClocks and lists.
    pub(super) fn references(event: &EventRef) -> usize {
        Rc::strong_count(event) - usize::from(event.is_scheduled.get())
    }

    /// Calls `each` with every event that this one points to.
    pub(super) fn for_each_pointer(&self, mut each: impl FnMut(&EventRef)) {
        let of_time = |time: &Time, each: &mut dyn FnMut(&EventRef)| {
            time.clocks.entries().iter().for_each(|entry| each(&entry.event));
        };
        match &*self.phase.borrow() {
            Phase::Waiting(time) => of_time(time, &mut each),
            Phase::Running { reduced, missed } => reduced.iter().chain(missed).for_each(&mut each),
            Phase::Ended(ended) => {
                ended.missed.iter().for_each(&mut each);
                of_time(&ended.time, &mut each);
            }
            Phase::Old => {}
        }
        self.previous.borrow().iter().for_each(&mut each);
        self.joined.borrow().iter().for_each(|time| of_time(time, &mut each));
    }

    /// Relinquishes everything, and returns what the event pointed to.
    fn take_pointers(&mut self) -> Vec<EventRef> {
        let mut all = Vec::new();
        self.for_each_pointer(|event| all.push(Rc::clone(event)));
        (self.phase, self.previous, self.joined) =
            (RefCell::new(Phase::Old), RefCell::default(), RefCell::default());
        all
    }
}

/// Drops pointers, and the events that only they held, without recursion: events may form long lists.
fn release(mut pointers: Vec<EventRef>) {
    while let Some(pointer) = pointers.pop() {
        if let Some(mut event) = Rc::into_inner(pointer) {
            pointers.extend(event.take_pointers());
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.ledger.0.set(self.ledger.0.get() - 1);
        release(self.take_pointers());
    }
}

/// All events that may be held.
#[derive(Default)]
pub(super) struct Registry(Vec<Weak<Event>>);

impl Registry {
    pub(super) fn add(&mut self, event: &EventRef) {
        self.0.push(Rc::downgrade(event));
    }

    /// The events that are held. Forgets the others.
    pub(super) fn held(&mut self) -> Vec<EventRef> {
        let mut held = Vec::new();
        self.0.retain(|event| {
            held.extend(event.upgrade());
            event.strong_count() > 0
        });
        held
    }
}
