//! The class of a race: the reason why its two accesses could run in either order (DroidRacer's
//! classes).
//!
//! In models of threads and queues, the class is the first of these that holds. The threads differ:
//! *multi-threaded*. Both accesses have a trigger, the triggers differ and nothing orders them:
//! *co-enabled*. Their delayed ancestors differ: *delayed*. Their cross-posting ancestors differ:
//! *cross-posted*. Otherwise: *uncategorized*. In models that order events, the class states the
//! kinds of the two accesses instead.
//!
//! The ancestors of an event are the event itself, the event that enqueued it, and so on. Its
//! *trigger* is the nearest ancestor that was posted as input, display or ipc, or that contains a
//! `trigger`. Its *delayed* ancestor is the nearest one with a positive delay. Its *cross-posting*
//! ancestor is the nearest one that was posted from another thread than the one it ran on.

use order::HappensBefore;
use trace::{EventId, Id, Op, OpId, Posting, Trace};

/// The reason why the two accesses of a race could run in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are the classes, defined above")]
pub enum Class {
    MultiThreaded,
    CoEnabled,
    Delayed,
    CrossPosted,
    Uncategorized,
    WriteWrite,
    ReadWrite,
    WriteRead,
}

impl Class {
    /// The name of the class in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::MultiThreaded => "multi-threaded",
            Self::CoEnabled => "co-enabled",
            Self::Delayed => "delayed",
            Self::CrossPosted => "cross-posted",
            Self::Uncategorized => "uncategorized",
            Self::WriteWrite => "write-write",
            Self::ReadWrite => "read-write",
            Self::WriteRead => "write-read",
        }
    }

    /// Returns the class that states only the kinds of the two accesses, as in models that order
    /// events.
    pub fn of_kinds(trace: &Trace, first: OpId, second: OpId) -> Self {
        let writes = |op| matches!(trace.op(op), Op::Write(_));
        Self::of_accesses(writes(first), writes(second))
    }

    /// Returns the class that states only which of two accesses write.
    pub fn of_accesses(first_writes: bool, second_writes: bool) -> Self {
        match (first_writes, second_writes) {
            (true, true) => Self::WriteWrite,
            (false, _) => Self::ReadWrite,
            (true, false) => Self::WriteRead,
        }
    }
}

/// The triggering, delayed and cross-posting ancestors of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The nearest ancestor that was posted as input, display or ipc, or that contains a `trigger`.
    pub trigger: Option<EventId>,
    /// The nearest ancestor with a positive delay.
    pub delayed: Option<EventId>,
    /// The nearest ancestor that was posted from another thread than the one it ran on.
    pub cross_posted: Option<EventId>,
}

impl Origin {
    /// Returns the origin of an event that begins, from that of the event that posted it. `crosses`
    /// states whether another thread posted it than the one it runs on.
    #[must_use]
    pub fn of(parent: Self, event: EventId, posting: Option<Posting>, crosses: bool) -> Self {
        let mut origin = parent;
        if matches!(posting, Some(Posting::Input | Posting::Display | Posting::Ipc)) {
            origin.trigger = Some(event);
        }
        if matches!(posting, Some(Posting::Delayed(delay)) if delay > 0) {
            origin.delayed = Some(event);
        }
        if crosses {
            origin.cross_posted = Some(event);
        }
        origin
    }

    /// Returns the class of a race between two accesses of one thread. `ordered` states whether the
    /// first event ends before the second begins, or the other way around.
    pub fn class(self, other: Self, ordered: impl FnOnce(EventId, EventId) -> bool) -> Class {
        if let (Some(t), Some(u)) = (self.trigger, other.trigger)
            && t != u
            && !ordered(t, u)
        {
            Class::CoEnabled
        } else if self.delayed != other.delayed {
            Class::Delayed
        } else if self.cross_posted != other.cross_posted {
            Class::CrossPosted
        } else {
            Class::Uncategorized
        }
    }
}

/// The origins of all events. The class of a race follows from those of its two events.
pub(crate) struct Origins {
    events: Vec<Origin>,
}

impl Origins {
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut triggered = vec![false; trace.names().events.len()];
        for op in trace.ops() {
            if let (Op::Trigger(_), Some(event)) = (trace.op(op), trace.event_of(op)) {
                triggered[event.index()] = true;
            }
        }
        let mut origins = Self { events: vec![Origin::default(); triggered.len()] };
        // A parent begins before its children unless the trace contradicts itself, so events are
        // visited by their begin.
        let mut begun: Vec<EventId> =
            trace.events().filter(|(_, e)| e.begin.is_some()).map(|(id, _)| id).collect();
        begun.sort_by_key(|&e| trace.event(e).begin);
        for event in begun {
            let own = triggered[event.index()];
            origins.events[event.index()] = origins.of_event(trace, event, own);
        }
        origins
    }

    fn of_event(&self, trace: &Trace, event: EventId, triggered: bool) -> Origin {
        let row = trace.event(event);
        let parent = row.enqueue.and_then(|e| trace.event_of(e));
        let parent = parent.map_or_else(Origin::default, |p| self.events[p.index()]);
        let posting = trace.posting_of(event).map(|e| e.posting);
        let crosses = row
            .enqueue
            .zip(row.begin)
            .is_some_and(|(enqueue, begin)| trace.thread_of(enqueue) != trace.thread_of(begin));
        let mut origin = Origin::of(parent, event, posting, crosses);
        if triggered {
            origin.trigger = Some(event);
        }
        origin
    }

    /// Returns the class of a race in a model of threads and queues.
    pub(crate) fn class(
        &self,
        trace: &Trace,
        order: &dyn HappensBefore,
        first: OpId,
        second: OpId,
    ) -> Class {
        let origin =
            |op| trace.event_of(op).map_or_else(Origin::default, |e| self.events[e.index()]);
        let (a, b) = (origin(first), origin(second));
        if trace.thread_of(first) != trace.thread_of(second) {
            return Class::MultiThreaded;
        }
        a.class(b, |t, u| order.event_before(t, u) || order.event_before(u, t))
    }
}
