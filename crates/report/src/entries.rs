//! How operations of a trace become entries of a report.

use order::{Model, Tasks};
use trace::{EventId, Frame, Id, Op, OpId, Posting, Provenance, SourceId, ThreadId, Trace};

use crate::model::{AccessEntry, CauseEntry, FrameEntry, SourceEntry};
use crate::name::text;

/// How many causes of an access are told.
const CAUSES_TOLD: usize = 8;

/// How many frames of a call stack are told, innermost first: a recursion without end in a hostile
/// trace must not be written out for every race.
const FRAMES_TOLD: usize = 64;

pub(crate) fn access(trace: &Trace, forks: &Forks, op: OpId) -> AccessEntry {
    let attributes = trace.attributes(op);
    let event = trace.event_of(op);
    AccessEntry {
        op: trace.number(op),
        source_id: attributes.source_id,
        kind: if matches!(trace.op(op), Op::Write(_)) { "write" } else { "read" }.into(),
        thread: thread(trace, op),
        event: event.map(|e| event_name(trace, e)),
        event_type: event.and_then(|event| event_type(trace, event)),
        value: attributes.value.map(|v| text(trace.text(v))),
        source: attributes.source.map(|s| source(trace, s)),
        stack: trace
            .stacks()
            .frames(trace.stack_of(op))
            .take(FRAMES_TOLD)
            .map(|f| frame(trace, f))
            .collect(),
        causes: causes(trace, forks, op),
    }
}

/// The name of an event for people: the one its `begin` gives it, else the message's.
pub(crate) fn event_name(trace: &Trace, event: EventId) -> String {
    let begin = trace.event(event).begin;
    match begin.and_then(|b| trace.attributes(b).event_name) {
        Some(name) => text(trace.text(name)),
        None => text(trace.names().events.get(event)),
    }
}

/// The type of an event, if its `begin` gives one.
pub(crate) fn event_type(trace: &Trace, event: EventId) -> Option<String> {
    let begin = trace.event(event).begin?;
    trace.attributes(begin).event_type.map(|name| text(trace.text(name)))
}

pub(crate) fn thread(trace: &Trace, op: OpId) -> String {
    text(trace.names().threads.get(trace.thread_of(op)))
}

fn source(trace: &Trace, source: SourceId) -> SourceEntry {
    let source = trace.source(source);
    SourceEntry { file: text(trace.text(source.file)), line: source.line, column: source.column }
}

fn frame(trace: &Trace, frame: Frame) -> FrameEntry {
    FrameEntry {
        function: text(trace.names().functions.get(frame.function)),
        source: frame.source.map(|s| source(trace, s)),
        kind: frame.provenance.map(|p| match p {
            Provenance::User => "user".into(),
            Provenance::Framework => "framework".into(),
        }),
    }
}

/// What an operation runs in: the event, or else the thread, that had to come about for it.
enum Context {
    Event(EventId),
    Thread(ThreadId),
}

impl Context {
    fn of(trace: &Trace, forks: &Forks, op: OpId) -> Self {
        let thread = || Self::Thread(trace.thread_of(op));
        trace.event_of(op).map_or_else(thread, |event| Self::Event(forks.posted(trace, event)))
    }

    /// The enqueue or fork that brought it about.
    fn cause(&self, forks: &Forks, trace: &Trace) -> Option<OpId> {
        match *self {
            Self::Event(event) => trace.event(event).enqueue,
            Self::Thread(thread) => forks.first[thread.index()],
        }
    }
}

/// What brings events and threads about.
pub(crate) struct Forks {
    /// The first fork of every thread.
    first: Vec<Option<OpId>>,
    /// In model `web`.
    tasks: Option<Tasks>,
}

impl Forks {
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut first = vec![None; trace.names().threads.len()];
        for op in trace.ops() {
            if let Op::Fork(child) = trace.op(op) {
                first[child.index()].get_or_insert(op);
            }
        }
        Self { first, tasks: None }
    }

    /// The same as `model` sees it.
    pub(crate) fn under(self, trace: &Trace, model: &Model) -> Self {
        let tasks = model.has_tasks().then(|| Tasks::new(trace));
        Self { tasks, ..self }
    }

    /// The tasks of the trace, if the model knows any.
    pub(crate) fn tasks(&self) -> Option<&Tasks> {
        self.tasks.as_ref()
    }

    /// The event whose post brought `event` about: that of its task, if nothing posted it.
    fn posted(&self, trace: &Trace, event: EventId) -> EventId {
        let tasks = self.tasks.as_ref().filter(|_| trace.event(event).enqueue.is_none());
        tasks.map_or(event, |tasks| tasks.head(event))
    }
}

/// The posts and forks that led to `op`, nearest first.
fn causes(trace: &Trace, forks: &Forks, op: OpId) -> Vec<CauseEntry> {
    let chain = std::iter::successors(Some(Context::of(trace, forks, op)), |context| {
        context.cause(forks, trace).map(|cause| Context::of(trace, forks, cause))
    });
    chain.take(CAUSES_TOLD).filter_map(|context| cause(trace, forks, &context)).collect()
}

/// How a context came about; nothing for a thread that was simply there.
fn cause(trace: &Trace, forks: &Forks, context: &Context) -> Option<CauseEntry> {
    let op = context.cause(forks, trace);
    let (kind, of, of_type, posting) = match *context {
        Context::Event(event) => {
            let posting = trace.posting_of(event).map(|e| posting(e.posting));
            ("post", event_name(trace, event), event_type(trace, event), posting)
        }
        Context::Thread(_) if op.is_none() => return None,
        Context::Thread(thread) => ("fork", text(trace.names().threads.get(thread)), None, None),
    };
    let within = op.and_then(|op| trace.event_of(op));
    Some(CauseEntry {
        kind: kind.into(),
        of,
        of_type,
        op: op.map(|op| trace.number(op)),
        thread: op.map(|op| thread(trace, op)),
        event: within.map(|event| event_name(trace, event)),
        event_type: within.and_then(|event| event_type(trace, event)),
        posting,
        source: op.and_then(|op| trace.attributes(op).source).map(|s| source(trace, s)),
    })
}

/// How a message asked to be dispatched, in the words of the notation.
pub(crate) fn posting(posting: Posting) -> String {
    match posting {
        Posting::Delayed(n) | Posting::AtTime(n) => format!("{}={n}", posting_kind(posting)),
        _ => posting_kind(posting).to_owned(),
    }
}

/// The word of the notation for a way to be dispatched.
pub(crate) fn posting_kind(posting: Posting) -> &'static str {
    match posting {
        Posting::Delayed(_) => "delay",
        Posting::AtTime(_) => "time",
        Posting::Front => "front",
        Posting::Idle => "idle",
        Posting::Input => "input",
        Posting::Display => "display",
        Posting::Ipc => "ipc",
    }
}
