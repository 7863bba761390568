//! Indexes of a trace: the lists that the premises of rules range over.

use trace::{Enqueue, EventId, Id, Op, OpId, QueueId, QueueKind, ThreadId, Trace};

/// A message that was dispatched: an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dispatched {
    pub(crate) event: EventId,
    pub(crate) begin: OpId,
    pub(crate) end: Option<OpId>,
    pub(crate) queue: Option<QueueId>,
    /// The thread its `begin` runs on.
    pub(crate) thread: ThreadId,
    /// The operation that posted the message, and how it was posted.
    pub(crate) posted: Option<(OpId, Enqueue)>,
}

/// Operations, grouped by the object that they name. Every list is in trace order.
pub(crate) struct Facts<'t> {
    pub(crate) trace: &'t Trace,
    /// All events, by `begin`.
    pub(crate) events: Vec<Dispatched>,
    /// The events of each queue that is a Looper; empty for other queues.
    pub(crate) by_looper: Vec<Vec<Dispatched>>,
    /// The events of each queue that is a Binder; empty for other queues.
    pub(crate) by_binder: Vec<Vec<Dispatched>>,
    /// Operations inside each event, its begin and end included.
    pub(crate) in_event: Vec<Vec<OpId>>,
    /// Operations of each thread outside events.
    pub(crate) outside_events: Vec<Vec<OpId>>,
    /// All operations of each thread.
    pub(crate) by_thread: Vec<Vec<OpId>>,
    /// `fork` and `join` by the thread they name.
    pub(crate) forks: Vec<Vec<OpId>>,
    pub(crate) joins: Vec<Vec<OpId>>,
    pub(crate) handles: Vec<Vec<OpId>>,
    pub(crate) callbacks: Vec<Vec<OpId>>,
    /// `remove` and `enqueue_end` by the message they name.
    pub(crate) about_message: Vec<Vec<OpId>>,
    /// `post_barrier` and `remove_barrier` by the barrier they name.
    pub(crate) barriers: Vec<Vec<OpId>>,
}

impl<'t> Facts<'t> {
    pub(crate) fn new(trace: &'t Trace) -> Self {
        let names = trace.names();
        let groups = |n: usize| vec![Vec::new(); n];
        let mut facts = Self {
            trace,
            events: Vec::new(),
            by_looper: vec![Vec::new(); names.queues.len()],
            by_binder: vec![Vec::new(); names.queues.len()],
            in_event: groups(names.events.len()),
            outside_events: groups(names.threads.len()),
            by_thread: groups(names.threads.len()),
            forks: groups(names.threads.len()),
            joins: groups(names.threads.len()),
            handles: groups(names.handles.len()),
            callbacks: groups(names.callbacks.len()),
            about_message: groups(names.events.len()),
            barriers: groups(names.barriers.len()),
        };
        for op in trace.ops() {
            facts.index(op);
        }
        facts.index_events();
        facts
    }

    fn index(&mut self, id: OpId) {
        let thread = self.trace.thread_of(id).index();
        self.by_thread[thread].push(id);
        match self.trace.event_of(id) {
            Some(event) => self.in_event[event.index()].push(id),
            None => self.outside_events[thread].push(id),
        }
        match self.trace.op(id) {
            Op::Fork(child) => self.forks[child.index()].push(id),
            Op::Join(child) => self.joins[child.index()].push(id),
            Op::Notify(handle) | Op::Wait(handle) => self.handles[handle.index()].push(id),
            Op::Register(callback) | Op::Invoke { callback, .. } | Op::Unregister(callback) => {
                self.callbacks[callback.index()].push(id);
            }
            Op::Remove(event) | Op::EnqueueEnd(event) => {
                self.about_message[event.index()].push(id);
            }
            Op::PostBarrier(barrier, _) | Op::RemoveBarrier(barrier) => {
                self.barriers[barrier.index()].push(id);
            }
            _ => {}
        }
    }

    fn index_events(&mut self) {
        let trace = self.trace;
        let mut events: Vec<Dispatched> = trace
            .events()
            .filter_map(|(event, row)| {
                let begin = row.begin?;
                Some(Dispatched {
                    event,
                    begin,
                    end: row.end,
                    queue: row.queue,
                    thread: trace.thread_of(begin),
                    posted: row.enqueue.zip(trace.posting_of(event)),
                })
            })
            .collect();
        events.sort_by_key(|e| e.begin);
        for &event in &events {
            let Some(queue) = event.queue else { continue };
            match trace.queue(queue).kind {
                QueueKind::Looper => self.by_looper[queue.index()].push(event),
                QueueKind::Binder => self.by_binder[queue.index()].push(event),
                QueueKind::Pool => {}
            }
        }
        self.events = events;
    }

    /// The events of each dispatcher that may order its messages: Loopers, then Binders.
    pub(crate) fn dispatchers(&self) -> impl Iterator<Item = &[Dispatched]> {
        self.by_looper.iter().chain(&self.by_binder).map(Vec::as_slice)
    }

    /// Pairs of operations on one handle, callback, … where `first` and `second` hold, in order.
    pub(crate) fn ordered_pairs<'a>(
        groups: &'a [Vec<OpId>],
        first: impl Fn(OpId) -> bool + Copy + 'a,
        second: impl Fn(OpId) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = (OpId, OpId)> + 'a {
        groups.iter().flat_map(move |group| {
            group.iter().enumerate().filter(move |&(_, &a)| first(a)).flat_map(move |(i, &a)| {
                group[i + 1..].iter().filter(move |&&b| second(b)).map(move |&b| (a, b))
            })
        })
    }

    pub(crate) fn is_register(&self, op: OpId) -> bool {
        matches!(self.trace.op(op), Op::Register(_))
    }

    pub(crate) fn is_invoke(&self, op: OpId) -> bool {
        matches!(self.trace.op(op), Op::Invoke { .. })
    }

    pub(crate) fn is_unregister(&self, op: OpId) -> bool {
        matches!(self.trace.op(op), Op::Unregister(_))
    }
}
