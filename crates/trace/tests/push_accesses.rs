//! Pushing accesses in stretches gives the same trace as pushing them one by one.

use trace::{Attributes, Diagnostic, LocationId, Op, Trace, TraceBuilder};

const ACCESSES: [(u32, bool); 4] = [(0, true), (1, false), (1, true), (0, false)];

/// A trace of a thread that accesses locations before and in an event, in a function, and after its
/// exit.
fn built(in_stretches: bool) -> (Trace, Vec<Diagnostic>) {
    let mut builder = TraceBuilder::new();
    let thread = builder.names().threads.intern(b"t");
    let event = builder.names().events.intern(b"m");
    let function = builder.names().functions.intern(b"f");
    builder.names().locations.intern(b"x");
    builder.names().locations.intern(b"y");
    let none = Attributes::default();
    let between = [None, Some(Op::Begin(event)), Some(Op::Enter(function)), Some(Op::Exit)];
    for op in between {
        if let Some(op) = op {
            builder.push(thread, op, Attributes { source_id: Some(7), ..none });
        }
        let accesses = ACCESSES.map(|(location, write)| (LocationId(location), write));
        if in_stretches {
            builder.push_accesses(thread, accesses.into_iter());
            builder.push_accesses(thread, std::iter::empty());
        } else {
            for (location, write) in accesses {
                let op = if write { Op::Write(location) } else { Op::Read(location) };
                builder.push(thread, op, none);
            }
        }
    }
    builder.finish()
}

#[test]
fn both_ways_give_the_same_trace() {
    let (one_by_one, expected) = built(false);
    let (in_stretches, found) = built(true);
    assert_eq!(found, expected);
    assert_eq!(in_stretches.accesses(), one_by_one.accesses());
    assert_eq!(in_stretches.len(), one_by_one.len());
    for op in one_by_one.ops() {
        assert_eq!(in_stretches.op(op), one_by_one.op(op));
        assert_eq!(in_stretches.thread_of(op), one_by_one.thread_of(op));
        assert_eq!(in_stretches.event_of(op), one_by_one.event_of(op));
        assert_eq!(in_stretches.stack_of(op), one_by_one.stack_of(op));
        assert_eq!(in_stretches.attributes(op), one_by_one.attributes(op));
    }
}
