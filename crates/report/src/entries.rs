//! How operations of a trace become entries of a report.

use order::HappensBefore;
use races::Race;
use trace::{EventId, Frame, Op, OpId, Posting, Provenance, SourceId, Trace};

use crate::model::{AccessEntry, FrameEntry, PostEntry, SourceEntry};
use crate::name::text;

/// How many posts of a chain are told.
const POSTS_TOLD: usize = 8;

pub(crate) fn access(trace: &Trace, op: OpId) -> AccessEntry {
    let attributes = trace.attributes(op);
    let event = trace.event_of(op);
    let begin = event.and_then(|e| trace.event(e).begin).map(|b| trace.attributes(b));
    AccessEntry {
        op: op.0,
        source_id: attributes.source_id,
        kind: if matches!(trace.op(op), Op::Write(_)) { "write" } else { "read" },
        thread: thread(trace, op),
        event: event.map(|e| event_name(trace, e)),
        event_type: begin.and_then(|b| b.event_type).map(|t| text(trace.text(t))),
        value: attributes.value.map(|v| text(trace.text(v))),
        source: attributes.source.map(|s| source(trace, s)),
        stack: trace.stacks().frames(trace.stack_of(op)).map(|f| frame(trace, f)).collect(),
        posts: event.map(|e| posts(trace, e)).unwrap_or_default(),
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
            Provenance::User => "user",
            Provenance::Framework => "framework",
        }),
    }
}

/// The chain of posts that led to `event`, nearest first.
fn posts(trace: &Trace, event: EventId) -> Vec<PostEntry> {
    let chain = std::iter::successors(Some(event), |&e| {
        trace.event(e).enqueue.and_then(|enqueue| trace.event_of(enqueue))
    });
    chain.take(POSTS_TOLD).map(|e| post(trace, e)).collect()
}

fn post(trace: &Trace, event: EventId) -> PostEntry {
    let enqueue = trace.event(event).enqueue;
    PostEntry {
        message: event_name(trace, event),
        op: enqueue.map(|op| op.0),
        thread: enqueue.map(|op| thread(trace, op)),
        event: enqueue.and_then(|op| trace.event_of(op)).map(|e| event_name(trace, e)),
        posting: trace.posting_of(event).map(|e| posting(e.posting)),
        source: enqueue.and_then(|op| trace.attributes(op).source).map(|s| source(trace, s)),
    }
}

/// How a message asked to be dispatched, in the words of the notation.
pub(crate) fn posting(posting: Posting) -> String {
    match posting {
        Posting::Delayed(delay) => format!("delay={delay}"),
        Posting::AtTime(time) => format!("time={time}"),
        Posting::Front => "front".to_owned(),
        Posting::Idle => "idle".to_owned(),
        Posting::Input => "input".to_owned(),
        Posting::Display => "display".to_owned(),
        Posting::Ipc => "ipc".to_owned(),
    }
}

/// Why nothing orders the two accesses of a race, in a sentence.
pub(crate) fn why(trace: &Trace, order: &dyn HappensBefore, race: &Race) -> String {
    let (a, b) = (trace.event_of(race.first), trace.event_of(race.second));
    match (a, b) {
        (Some(a), Some(b)) => why_events(trace, order, a, b),
        _ if trace.thread_of(race.first) == trace.thread_of(race.second) => {
            format!(
                "Both run on {}, but not both inside one event, and nothing the model knows leads \
                 from one to the other.",
                thread(trace, race.first)
            )
        }
        _ => format!(
            "{} and {} run side by side: no fork, join, message or notification leads from one \
             access to the other.",
            thread(trace, race.first),
            thread(trace, race.second)
        ),
    }
}

fn why_events(trace: &Trace, order: &dyn HappensBefore, a: EventId, b: EventId) -> String {
    let (name_a, name_b) = (event_name(trace, a), event_name(trace, b));
    let (posted_a, posted_b) = (trace.event(a).enqueue, trace.event(b).enqueue);
    let (Some(post_a), Some(post_b)) = (posted_a, posted_b) else {
        let unposted = if posted_a.is_none() { &name_a } else { &name_b };
        return format!(
            "The trace does not show what posted {unposted}, and nothing else orders {name_a} and \
             {name_b}."
        );
    };
    if !order.before(post_a, post_b) && !order.before(post_b, post_a) {
        return format!(
            "{name_a} is posted on {} (operation {}) and {name_b} on {} (operation {}); nothing \
             orders these posts, so the events may run in either order.",
            thread(trace, post_a),
            post_a.0,
            thread(trace, post_b),
            post_b.0
        );
    }
    if trace.looper_of(a).is_none() || trace.looper_of(a) != trace.looper_of(b) {
        return format!(
            "{name_a} and {name_b} are posted in order, but not to one Looper, so they may overlap."
        );
    }
    let kind = |event| trace.posting_of(event).map_or_else(String::new, |e| posting(e.posting));
    format!(
        "{name_a} ({}) and {name_b} ({}) are posted in order, but messages of these kinds need not \
         run in the order of their posts.",
        kind(a),
        kind(b)
    )
}
