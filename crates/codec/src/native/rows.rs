//! Operations as a reader hands them out: the few that order as rows, the many accesses as columns.

use std::ops::Range;

use trace::{Attributes, EventId, LocationId, Op, SourceId, StackId, TextId, ThreadId};

/// One operation of the sync skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncRow {
    /// Its number in the trace.
    pub number: u64,
    /// The thread it runs on.
    pub thread: ThreadId,
    /// The event it runs in; a begin and an end run in their own.
    pub event: Option<EventId>,
    /// The operation; never an access, an enter or a leave.
    pub op: Op,
    /// What it carries.
    pub attributes: Attributes,
}

/// A column that costs nothing while no row has a value.
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

    /// Whether every value there is satisfies `holds`.
    pub(crate) fn all(&self, holds: impl Fn(T) -> bool) -> bool {
        self.rows.iter().flatten().all(|&value| holds(value))
    }

    fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
    }

    /// Sets the value of `row`, behind all that have one; about `expected` rows are to come in all.
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

/// Accesses as columns; row `i` of each speaks of the same access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// What is accessed.
    pub locations: Vec<LocationId>,
    /// Whether it is written.
    pub writes: Vec<bool>,
    /// The value read or written.
    pub values: Column<TextId>,
    /// Where in the source.
    pub sources: Column<SourceId>,
    /// Nanoseconds since the start.
    pub at: Column<u64>,
    /// The id in the original log.
    pub source_ids: Column<u64>,
    /// How many accesses of its run stand before it; empty where none of them is left out, or nobody
    /// asked.
    pub(crate) offsets: Vec<u32>,
}

impl Accesses {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The number in the trace of access `row`, which is one of `run`.
    pub(crate) fn number(&self, run: &Run, row: usize) -> u64 {
        let offset = self.offsets.get(row).map_or(row - run.start as usize, |&at| at as usize);
        run.first + offset as u64
    }

    /// Makes room for so many more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.locations.reserve(rows);
        self.writes.reserve(rows);
    }

    /// What access `row` carries besides its location.
    pub fn attributes(&self, row: usize) -> Attributes {
        Attributes {
            at: self.at.get(row),
            value: self.values.get(row),
            source: self.sources.get(row),
            source_id: self.source_ids.get(row),
            ..Attributes::default()
        }
    }

    /// Whether no access carries anything besides its location.
    pub fn are_plain(&self) -> bool {
        self.at.is_empty()
            && self.values.is_empty()
            && self.sources.is_empty()
            && self.source_ids.is_empty()
    }

    /// Drops what lies behind the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.locations.truncate(len);
        self.writes.truncate(len);
        self.values.truncate(len);
        self.sources.truncate(len);
        self.at.truncate(len);
        self.source_ids.truncate(len);
        self.offsets.truncate(len);
    }

    /// Sets what the access that is pushed next carries.
    pub(crate) fn set_attributes(&mut self, attributes: &Attributes) {
        let (row, expected) = (self.len(), self.locations.capacity());
        self.at.set(row, attributes.at, expected);
        self.values.set(row, attributes.value, expected);
        self.sources.set(row, attributes.source, expected);
        self.source_ids.set(row, attributes.source_id, expected);
    }

    /// Sets where access `row` stands, which is pushed later.
    pub(crate) fn set_source(&mut self, row: usize, source: SourceId) {
        self.sources.set(row, Some(source), self.locations.capacity());
    }

    /// Appends an access that carries nothing, or what was set.
    #[inline]
    pub(crate) fn push(&mut self, (location, write): (LocationId, bool)) {
        self.locations.push(location);
        self.writes.push(write);
    }
}

/// Accesses with consecutive numbers, on one thread, in one event, under one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the first in the trace.
    pub first: u64,
    /// The thread they run on.
    pub thread: ThreadId,
    /// The event they run in.
    pub event: Option<EventId>,
    /// The stack they run under.
    pub stack: Option<StackId>,
    /// How many there are; at least one.
    pub len: u32,
    /// The row in [`Accesses`] of the first that is handed out.
    pub start: u32,
    /// How many are handed out: all, unless the reader wants few.
    pub kept: u32,
}

/// How many accesses runs have, handed out or not.
pub(crate) fn accesses_of(runs: &[Run]) -> u64 {
    runs.iter().map(|run| u64::from(run.len)).sum()
}

impl Run {
    /// The rows in [`Accesses`] of those that are handed out.
    pub fn rows(&self) -> Range<usize> {
        self.start as usize..(self.start + self.kept) as usize
    }
}

/// A function entered or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Entered; the stack with its frame on top.
    Enter(StackId),
    /// Left.
    Leave,
}

/// A function entered or left by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// Its number in the trace.
    pub number: u64,
    /// The thread.
    pub thread: ThreadId,
    /// Which it is.
    pub call: Call,
    /// What it carries; an entered function's position and provenance are its frame's.
    pub attributes: Attributes,
}
