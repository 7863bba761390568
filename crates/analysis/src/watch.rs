//! The milestones of an analysis, by which a caller follows and stops it.
//!
//! An analysis has no clock and handles no signal: its caller measures time, and stops the analysis
//! by its answer to a milestone. Reading a pipe, reading a log and passing over a native file stop
//! within one buffer. Closing happens-before, detecting and judging stop only when they are done.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use order::{GraphStats, Rule};
use races::stream::Found;
use races::{Class, Races};
use trace::{NameTables, Trace};

use crate::error::Error;

/// A point that an analysis has reached.
#[derive(Clone, Copy)]
pub enum Milestone<'a> {
    /// The pass has read this many bytes.
    Read(u64),
    /// Happens-before is about to be closed.
    Closing {
        /// The number of operations, without accesses and calls.
        operations: usize,
        /// The approximate number of bytes that closing takes.
        bytes: usize,
        /// One past the largest number of these operations.
        end: u64,
    },
    /// Happens-before is closed.
    Closed {
        /// The statistics of the closure, if the engine provides them.
        stats: Option<GraphStats>,
        /// The number of new conclusions of each rule.
        counters: &'a [(&'static Rule, usize)],
    },
    /// The pass over the accesses has compared this many operations with happens-before.
    Passed(u64),
    /// The pass over the accesses is done.
    FoundSuspects {
        /// The number of operations.
        operations: u64,
        /// The number of locations with a race.
        suspects: usize,
    },
    /// Engine `stream` was chosen, because closing happens-before would not fit into memory.
    Streaming {
        /// The approximate number of bytes that closing would take.
        needed: usize,
        /// The number of bytes that may be used.
        free: usize,
    },
    /// Engine `stream` has read another stretch of the input.
    Streamed(StreamState),
    /// Engine `stream` found a race whose verdict is final.
    Race(&'a LiveRace<'a>),
    /// The races are found.
    Detected {
        /// The trace that contains the accesses of the races.
        trace: &'a Trace,
        /// The races, which are not judged yet.
        races: &'a Races,
    },
    /// The races are labelled, grouped and ranked.
    Judged,
}

/// The size of a pass of engine `stream`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamState {
    /// The operations read so far.
    pub operations: u64,
    /// The events that are kept.
    pub events: usize,
    /// The chains that tasks lie on.
    pub chains: usize,
    /// The approximate number of bytes of clocks and frontiers.
    pub bytes: usize,
    /// The races found so far.
    pub races: u64,
}

/// A race that is found while the input is read.
pub struct LiveRace<'a> {
    /// The two accesses.
    pub found: &'a Found,
    /// Why they could run in either order.
    pub class: Class,
    /// The names that the accesses mention.
    pub names: &'a NameTables,
}

/// A function that receives milestones. The analysis stops at a milestone for which it returns
/// [`ControlFlow::Break`].
pub type Watch<'a> = &'a dyn Fn(Milestone<'_>) -> ControlFlow<()>;

/// A watch, with the information whether it stopped the analysis.
pub(crate) struct Watcher<'a> {
    watch: Watch<'a>,
    stopped: Cell<bool>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(watch: Watch<'a>) -> Self {
        Self { watch, stopped: Cell::new(false) }
    }

    /// Passes a milestone to the watch, and fails if the analysis must stop.
    pub(crate) fn reach(&self, milestone: Milestone<'_>) -> Result<(), Error> {
        if !self.stopped.get() && (self.watch)(milestone).is_break() {
            self.stopped.set(true);
        }
        if self.stopped.get() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Passes a race to the watch.
    pub(crate) fn tell(&self, race: &LiveRace<'_>) {
        // A stop takes effect at the next milestone.
        let _ = self.reach(Milestone::Race(race));
    }

    /// Wraps a source so that reading it fails when the analysis must stop. See
    /// [`Self::unless_stopped`].
    pub(crate) fn reading<R>(&self, source: R) -> Watched<'_, 'a, R> {
        Watched { source, watcher: self, read: 0 }
    }

    /// Returns the result of reading a source of [`Self::reading`], or [`Error::Stopped`] if the
    /// watch stopped it: the reader may have failed for that reason, or have treated the stop as
    /// damage.
    pub(crate) fn unless_stopped<T>(&self, read: Result<T, impl Into<Error>>) -> Result<T, Error> {
        if self.stopped.get() { Err(Error::Stopped) } else { read.map_err(Into::into) }
    }
}

/// A source whose reads are milestones.
pub(crate) struct Watched<'w, 'a, R> {
    source: R,
    watcher: &'w Watcher<'a>,
    read: u64,
}

impl<R: Read> Read for Watched<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.read += read as u64;
        match self.watcher.reach(Milestone::Read(self.read)) {
            Ok(()) => Ok(read),
            Err(_) => Err(io::Error::other("the analysis was stopped")),
        }
    }
}

impl<R: Seek> Seek for Watched<'_, '_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}
