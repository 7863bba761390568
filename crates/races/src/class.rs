//! The class of a race: where the freedom to reorder comes from (DroidRacer's classes).
//!
//! The first that holds, for models of threads and queues:
//! the threads differ: *multi-threaded*; both have a trigger, the triggers differ and nothing
//! orders them: *co-enabled*; their delayed ancestors differ: *delayed*; their cross-posting
//! ancestors differ: *cross-posted*; else *uncategorized*. Models that order events say which
//! accesses race instead.
//!
//! An event's ancestors are itself, the event its enqueue runs in, and so on. Its *trigger* is the
//! nearest ancestor that was posted as input, display or ipc, or that contains a `trigger`; its
//! *delayed* ancestor the nearest with a positive delay; its *cross-posting* ancestor the nearest
//! posted from another thread than it ran on.

use order::HappensBefore;
use trace::{EventId, Id, Op, OpId, Posting, Trace};

/// Where the freedom to reorder the two accesses comes from.
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
    /// The name used in reports.
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

    /// The class by the kinds of the two accesses alone.
    pub fn of_kinds(trace: &Trace, first: OpId, second: OpId) -> Self {
        match (trace.op(first), trace.op(second)) {
            (Op::Write(_), Op::Write(_)) => Self::WriteWrite,
            (Op::Read(_), _) => Self::ReadWrite,
            _ => Self::WriteRead,
        }
    }
}

/// What an event inherits from those that led to it.
#[derive(Clone, Copy, Default)]
struct Origin {
    trigger: Option<EventId>,
    delayed: Option<EventId>,
    cross_posted: Option<EventId>,
}

/// The origins of all events, from which classes follow.
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
        // A parent begins before its children unless the trace is odd, so by begin.
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
        let mut origin = parent.map_or_else(Origin::default, |p| self.events[p.index()]);
        let posting = trace.posting_of(event).map(|e| e.posting);
        if triggered || matches!(posting, Some(Posting::Input | Posting::Display | Posting::Ipc)) {
            origin.trigger = Some(event);
        }
        if matches!(posting, Some(Posting::Delayed(delay)) if delay > 0) {
            origin.delayed = Some(event);
        }
        if let (Some(enqueue), Some(begin)) = (row.enqueue, row.begin)
            && trace.thread_of(enqueue) != trace.thread_of(begin)
        {
            origin.cross_posted = Some(event);
        }
        origin
    }

    /// The class of a race in a model of threads and queues.
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
        if let (Some(t), Some(u)) = (a.trigger, b.trigger)
            && t != u
            && !order.event_before(t, u)
            && !order.event_before(u, t)
        {
            Class::CoEnabled
        } else if a.delayed != b.delayed {
            Class::Delayed
        } else if a.cross_posted != b.cross_posted {
            Class::CrossPosted
        } else {
            Class::Uncategorized
        }
    }
}
