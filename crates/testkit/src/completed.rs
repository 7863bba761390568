//! Copies of a trace with more operations: the ends of events that it leaves open, times, and accesses.

use trace::{Attributes, EventId, Id, Op, OpId, Trace, TraceBuilder};

/// A copy of `trace` with the ends of the events that it leaves open, innermost first, after its last
/// operation. Engine `stream` ends these events with the trace. Operations, and all ids but those of
/// source positions, stay.
pub fn ended(trace: &Trace) -> Trace {
    copied(trace, &|_, at| at, &|_| false)
}

/// Like [`ended`], with a time for every operation, and a write of one more location after each operation
/// that `adds` selects.
pub fn timed(trace: &Trace, adds: &dyn Fn(OpId) -> bool) -> Trace {
    copied(trace, &|op, at| Some(at.unwrap_or(u64::from(op.0) * 1000)), adds)
}

fn copied(
    trace: &Trace,
    time: &dyn Fn(OpId, Option<u64>) -> Option<u64>,
    adds: &dyn Fn(OpId) -> bool,
) -> Trace {
    let mut builder = TraceBuilder::new();
    *builder.names() = trace.names().clone();
    if let Some(model) = trace.model() {
        builder.set_model(model);
    }
    let location = builder.names().locations.intern(b"added");
    for location in trace.names().locations.ids() {
        if let Some(kind) = trace.location_kind(location) {
            builder.set_location_kind(location, kind);
        }
    }
    let threads: Vec<_> = trace.names().threads.ids().collect();
    for &thread in &threads {
        builder.assign_process(thread, trace.thread(thread).process);
    }
    let mut open: Vec<Vec<EventId>> = vec![Vec::new(); threads.len()];
    for op in trace.ops() {
        let (thread, attributes) = (trace.thread_of(op), trace.attributes(op));
        let at = time(op, attributes.at);
        let source = attributes.source.map(|source| builder.source(trace.source(source)));
        builder.push(thread, trace.op(op), Attributes { at, source, ..attributes });
        let stack = &mut open[thread.index()];
        match trace.op(op) {
            Op::Begin(event) if trace.event(event).begin == Some(op) => stack.push(event),
            Op::End(event) if trace.event(event).end == Some(op) => {
                stack.retain(|&other| other != event);
            }
            _ => {}
        }
        if adds(op) {
            builder.push(thread, Op::Write(location), Attributes { at, ..Attributes::default() });
        }
    }
    for thread in threads {
        while let Some(event) = open[thread.index()].pop() {
            builder.push(thread, Op::End(event), Attributes::default());
        }
    }
    builder.finish().0
}
