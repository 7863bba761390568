//! Converts operations of a trace to entries of a report.

use order::{Model, Tasks};
use trace::{EventId, Frame, Id, Op, OpId, Posting, SourceId, ThreadId, Trace};

use crate::model::{AccessEntry, CauseEntry, FrameEntry, SourceEntry};
use crate::name::text;

/// The largest number of causes of an access in a report.
const MOST_CAUSES: usize = 8;

/// The largest number of frames of a call stack in a report, innermost first. A hostile trace may
/// contain endless recursion, which must not be written out for every race.
const MOST_FRAMES: usize = 64;

pub(crate) fn access(trace: &Trace, forks: &Forks, op: OpId, is_brief: bool) -> AccessEntry {
    let attributes = trace.attributes(op);
    let event = trace.event_of(op);
    let frames = if is_brief { 0 } else { MOST_FRAMES };
    AccessEntry {
        op: trace.number(op),
        source_id: attributes.source_id,
        kind: trace.op(op).kind().word().into(),
        thread: thread(trace, op),
        event: event.map(|e| event_name(trace, e)),
        event_type: event.and_then(|event| event_type(trace, event)),
        value: value_of(trace, op),
        source: source_of(trace, op),
        stack: trace
            .stacks()
            .frames(trace.stack_of(op))
            .take(frames)
            .map(|f| frame(trace, f))
            .collect(),
        causes: if is_brief { Vec::new() } else { causes(trace, forks, op) },
    }
}

/// Returns the part of a value that people read. In recordings of model `web`, the text of an object
/// ends in the object's number (`Array(1)@7`), and a truncated text in a hash of the whole
/// (`"abc…"#0123456789abc`), so that values are compared whole. Both may differ between two
/// recordings of one page.
fn value(trace: &Trace, value: &[u8]) -> String {
    text(if trace.model() == Some(b"web") { readable(value) } else { value })
}

/// Returns the value that an access read or wrote, for people.
pub(crate) fn value_of(trace: &Trace, access: OpId) -> Option<String> {
    trace.attributes(access).value.map(|v| value(trace, trace.text(v)))
}

/// Returns the position of an operation in the source.
pub(crate) fn source_of(trace: &Trace, op: OpId) -> Option<SourceEntry> {
    trace.attributes(op).source.map(|s| source(trace, s))
}

fn readable(value: &[u8]) -> &[u8] {
    let mark = value.iter().rposition(|byte| b"@#".contains(byte));
    let Some((shown, end)) = mark.and_then(|mark| Some((&value[..mark], value.get(mark..)?)))
    else {
        return value;
    };
    let is_hidden = match end {
        [b'@', number @ ..] => {
            let digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
            number.first().is_some_and(u8::is_ascii_digit) && number.iter().all(digit)
        }
        [_, hash @ ..] => {
            let is_truncated = shown.ends_with("…".as_bytes()) || shown.ends_with("…\"".as_bytes());
            is_truncated && hash.len() == 13 && hash.iter().all(u8::is_ascii_hexdigit)
        }
        [] => false,
    };
    if is_hidden && !shown.is_empty() { shown } else { value }
}

/// Returns the name of an event for people: the one that its `begin` states, else the message's.
pub(crate) fn event_name(trace: &Trace, event: EventId) -> String {
    let begin = trace.event(event).begin;
    match begin.and_then(|b| trace.attributes(b).event_name) {
        Some(name) => text(trace.text(name)),
        None => text(trace.names().events.get(event)),
    }
}

/// Returns the type of an event, if its `begin` states one.
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
        kind: frame.provenance.map(|provenance| provenance.word().into()),
    }
}

/// The context of an operation: its event, or else its thread.
enum Context {
    Event(EventId),
    Thread(ThreadId),
}

impl Context {
    fn of(trace: &Trace, forks: &Forks, op: OpId) -> Self {
        let thread = || Self::Thread(trace.thread_of(op));
        trace.event_of(op).map_or_else(thread, |event| Self::Event(forks.posted(trace, event)))
    }

    /// Returns the enqueue or fork that caused the context.
    fn cause(&self, forks: &Forks, trace: &Trace) -> Option<OpId> {
        match *self {
            Self::Event(event) => trace.event(event).enqueue,
            Self::Thread(thread) => forks.first[thread.index()],
        }
    }
}

/// The causes of events and threads.
pub(crate) struct Forks {
    /// The first fork of every thread.
    first: Vec<Option<OpId>>,
    /// The tasks of the trace, in model `web` only.
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

    /// Returns these causes with the tasks that `model` defines.
    pub(crate) fn under(self, trace: &Trace, model: &Model) -> Self {
        let tasks = model.has_tasks().then(|| Tasks::new(trace));
        Self { tasks, ..self }
    }

    /// Returns the tasks of the trace, if the model has any.
    pub(crate) fn tasks(&self) -> Option<&Tasks> {
        self.tasks.as_ref()
    }

    /// Returns the event whose post caused `event`. If nothing posted `event`, it is the event of
    /// its task.
    fn posted(&self, trace: &Trace, event: EventId) -> EventId {
        let tasks = self.tasks.as_ref().filter(|_| trace.event(event).enqueue.is_none());
        tasks.map_or(event, |tasks| tasks.head(event))
    }
}

/// Returns the posts and forks that led to `op`, nearest first.
fn causes(trace: &Trace, forks: &Forks, op: OpId) -> Vec<CauseEntry> {
    let chain = std::iter::successors(Some(Context::of(trace, forks, op)), |context| {
        context.cause(forks, trace).map(|cause| Context::of(trace, forks, cause))
    });
    chain.take(MOST_CAUSES).filter_map(|context| cause(trace, forks, &context)).collect()
}

/// Returns the cause of a context, or `None` for a thread that nothing forked.
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
        source: op.and_then(|op| source_of(trace, op)),
    })
}

/// Returns how a message asked to be dispatched, in the words of the notation.
pub(crate) fn posting(posting: Posting) -> String {
    match posting.number() {
        Some(number) => format!("{}={number}", posting.word()),
        None => posting.word().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn identities_and_hashes_are_not_shown() {
        for (value, shown) in [
            ("Array(1)@7", "Array(1)"),
            ("function f@2.13", "function f"),
            ("\"abc…\"#0123456789abc", "\"abc…\""),
            ("3 abc…#0123456789abc", "3 abc…"),
            ("\"me@7\"", "\"me@7\""),
            ("button#buy", "button#buy"),
            ("\"…\"#short", "\"…\"#short"),
            ("me@example.org", "me@example.org"),
            ("@7", "@7"),
            ("", ""),
        ] {
            assert_eq!(readable(value.as_bytes()), shown.as_bytes());
        }
    }
}
