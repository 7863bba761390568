//! Scans logs as operations with dense ids, without building a trace in memory.
//!
//! Common lines ([`super::common`]) are gathered, and a separate loop converts their numbers to
//! ids. The loads from the tables in that loop do not depend on each other, so they overlap. In a
//! loop over lines, each would wait for memory. On a log of a million locations this halves the
//! time.

use memchr::memchr;
use trace::{Diagnostic, Diagnostics, Place, ThreadId};

use super::anomaly;
use super::common::{self, Common};
use super::ids::Ids;
use super::line::{self, Line, Operation, SKIPPED};
use crate::{Completeness, Extent, ReadError};

/// An operation of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread that the operation runs on.
    pub thread: ThreadId,
    /// The operation. It is never [`Operation::Skipped`].
    pub operation: Operation,
    /// The id of the target: a location, lock, thread or atomic block.
    pub target: u32,
}

/// The largest number of events that are passed on at a time.
const BATCH: usize = 128;

/// Scans the lines of a log, and keeps its names and anomalies.
pub struct Scanner {
    /// Threads.
    pub threads: Ids,
    /// Variables.
    pub locations: Ids,
    /// Locks.
    pub locks: Ids,
    /// Atomic blocks.
    pub blocks: Ids,
    /// How many lines were read.
    lines: u64,
    /// How many of the lines were operations.
    operations: u64,
    /// The common lines that were not passed on yet, and memory for their events.
    gathered: Vec<Common>,
    events: Vec<Event>,
    notes: Diagnostics,
    completeness: Completeness,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            threads: Ids::new(common::THREAD),
            locations: Ids::new(common::LOCATION),
            locks: Ids::new(common::LOCK),
            blocks: Ids::new(b'B'),
            lines: 0,
            operations: 0,
            gathered: Vec::with_capacity(BATCH),
            events: Vec::with_capacity(BATCH),
            notes: Diagnostics::default(),
            completeness: Completeness::whole(),
        }
    }
}

impl Scanner {
    /// How many operations were read.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// How many lines were read.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the anomalies of the log, and how much of it was read.
    pub fn finish(self) -> (Vec<Diagnostic>, Completeness) {
        let mut diagnostics = self.notes.finish();
        if self.completeness.extent() == Extent::Damaged {
            self.completeness.note_in(&mut diagnostics);
        }
        (diagnostics, self.completeness.with_operations(self.operations))
    }

    /// Reads whole lines. It passes the operations to `events` in order, in batches.
    pub fn scan(
        &mut self,
        lines: &[u8],
        events: &mut impl FnMut(&[Event]),
    ) -> Result<(), ReadError> {
        let mut rest = lines;
        while !rest.is_empty() {
            rest = self.gather(rest);
            self.hand_on(events)?;
            if self.gathered.len() == BATCH {
                continue;
            }
            let Some(end) = memchr(b'\n', rest) else { break };
            self.lines += 1;
            let line = &rest[..end];
            if !line::is_blank(line) {
                let line = line::parse(line).map_err(|error| error.on_line(self.lines))?;
                self.event(line, events)?;
            }
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// Gathers common lines until another line comes or the batch is full. Returns the remaining
    /// bytes.
    fn gather<'a>(&mut self, lines: &'a [u8]) -> &'a [u8] {
        let mut rest = lines;
        self.gathered.clear();
        while self.gathered.len() < BATCH
            && let Some(line) = rest.first_chunk().and_then(common::parse)
        {
            rest = &rest[line.len..];
            self.gathered.push(line);
        }
        rest
    }

    /// Converts the gathered lines to events, and passes them on.
    fn hand_on(&mut self, events: &mut impl FnMut(&[Event])) -> Result<(), ReadError> {
        let Self { threads, locations, locks, gathered, .. } = self;
        self.events.clear();
        self.events.extend(gathered.iter().map(|line| {
            let target = match line.operation {
                Operation::Read | Operation::Write => locations.numbered(line.target),
                _ => locks.numbered(line.target),
            };
            let thread = ThreadId(threads.numbered(line.thread));
            Event { thread, operation: line.operation, target }
        }));
        self.lines += self.events.len() as u64;
        self.count(self.events.len())?;
        events(&self.events);
        Ok(())
    }

    /// Reads the last line, which has no line feed and so may have been cut.
    pub(super) fn scan_last(
        &mut self,
        line: &[u8],
        events: &mut impl FnMut(&[Event]),
    ) -> Result<(), ReadError> {
        self.lines += 1;
        match line::parse(line) {
            _ if line::is_blank(line) => Ok(()),
            Ok(line) => {
                self.completeness = Completeness::unended_line(self.lines);
                self.event(line, events)
            }
            Err(error) => {
                self.completeness = Completeness::cut_line(&error.on_line(self.lines));
                Ok(())
            }
        }
    }

    fn event(
        &mut self,
        line: Line<'_>,
        events: &mut impl FnMut(&[Event]),
    ) -> Result<(), ReadError> {
        let targets = match line.operation {
            Operation::Read | Operation::Write => &mut self.locations,
            Operation::Acquire | Operation::Release => &mut self.locks,
            Operation::Fork | Operation::Join => &mut self.threads,
            Operation::Begin | Operation::End => &mut self.blocks,
            Operation::Skipped => {
                skipped(&mut self.notes, self.lines);
                return Ok(());
            }
        };
        let target = targets.named(line.target);
        let thread = ThreadId(self.threads.named(line.thread));
        self.count(1)?;
        events(&[Event { thread, operation: line.operation, target }]);
        Ok(())
    }

    /// Counts operations. It fails when their numbers do not fit 32 bits.
    fn count(&mut self, more: usize) -> Result<(), ReadError> {
        self.operations += more as u64;
        if self.operations < u64::from(u32::MAX) {
            return Ok(());
        }
        let place = Place::Line { line: self.lines, column: 1 };
        Err(ReadError::new(place, "too many operations", "fewer than 4294967295"))
    }
}

/// Reports a line whose operation neither orders nor accesses anything.
pub(super) fn skipped(notes: &mut Diagnostics, line: u64) {
    notes.report(&anomaly::SKIPPED_OPERATION, Place::Line { line, column: 1 }, || {
        format!("one of {}", SKIPPED.join(", "))
    });
}
