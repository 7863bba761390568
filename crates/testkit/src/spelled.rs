//! Spells a trace as text without ids: the content that a round trip through a format must
//! preserve.
//!
//! Two traces are equal if they are spelled the same. The text does not show names that no
//! operation mentions, nor the numbering of names. It shares only the words of the notation with
//! the writers of formats, so a writer that omits data is detected.

use std::fmt::Write;

use trace::{Attributes, Escaped, Event, Id, LocationKind, Op, OpId, StackId, Trace};

/// One line for the model, one for each operation, one for each location of a declared kind.
pub fn spelled(trace: &Trace) -> Vec<String> {
    let mut lines = vec![format!("model {:?}", trace.model().map(|m| Escaped(m).to_string()))];
    lines.extend(trace.ops().map(|op| operation(trace, op)));
    let names = &trace.names().locations;
    let mut kinds: Vec<String> = names
        .ids()
        .filter_map(|location| {
            let kind = match trace.location_kind(location)? {
                LocationKind::Other(text) => format!("other <{}>", Escaped(trace.text(text))),
                kind => kind.word().expect("every other kind has a word").to_owned(),
            };
            Some(format!("location <{}> is {kind}", Escaped(names.get(location))))
        })
        .collect();
    kinds.sort();
    lines.extend(kinds);
    lines
}

fn operation(trace: &Trace, id: OpId) -> String {
    let names = trace.names();
    let thread = trace.thread_of(id);
    let process = names.processes.get(trace.thread(thread).process);
    let mut line = format!(
        "{} of {}: {}",
        Escaped(names.threads.get(thread)),
        Escaped(process),
        spelled_op(trace, trace.op(id))
    );
    let mut add = |what: &str, text: String| {
        write!(line, " {what}={text}").expect("writing to memory cannot fail");
    };
    if let Some(event) = trace.event_of(id) {
        add("in", Escaped(names.events.get(event)).to_string());
    }
    if let Some(stack) = trace.stack_of(id) {
        add("under", spelled_stack(trace, stack));
    }
    for (what, text) in attributes(trace, trace.attributes(id)) {
        add(what, text);
    }
    line
}

fn attributes(trace: &Trace, attributes: Attributes) -> Vec<(&'static str, String)> {
    let text = |id| format!("<{}>", Escaped(trace.text(id)));
    let all = [
        ("at", attributes.at.map(|n| n.to_string())),
        ("id", attributes.source_id.map(|n| n.to_string())),
        ("value", attributes.value.map(text)),
        ("type", attributes.event_type.map(text)),
        ("name", attributes.event_name.map(text)),
        ("kind", attributes.provenance.map(|p| p.word().to_owned())),
        ("source", attributes.source.map(|source| spelled_source(trace, source))),
    ];
    all.into_iter().filter_map(|(what, text)| Some((what, text?))).collect()
}

fn spelled_source(trace: &Trace, source: trace::SourceId) -> String {
    let source = trace.source(source);
    format!(
        "<{}> line {} column {:?}",
        Escaped(trace.text(source.file)),
        source.line,
        source.column
    )
}

fn spelled_stack(trace: &Trace, stack: StackId) -> String {
    let frames = trace.stacks().frames(Some(stack)).map(|frame| {
        let function = Escaped(trace.names().functions.get(frame.function));
        let source = frame.source.map(|source| spelled_source(trace, source));
        format!("<{function} {source:?} {:?}>", frame.provenance)
    });
    frames.collect()
}

/// Spells an operation, with the data of its message or queue that depends on the whole trace.
fn spelled_op(trace: &Trace, op: Op) -> String {
    let n = trace.names();
    let event = |id| {
        let Event { enqueue, begin, end, queue } = trace.event(id);
        let queue = queue.map(|q| Escaped(n.queues.get(q)).to_string());
        let ops = [enqueue, begin, end].map(|op| op.map(Id::index));
        format!("message <{}> {ops:?} {queue:?}", Escaped(n.events.get(id)))
    };
    let queue = |id| {
        let owner = trace.queue(id).owner.map(|t| Escaped(n.threads.get(t)).to_string());
        format!("queue <{}> {:?} {owner:?}", Escaped(n.queues.get(id)), trace.queue(id).kind)
    };
    let kind = op.kind().word();
    let arguments = match op {
        Op::Init | Op::Exit | Op::Leave => String::new(),
        Op::Fork(x) | Op::Join(x) => Escaped(n.threads.get(x)).to_string(),
        Op::Notify(x) | Op::Wait(x) => Escaped(n.handles.get(x)).to_string(),
        Op::Lock(x) | Op::Unlock(x) => Escaped(n.locks.get(x)).to_string(),
        Op::Attach(x) | Op::Loop(x) => queue(x),
        Op::Enqueue(e) => format!(
            "{} {} {:?} async={} sync={}",
            event(e.event),
            queue(e.queue),
            e.posting,
            e.is_async,
            e.sync
        ),
        Op::EnqueueEnd(x) | Op::Remove(x) | Op::Begin(x) | Op::End(x) => event(x),
        Op::PostBarrier(b, q) => format!("{} {}", Escaped(n.barriers.get(b)), queue(q)),
        Op::RemoveBarrier(x) => Escaped(n.barriers.get(x)).to_string(),
        Op::Register(x) | Op::Unregister(x) => Escaped(n.callbacks.get(x)).to_string(),
        Op::Invoke { callback, sync } => {
            format!("{} sync={sync}", Escaped(n.callbacks.get(callback)))
        }
        Op::Enable(x) | Op::Trigger(x) => Escaped(n.environment.get(x)).to_string(),
        Op::Arc(from, to) => format!("{} {}", event(from), event(to)),
        Op::Read(x) | Op::Write(x) => Escaped(n.locations.get(x)).to_string(),
        Op::Enter(x) => Escaped(n.functions.get(x)).to_string(),
    };
    format!("{kind} {arguments}")
}
