//! The trace as columnar tables.

use crate::column::{Runs, Sparse};
use crate::id::{
    BarrierId, CallbackId, EnvironmentId, EventId, FunctionId, HandleId, Id, LocationId, LockId,
    OpId, ProcessId, QueueId, SourceId, StackId, TextId, ThreadId,
};
use crate::names::Names;
use crate::op::{Attributes, Enqueue, Op, Provenance};
use crate::stack::Stacks;

/// What kind of state a location is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocationKind {
    /// State of the program under analysis.
    User,
    /// State of the platform that the program runs on.
    Framework,
    /// A list of event handlers.
    Handler,
    /// Part of a document.
    Dom,
    /// A cookie.
    Cookie,
    /// Persistent storage.
    Storage,
    /// A loaded resource.
    Resource,
    /// A kind that the recorder made up, with its name.
    Other(TextId),
}

/// How a queue dispatches its messages. The whole trace decides the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// A queue that a thread attached: its events run one at a time, on that thread.
    Looper,
    /// A queue that no thread attached and that receives inter-process messages: its events run on
    /// a pool of threads of one process.
    Binder,
    /// Any other queue: its tasks run on any thread.
    Pool,
}

/// A message and, once begun, the event it became.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The operation that posted the message. A second one is ignored.
    pub enqueue: Option<OpId>,
    /// The event's first operation. A second `begin` is ignored.
    pub begin: Option<OpId>,
    /// The event's last operation. None when the trace stops inside the event, or when it closes
    /// another event instead.
    pub end: Option<OpId>,
    /// The queue that the message was posted to, or else the queue that its thread attached.
    pub queue: Option<QueueId>,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The process that the thread runs in.
    pub process: ProcessId,
    /// The queue that the thread attached first.
    pub queue: Option<QueueId>,
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// How the queue dispatches its messages.
    pub kind: QueueKind,
    /// The thread that attached the queue first.
    pub owner: Option<ThreadId>,
}

/// A position in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file.
    pub file: TextId,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: Option<u32>,
}

/// The names behind the ids of a trace, one table for each kind of thing.
#[derive(Clone, Default)]
pub struct NameTables {
    /// Threads.
    pub threads: Names<ThreadId>,
    /// Processes.
    pub processes: Names<ProcessId>,
    /// Queues.
    pub queues: Names<QueueId>,
    /// Messages.
    pub events: Names<EventId>,
    /// Handles of notify and wait.
    pub handles: Names<HandleId>,
    /// Locks.
    pub locks: Names<LockId>,
    /// Callbacks.
    pub callbacks: Names<CallbackId>,
    /// Environment events.
    pub environment: Names<EnvironmentId>,
    /// Barriers.
    pub barriers: Names<BarrierId>,
    /// Locations.
    pub locations: Names<LocationId>,
    /// Functions.
    pub functions: Names<FunctionId>,
    /// Free texts.
    pub texts: Names<TextId>,
}

/// The kind of an operation as stored: an [`crate::OpKind`] that distinguishes the two forms of
/// `invoke`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Init,
    Exit,
    Fork,
    Join,
    Notify,
    Wait,
    Lock,
    Unlock,
    Attach,
    Loop,
    Enqueue,
    EnqueueEnd,
    Remove,
    Begin,
    End,
    PostBarrier,
    RemoveBarrier,
    Register,
    Invoke,
    InvokeSync,
    Unregister,
    Enable,
    Trigger,
    Arc,
    Read,
    Write,
    Enter,
    Leave,
}

/// The value in the column `events_of` for an operation outside events.
pub(crate) const NO_EVENT: u32 = u32::MAX;

/// A recorded execution: which operations ran, on which thread, in which order. A trace is
/// immutable; [`crate::TraceBuilder`] builds it.
///
/// A trace takes thirteen bytes for each operation, plus its attributes. The arguments of
/// operations with two arguments are in a table of their own, and the operation stores the row.
#[derive(Clone, Default)]
pub struct Trace {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) args: Vec<u32>,
    pub(crate) threads_of: Vec<ThreadId>,
    pub(crate) events_of: Vec<u32>,
    pub(crate) stacks_of: Runs<Option<StackId>>,

    pub(crate) enqueues: Vec<Enqueue>,
    pub(crate) arcs: Vec<(EventId, EventId)>,
    pub(crate) barrier_posts: Vec<(BarrierId, QueueId)>,

    pub(crate) at: Sparse<u64>,
    pub(crate) values: Sparse<TextId>,
    pub(crate) sources: Sparse<SourceId>,
    pub(crate) event_types: Sparse<TextId>,
    pub(crate) event_names: Sparse<TextId>,
    pub(crate) provenances: Sparse<Provenance>,
    /// The difference between an operation's source id and its number. It seldom changes, because
    /// most imports shift all ids by the same amount.
    pub(crate) source_ids: Runs<Option<u64>>,

    pub(crate) names: NameTables,
    pub(crate) threads: Vec<Thread>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) events: Vec<Event>,
    pub(crate) location_kinds: Vec<Option<LocationKind>>,
    pub(crate) positions: Vec<Source>,
    pub(crate) stacks: Stacks,
    pub(crate) model: Option<TextId>,
    pub(crate) accesses: usize,
    /// The numbers that the operations have in the trace that this one is an excerpt of.
    pub(crate) numbers: Option<Vec<u32>>,
}

impl Trace {
    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Marks this trace as an excerpt of another trace, in which its operations have `numbers`.
    #[must_use]
    pub fn excerpted(mut self, numbers: Vec<u32>) -> Self {
        assert_eq!(numbers.len(), self.len(), "every operation has a number");
        self.numbers = Some(numbers);
        self
    }

    /// Whether this trace is an excerpt, that is, whether operations were left out.
    pub fn is_excerpt(&self) -> bool {
        self.numbers.is_some()
    }

    /// The number by which reports name an operation: its position in the whole trace.
    pub fn number(&self, op: OpId) -> u32 {
        self.numbers.as_ref().map_or(op.0, |numbers| numbers[op.index()])
    }

    /// The operation with this number, unless an excerpt leaves it out.
    pub fn numbered(&self, number: u32) -> Option<OpId> {
        match &self.numbers {
            Some(numbers) => numbers.binary_search(&number).ok().map(OpId::new),
            None => ((number as usize) < self.len()).then_some(OpId(number)),
        }
    }

    /// One past the largest operation number; 0 for an empty trace.
    pub fn end(&self) -> u64 {
        self.ops().next_back().map_or(0, |last| u64::from(self.number(last)) + 1)
    }

    /// How many operations are reads or writes.
    pub fn accesses(&self) -> usize {
        self.accesses
    }

    /// All operations in trace order.
    pub fn ops(&self) -> impl ExactSizeIterator<Item = OpId> + DoubleEndedIterator + use<> {
        (0..self.len()).map(OpId::new)
    }

    /// The operation with the id `op`.
    pub fn op(&self, op: OpId) -> Op {
        let arg = self.args[op.index()];
        match self.kinds[op.index()] {
            Kind::Init => Op::Init,
            Kind::Exit => Op::Exit,
            Kind::Fork => Op::Fork(ThreadId(arg)),
            Kind::Join => Op::Join(ThreadId(arg)),
            Kind::Notify => Op::Notify(HandleId(arg)),
            Kind::Wait => Op::Wait(HandleId(arg)),
            Kind::Lock => Op::Lock(LockId(arg)),
            Kind::Unlock => Op::Unlock(LockId(arg)),
            Kind::Attach => Op::Attach(QueueId(arg)),
            Kind::Loop => Op::Loop(QueueId(arg)),
            Kind::Enqueue => Op::Enqueue(self.enqueues[arg as usize]),
            Kind::EnqueueEnd => Op::EnqueueEnd(EventId(arg)),
            Kind::Remove => Op::Remove(EventId(arg)),
            Kind::Begin => Op::Begin(EventId(arg)),
            Kind::End => Op::End(EventId(arg)),
            Kind::PostBarrier => {
                let (barrier, queue) = self.barrier_posts[arg as usize];
                Op::PostBarrier(barrier, queue)
            }
            Kind::RemoveBarrier => Op::RemoveBarrier(BarrierId(arg)),
            Kind::Register => Op::Register(CallbackId(arg)),
            Kind::Invoke => Op::Invoke { callback: CallbackId(arg), sync: false },
            Kind::InvokeSync => Op::Invoke { callback: CallbackId(arg), sync: true },
            Kind::Unregister => Op::Unregister(CallbackId(arg)),
            Kind::Enable => Op::Enable(EnvironmentId(arg)),
            Kind::Trigger => Op::Trigger(EnvironmentId(arg)),
            Kind::Arc => {
                let (from, to) = self.arcs[arg as usize];
                Op::Arc(from, to)
            }
            Kind::Read => Op::Read(LocationId(arg)),
            Kind::Write => Op::Write(LocationId(arg)),
            Kind::Enter => Op::Enter(FunctionId(arg)),
            Kind::Leave => Op::Leave,
        }
    }

    /// The thread an operation runs on.
    pub fn thread_of(&self, op: OpId) -> ThreadId {
        self.threads_of[op.index()]
    }

    /// The event that an operation runs in: `ev(α)` in the papers.
    pub fn event_of(&self, op: OpId) -> Option<EventId> {
        let event = self.events_of[op.index()];
        (event != NO_EVENT).then_some(EventId(event))
    }

    /// The call stack an operation runs under.
    pub fn stack_of(&self, op: OpId) -> Option<StackId> {
        self.stacks_of.get(op)
    }

    /// The optional data that an operation carries besides its arguments.
    pub fn attributes(&self, op: OpId) -> Attributes {
        Attributes {
            at: self.at.get(op),
            value: self.values.get(op),
            source: self.sources.get(op),
            event_type: self.event_types.get(op),
            event_name: self.event_names.get(op),
            provenance: self.provenances.get(op),
            source_id: self.source_ids.get(op).map(|shift| shift.wrapping_add(u64::from(op.0))),
        }
    }

    /// The arguments of the enqueue that posted an event, if the trace contains it.
    pub fn posting_of(&self, event: EventId) -> Option<Enqueue> {
        match self.op(self.event(event).enqueue?) {
            Op::Enqueue(enqueue) => Some(enqueue),
            _ => None,
        }
    }

    /// The message with the id `event`, and the event that it became.
    pub fn event(&self, event: EventId) -> Event {
        self.events[event.index()]
    }

    /// All messages, whether they were dispatched or not.
    pub fn events(&self) -> impl ExactSizeIterator<Item = (EventId, Event)> + '_ {
        self.events.iter().enumerate().map(|(i, &e)| (EventId::new(i), e))
    }

    /// The thread with the id `thread`.
    pub fn thread(&self, thread: ThreadId) -> Thread {
        self.threads[thread.index()]
    }

    /// The queue with the id `queue`.
    pub fn queue(&self, queue: QueueId) -> Queue {
        self.queues[queue.index()]
    }

    /// The queue of an event, if it is a Looper's.
    pub fn looper_of(&self, event: EventId) -> Option<QueueId> {
        self.event(event).queue.filter(|&q| self.queue(q).kind == QueueKind::Looper)
    }

    /// The declared kind of a location.
    pub fn location_kind(&self, location: LocationId) -> Option<LocationKind> {
        self.location_kinds[location.index()]
    }

    /// The source position with the id `source`.
    pub fn source(&self, source: SourceId) -> Source {
        self.positions[source.index()]
    }

    /// All source positions; the index is the [`SourceId`].
    pub fn sources(&self) -> &[Source] {
        &self.positions
    }

    /// All call stacks.
    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    /// The names behind the ids of this trace.
    pub fn names(&self) -> &NameTables {
        &self.names
    }

    /// The free text with the id `text`.
    pub fn text(&self, text: TextId) -> &[u8] {
        self.names.texts.get(text)
    }

    /// The happens-before model that the trace asks for.
    pub fn model(&self) -> Option<&[u8]> {
        self.model.map(|m| self.text(m))
    }
}
