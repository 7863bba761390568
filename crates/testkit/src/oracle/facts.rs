//! The facts about a trace that the definitions presuppose, derived from its raw operations.
//!
//! Of the tables of [`Trace`] only five columns are read: the operation, its `type=` or `by=`, its
//! time, its thread, and the process of a thread (which no operation states). Everything else, such as the
//! event an operation runs in or the kind of a queue, is worked out here a second time:
//!
//! - `begin` opens its event on its thread and `end` closes it; both belong to it, and so does what
//!   runs between them on that thread. Of nested events the innermost counts.
//! - A second `begin` or `enqueue` of a message, and an `end` of anything but the innermost open
//!   event of its thread, are ignored: they belong to the innermost open event, if any, and no rule
//!   takes them for a begin, an enqueue, an end.
//! - A message belongs to the queue of its enqueue; without one, to the queue that the thread of
//!   its begin attached first, anywhere in the trace.
//! - A queue is a Looper if attached anywhere, else a Binder if any enqueue to it is ipc, else a
//!   pool.

use std::collections::{BTreeMap, BTreeSet};

use trace::{
    EventId, LocationId, LocationKind, LockId, Op, OpId, Posting, ProcessId, QueueId, QueueKind,
    ThreadId, Trace,
};

use super::Model;

/// A message's enqueue, with all data that the rules need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    /// The enqueue operation.
    pub(super) at: OpId,
    /// The thread that enqueued.
    pub(super) thread: ThreadId,
    /// The process of that thread.
    pub(super) process: ProcessId,
    /// The queue: the papers' dispatcher.
    pub(super) queue: QueueId,
    /// The kind of that queue: the papers' dispatcher type.
    pub(super) queue_kind: QueueKind,
    /// How the message asks to be dispatched.
    pub(super) posting: Posting,
    /// The printed `barrier` of EventRacer Android, the async of AsyncClock.
    pub(super) is_async: bool,
    /// An ipc call that blocks.
    pub(super) sync: bool,
}

impl Post {
    /// Whether both went to one queue of the given kind.
    pub(super) fn same_queue(&self, other: &Post, kind: QueueKind) -> bool {
        self.queue == other.queue && self.queue_kind == kind
    }

    /// Whether both went to one Looper.
    pub(super) fn same_looper(&self, other: &Post) -> bool {
        self.same_queue(other, QueueKind::Looper)
    }
}

/// The operations of a message that count.
#[derive(Clone, Copy, Default)]
struct Message {
    enqueue: Option<OpId>,
    begin: Option<OpId>,
    end: Option<OpId>,
}

/// A trace as the definitions see it.
pub(super) struct Facts {
    ops: Vec<(ThreadId, Op)>,
    processes: Vec<ProcessId>,
    event_of: Vec<Option<EventId>>,
    messages: BTreeMap<EventId, Message>,
    /// Every attach, in trace order.
    attachments: Vec<(ThreadId, QueueId)>,
    ipc_queues: BTreeSet<QueueId>,
    types: Vec<Option<Vec<u8>>>,
    /// The largest `at` of the operations so far, accesses and calls left out.
    times: Vec<u64>,
    /// The length of the window.
    pub(super) window: u64,
}

impl Facts {
    /// The facts of a trace.
    pub(super) fn of(trace: &Trace) -> Self {
        let ops: Vec<_> = trace.ops().map(|op| (trace.thread_of(op), trace.op(op))).collect();
        let processes = ops.iter().map(|&(thread, _)| trace.thread(thread).process).collect();
        let (event_of, messages) = events(&ops);
        let attachments = ops
            .iter()
            .filter_map(|&(thread, op)| match op {
                Op::Attach(queue) => Some((thread, queue)),
                _ => None,
            })
            .collect();
        let counts = |op: usize, e: &trace::Enqueue| {
            messages.get(&e.event).is_some_and(|m: &Message| m.enqueue == Some(OpId(op as u32)))
        };
        let ipc_queues = ops
            .iter()
            .enumerate()
            .filter_map(|(i, (_, op))| match op {
                Op::Enqueue(e) if e.posting == Posting::Ipc && counts(i, e) => Some(e.queue),
                _ => None,
            })
            .collect();
        let of_type = |op| trace.attributes(op).event_type.map(|text| trace.text(text).to_vec());
        let types = trace.ops().map(of_type).collect();
        let mut time = 0;
        let times = trace.ops().map(|op| {
            if !matches!(trace.op(op), Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
                time = time.max(trace.attributes(op).at.unwrap_or(0));
            }
            time
        });
        let times = times.collect();
        let window = 120_000_000_000;
        Self { ops, processes, event_of, messages, attachments, ipc_queues, types, times, window }
    }

    /// All operations in trace order.
    pub(super) fn ops(&self) -> impl ExactSizeIterator<Item = OpId> + DoubleEndedIterator + use<> {
        (0..self.ops.len() as u32).map(OpId)
    }

    /// All messages that an operation enqueues, begins or ends.
    pub(super) fn messages(&self) -> impl Iterator<Item = EventId> + '_ {
        self.messages.keys().copied()
    }

    /// The operation with the id `op`.
    pub(super) fn op(&self, op: OpId) -> Op {
        self.ops[op.0 as usize].1
    }

    /// The thread of an operation.
    pub(super) fn thread(&self, op: OpId) -> ThreadId {
        self.ops[op.0 as usize].0
    }

    /// `type=` of a begin, `by=` of an arc.
    pub(super) fn event_type(&self, op: OpId) -> Option<&[u8]> {
        self.types[op.0 as usize].as_deref()
    }

    /// The type of the event of an operation; in model `web`, of the task that the event is of.
    pub(super) fn task_type(&self, op: OpId, model: Model) -> Option<&[u8]> {
        let event = self.event(op)?;
        let event = if model == Model::Web { self.task(event) } else { event };
        self.event_type(self.begin(event)?)
    }

    /// The type of a message that began.
    pub(super) fn type_of(&self, event: EventId) -> Option<&[u8]> {
        self.begin(event).and_then(|begin| self.event_type(begin))
    }

    /// Whether a message that began is a microtask or the call of a listener.
    pub(super) fn is_part(&self, event: EventId) -> bool {
        matches!(self.type_of(event), Some(b"microtask" | b"listener" | b"module"))
    }

    /// The event that started the task of `event`: the last that began before it on its thread and
    /// is no part of another; else the event itself.
    pub(super) fn task(&self, event: EventId) -> EventId {
        let Some(begin) = self.begin(event).filter(|_| self.is_part(event)) else { return event };
        let starts = |e: EventId| {
            self.begin(e).is_some_and(|b| b < begin && self.thread(b) == self.thread(begin))
                && !self.is_part(e)
                && self.type_of(e) != Some(b"settlement")
        };
        let earlier = self.messages().filter(|&e| starts(e));
        earlier.max_by_key(|&e| self.begin(e)).unwrap_or(event)
    }

    /// ev(α).
    pub(super) fn event(&self, op: OpId) -> Option<EventId> {
        self.event_of[op.0 as usize]
    }

    /// The time of an operation.
    pub(super) fn time(&self, op: OpId) -> u64 {
        self.times[op.0 as usize]
    }

    /// enqueue(m).
    pub(super) fn enqueue(&self, message: EventId) -> Option<OpId> {
        self.messages.get(&message)?.enqueue
    }

    /// begin(m).
    pub(super) fn begin(&self, message: EventId) -> Option<OpId> {
        self.messages.get(&message)?.begin
    }

    /// end(m).
    pub(super) fn end(&self, message: EventId) -> Option<OpId> {
        self.messages.get(&message)?.end
    }

    /// The m with `op` = begin(m).
    pub(super) fn begun(&self, op: OpId) -> Option<EventId> {
        match self.op(op) {
            Op::Begin(message) if self.begin(message) == Some(op) => Some(message),
            _ => None,
        }
    }

    /// The m with `op` = end(m).
    pub(super) fn ended(&self, op: OpId) -> Option<EventId> {
        match self.op(op) {
            Op::End(message) if self.end(message) == Some(op) => Some(message),
            _ => None,
        }
    }

    /// The (m, m') with `alpha` = end(m) and `beta` = begin(m').
    pub(super) fn end_and_begin(&self, alpha: OpId, beta: OpId) -> Option<(EventId, EventId)> {
        Some((self.ended(alpha)?, self.begun(beta)?))
    }

    /// The η = enqueue(m) and γ = enqueue(m') with `alpha` = end(m) and `beta` = begin(m').
    pub(super) fn posts(&self, alpha: OpId, beta: OpId) -> Option<(Post, Post)> {
        let (m, n) = self.end_and_begin(alpha, beta)?;
        Some((self.post(m)?, self.post(n)?))
    }

    /// enqueue(m), with its fields.
    pub(super) fn post(&self, message: EventId) -> Option<Post> {
        let at = self.enqueue(message)?;
        let Op::Enqueue(enqueue) = self.op(at) else { return None };
        Some(Post {
            at,
            thread: self.thread(at),
            process: self.processes[at.0 as usize],
            queue: enqueue.queue,
            queue_kind: self.queue_kind(enqueue.queue),
            posting: enqueue.posting,
            is_async: enqueue.is_async,
            sync: enqueue.sync,
        })
    }

    /// The kind of a queue.
    pub(super) fn queue_kind(&self, queue: QueueId) -> QueueKind {
        if self.owner(queue).is_some() {
            QueueKind::Looper
        } else if self.ipc_queues.contains(&queue) {
            QueueKind::Binder
        } else {
            QueueKind::Pool
        }
    }

    /// The thread that attached the queue first.
    pub(super) fn owner(&self, queue: QueueId) -> Option<ThreadId> {
        self.attachments.iter().find(|&&(_, q)| q == queue).map(|&(thread, _)| thread)
    }

    /// Whether the thread attaches any queue.
    pub(super) fn owns_a_queue(&self, thread: ThreadId) -> bool {
        self.attachments.iter().any(|&(t, _)| t == thread)
    }

    /// Whether any event begins on the thread.
    pub(super) fn runs_events(&self, thread: ThreadId) -> bool {
        self.ops().any(|op| self.thread(op) == thread && self.begun(op).is_some())
    }

    /// The queue a message belongs to.
    pub(super) fn queue(&self, message: EventId) -> Option<QueueId> {
        if let Some(post) = self.post(message) {
            return Some(post.queue);
        }
        let thread = self.thread(self.begin(message)?);
        self.attachments.iter().find(|&&(t, _)| t == thread).map(|&(_, queue)| queue)
    }

    /// The queue a message belongs to, if that is a Looper.
    pub(super) fn looper(&self, message: EventId) -> Option<QueueId> {
        self.queue(message).filter(|&queue| self.queue_kind(queue) == QueueKind::Looper)
    }

    /// Whether both messages belong to one Looper.
    pub(super) fn same_looper(&self, m: EventId, n: EventId) -> bool {
        self.looper(m).is_some() && self.looper(m) == self.looper(n)
    }

    /// The locks that the thread of `access` holds there: taken more often than released. A
    /// release of a lock that is not held is ignored.
    pub(super) fn lockset(&self, access: OpId) -> BTreeSet<LockId> {
        let mut held: BTreeMap<LockId, usize> = BTreeMap::new();
        for op in self.ops().take_while(|&op| op < access) {
            if self.thread(op) == self.thread(access) {
                match self.op(op) {
                    Op::Lock(lock) => *held.entry(lock).or_default() += 1,
                    Op::Unlock(lock) => {
                        held.entry(lock).and_modify(|times| *times = times.saturating_sub(1));
                    }
                    _ => {}
                }
            }
        }
        held.into_iter().filter(|&(_, times)| times > 0).map(|(lock, _)| lock).collect()
    }
}

/// ev(α) of every operation, and the operations of every message that count.
fn events(ops: &[(ThreadId, Op)]) -> (Vec<Option<EventId>>, BTreeMap<EventId, Message>) {
    let mut messages: BTreeMap<EventId, Message> = BTreeMap::new();
    let mut open: BTreeMap<ThreadId, Vec<EventId>> = BTreeMap::new();
    let mut event_of = Vec::new();
    for (at, &(thread, op)) in (0..).map(OpId).zip(ops) {
        let open = open.entry(thread).or_default();
        match op {
            Op::Enqueue(enqueue) => {
                messages.entry(enqueue.event).or_default().enqueue.get_or_insert(at);
            }
            Op::Begin(event) if messages.entry(event).or_default().begin.is_none() => {
                messages.entry(event).or_default().begin = Some(at);
                open.push(event);
            }
            _ => {}
        }
        event_of.push(open.last().copied());
        if let Op::End(event) = op
            && open.last() == Some(&event)
        {
            open.pop();
            messages.entry(event).or_default().end = Some(at);
        }
    }
    (event_of, messages)
}

/// Whether a location that is accessed is declared to have a value from the start, or its first
/// access is a read that found one.
pub(super) fn is_initialised(trace: &Trace, x: LocationId) -> bool {
    if let Some(LocationKind::Other(kind)) = trace.location_kind(x)
        && trace.text(kind) == b"initialised"
    {
        return true;
    }
    let is_of_x = |op: &OpId| trace.op(*op).access().is_some_and(|(location, _)| location == x);
    let first = trace.ops().find(is_of_x).expect("the location is accessed");
    let nothing: [&[u8]; 5] = [b"", b"?", b"none", b"null", b"undefined"];
    match trace.attributes(first).value {
        Some(value) => {
            matches!(trace.op(first), Op::Read(_)) && !nothing.contains(&trace.text(value))
        }
        None => false,
    }
}
