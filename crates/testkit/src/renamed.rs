//! Simulates another recording of the same execution, with other object ids and other lines.

use trace::{Id, Names, Source, Trace, TraceBuilder};

/// The differences between two recordings. Different names must stay different.
pub struct Renaming<'a> {
    /// The name of a location.
    pub location: &'a dyn Fn(&[u8]) -> Vec<u8>,
    /// The name of a function.
    pub function: &'a dyn Fn(&[u8]) -> Vec<u8>,
    /// A line of a source file.
    pub line: &'a dyn Fn(u32) -> u32,
}

/// A copy of `trace` where `renaming` was applied. All ids but those of source positions stay.
pub fn renamed(trace: &Trace, renaming: &Renaming<'_>) -> Trace {
    let mut builder = TraceBuilder::new();
    *builder.names() = trace.names().clone();
    builder.names().locations = renamed_names(&trace.names().locations, renaming.location);
    builder.names().functions = renamed_names(&trace.names().functions, renaming.function);
    for location in trace.names().locations.ids() {
        if let Some(kind) = trace.location_kind(location) {
            builder.set_location_kind(location, kind);
        }
    }
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        builder.assign_process(thread, trace.thread(thread).process);
        let mut attributes = trace.attributes(op);
        attributes.source = attributes.source.map(|source| {
            let source = trace.source(source);
            builder.source(Source { line: (renaming.line)(source.line), ..source })
        });
        builder.push(thread, trace.op(op), attributes);
    }
    builder.finish().0
}

fn renamed_names<I: Id>(names: &Names<I>, rename: &dyn Fn(&[u8]) -> Vec<u8>) -> Names<I> {
    let mut renamed = Names::default();
    for id in names.ids() {
        assert_eq!(renamed.intern(&rename(names.get(id))), id, "different names stay different");
    }
    renamed
}
