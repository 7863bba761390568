//! The destination of operations read from the notation, and reading it line by line.

use trace::{
    Attributes, Diagnostics, LocationId, LocationKind, NameTables, Op, Source, SourceId, ThreadId,
    TraceBuilder,
};

use super::cursor::Cursor;
use super::header::Header;
use super::reader::Reader;
use crate::ReadError;
use crate::native::Named;

/// A destination of names, positions and operations as they are read.
pub trait Sink {
    /// The tables that names are interned in.
    fn names(&mut self) -> &mut NameTables;
    /// Interns a name of the text. A sink may change its spelling, depending on the kind of thing
    /// that it names ([`Named::TABLE`]).
    fn intern<I: Named>(&mut self, name: &[u8]) -> I {
        I::table(self.names()).intern(name)
    }
    /// Interns a source position.
    fn source(&mut self, source: Source) -> SourceId;
    /// Appends an operation.
    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes);
    /// Declares the kind of a location.
    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind);
}

impl Sink for TraceBuilder {
    fn names(&mut self) -> &mut NameTables {
        self.names()
    }

    fn source(&mut self, source: Source) -> SourceId {
        self.source(source)
    }

    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) {
        self.push(thread, op, attributes);
    }

    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) {
        self.set_location_kind(at, kind);
    }
}

impl<S: Sink> Sink for &mut S {
    fn names(&mut self) -> &mut NameTables {
        (**self).names()
    }

    fn intern<I: Named>(&mut self, name: &[u8]) -> I {
        (**self).intern(name)
    }

    fn source(&mut self, source: Source) -> SourceId {
        (**self).source(source)
    }

    fn push(&mut self, thread: ThreadId, op: Op, attributes: Attributes) {
        (**self).push(thread, op, attributes);
    }

    fn set_location_kind(&mut self, at: LocationId, kind: LocationKind) {
        (**self).set_location_kind(at, kind);
    }
}

/// Reads one line of a trace whose first line and header are known. The line has no word for its
/// thread: it is an operation of `thread`, or `location NAME kind=KIND`. A line without words is
/// ignored.
///
/// After an error, names that were interned stay interned, but no operation is pushed.
pub fn read_line<S: Sink>(
    line: &[u8],
    thread: ThreadId,
    sink: &mut S,
    notes: &mut Diagnostics,
) -> Result<(), ReadError> {
    let mut reader = Reader {
        cursor: Cursor::new(line),
        builder: sink,
        notes: std::mem::take(notes),
        header: Header::default(),
        scratch: Vec::new(),
    };
    let result = reader.line_of(thread);
    *notes = reader.notes;
    result
}
