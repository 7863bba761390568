//! Operations as a reader returns them: the few that can order others as rows, the many accesses as
//! columns.

use std::ops::Range;

use trace::{Attributes, EventId, LocationId, Op, SourceId, StackId, TextId, ThreadId};

/// One operation of the sync skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncRow {
    /// The operation's number in the trace.
    pub number: u64,
    /// The thread that the operation runs on.
    pub thread: ThreadId,
    /// The event that the operation runs in. A begin and an end run in their own event.
    pub event: Option<EventId>,
    /// The operation. It is never an access, an enter or a leave.
    pub op: Op,
    /// The operation's attributes.
    pub attributes: Attributes,
}

/// A column that takes no memory while no row has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column<T> {
    rows: Vec<Option<T>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    /// The value of `row`, if it has one.
    pub fn get(&self, row: usize) -> Option<T> {
        self.rows.get(row).copied().flatten()
    }

    /// Whether no row has a value.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether every value in the column satisfies `holds`.
    pub(crate) fn all(&self, holds: impl Fn(T) -> bool) -> bool {
        self.rows.iter().flatten().all(|&value| holds(value))
    }

    fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
    }

    /// Sets the value of `row`, which must be after all rows with a value. The column will have
    /// about `expected` rows.
    pub(crate) fn set(&mut self, row: usize, value: Option<T>, expected: usize) {
        if value.is_some() {
            if self.rows.is_empty() {
                self.rows.reserve(expected);
            }
            self.rows.resize(row, None);
            self.rows.push(value);
        }
    }
}

/// Accesses as columns. Row `i` of every column belongs to the same access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// The locations that are accessed.
    pub locations: Vec<LocationId>,
    /// Whether each access is a write.
    pub writes: Vec<bool>,
    /// The values read or written.
    pub values: Column<TextId>,
    /// The source positions.
    pub sources: Column<SourceId>,
    /// The times, in nanoseconds since the start of the recording.
    pub at: Column<u64>,
    /// The ids in the original log.
    pub source_ids: Column<u64>,
    /// The number of accesses of its run before each access. Empty if no access is left out, or if
    /// the reader did not ask for it.
    pub(crate) offsets: Vec<u32>,
}

impl Accesses {
    /// The number of accesses.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether there are no accesses.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The number in the trace of the access at `row`, which belongs to `run`.
    pub fn number(&self, run: &Run, row: usize) -> u64 {
        let offset = self.offsets.get(row).map_or(row - run.start as usize, |&at| at as usize);
        run.first + offset as u64
    }

    /// Reserves memory for `rows` more accesses.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.locations.reserve(rows);
        self.writes.reserve(rows);
    }

    /// The attributes of the access at `row`.
    pub fn attributes(&self, row: usize) -> Attributes {
        Attributes {
            at: self.at.get(row),
            value: self.values.get(row),
            source: self.sources.get(row),
            source_id: self.source_ids.get(row),
            ..Attributes::default()
        }
    }

    /// Whether no access has attributes.
    pub fn are_plain(&self) -> bool {
        self.at.is_empty()
            && self.values.is_empty()
            && self.sources.is_empty()
            && self.source_ids.is_empty()
    }

    /// Truncates the columns to the first `len` accesses.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.locations.truncate(len);
        self.writes.truncate(len);
        self.values.truncate(len);
        self.sources.truncate(len);
        self.at.truncate(len);
        self.source_ids.truncate(len);
        self.offsets.truncate(len);
    }

    /// Sets the attributes of the access that is pushed next.
    pub(crate) fn set_attributes(&mut self, attributes: &Attributes) {
        let (row, expected) = (self.len(), self.locations.capacity());
        self.at.set(row, attributes.at, expected);
        self.values.set(row, attributes.value, expected);
        self.sources.set(row, attributes.source, expected);
        self.source_ids.set(row, attributes.source_id, expected);
    }

    /// Sets the source position of the access at `row`, which is pushed later.
    pub(crate) fn set_source(&mut self, row: usize, source: SourceId) {
        self.sources.set(row, Some(source), self.locations.capacity());
    }

    /// Appends an access with the attributes that were set for it, if any.
    #[inline]
    pub(crate) fn push(&mut self, (location, write): (LocationId, bool)) {
        self.locations.push(location);
        self.writes.push(write);
    }
}

/// Accesses with consecutive numbers, on one thread, in one event, under one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the first access in the trace.
    pub first: u64,
    /// The thread that the accesses run on.
    pub thread: ThreadId,
    /// The event that the accesses run in.
    pub event: Option<EventId>,
    /// The call stack of the accesses.
    pub stack: Option<StackId>,
    /// The number of accesses, at least one.
    pub len: u32,
    /// The row in [`Accesses`] of the first access that is kept.
    pub start: u32,
    /// The number of accesses that are kept: all, unless the reader asks for few.
    pub kept: u32,
}

/// The number of accesses of some runs, kept or not.
pub(crate) fn accesses_of(runs: &[Run]) -> u64 {
    runs.iter().map(|run| u64::from(run.len)).sum()
}

impl Run {
    /// The rows in [`Accesses`] of the accesses that are kept.
    pub fn rows(&self) -> Range<usize> {
        self.start as usize..(self.start + self.kept) as usize
    }
}

/// A function entered or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A function is entered. The stack has the function's frame on top.
    Enter(StackId),
    /// A function is left.
    Leave,
}

/// A function entered or left by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The operation's number in the trace.
    pub number: u64,
    /// The thread that the operation runs on.
    pub thread: ThreadId,
    /// Whether a function is entered or left.
    pub call: Call,
    /// The operation's attributes. The position and provenance of an enter are those of its frame.
    pub attributes: Attributes,
}
