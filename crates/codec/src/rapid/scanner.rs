//! Logs as events with dense ids, without a trace in memory.
//!
//! Common lines ([`super::common`]) are gathered, and their numbers become ids in a loop of its own:
//! the loads from the tables do not depend on each other and overlap, where one by one each would
//! wait for memory. On a log of a million locations that halves the time.

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
    /// Who does it.
    pub thread: ThreadId,
    /// What is done; never [`Operation::Skipped`].
    pub operation: Operation,
    /// The id of what it is done to: a location, lock, thread or atomic block.
    pub target: u32,
}

/// How many events are handed on at a time, at most.
const BATCH: usize = 128;

/// Reads lines; knows the names and what was odd.
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
    /// How many of them were operations.
    operations: u64,
    /// Common lines not handed on yet, and room for their events.
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

    /// What was odd about the log, and how much of it was read.
    pub fn finish(self) -> (Vec<Diagnostic>, Completeness) {
        let mut diagnostics = self.notes.finish();
        if self.completeness.extent() == Extent::Damaged {
            self.completeness.note_in(&mut diagnostics);
        }
        (diagnostics, self.completeness.with_operations(self.operations))
    }

    /// Reads whole lines; `events` gets the operations, some at a time and in order.
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

    /// Gathers common lines until there is another or they are a batch; returns what is left.
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

    /// Gives ids to the lines gathered, and hands them on.
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

    /// Reads the last line, which lacks its line feed and so may be cut.
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

    /// Counts operations; they are numbered with 32 bits.
    fn count(&mut self, more: usize) -> Result<(), ReadError> {
        self.operations += more as u64;
        if self.operations < u64::from(u32::MAX) {
            return Ok(());
        }
        let place = Place::Line { line: self.lines, column: 1 };
        Err(ReadError::new(place, "too many operations", "fewer than 4294967295"))
    }
}

/// Notes a line that orders and accesses nothing.
pub(super) fn skipped(notes: &mut Diagnostics, line: u64) {
    notes.report(&anomaly::SKIPPED_OPERATION, Place::Line { line, column: 1 }, || {
        format!("one of {}", SKIPPED.join(", "))
    });
}
