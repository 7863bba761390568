//! What an analysis reports while it is under way, and how it is stopped.
//!
//! An analysis knows no clock and no signal: its caller keeps the time, and stops it by what it
//! answers to a milestone. Reading a pipe, reading a log and streaming a native file stop within one
//! buffer; closing happens-before, detecting and judging stop when they are done.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use order::{GraphStats, Rule};
use races::Races;
use trace::Trace;

use crate::error::Error;

/// How far an analysis has come.
#[derive(Clone, Copy)]
pub enum Milestone<'a> {
    /// So many bytes were read in this pass.
    Read(u64),
    /// Happens-before is about to be closed.
    Closing {
        /// Over so many operations, accesses and calls not counted.
        operations: usize,
        /// In about so many bytes.
        bytes: usize,
        /// One past the largest number of these operations.
        end: u64,
    },
    /// Happens-before is closed.
    Closed {
        /// What it took, where the engine states that.
        stats: Option<GraphStats>,
        /// How often each rule concluded something new.
        counters: &'a [(&'static Rule, usize)],
    },
    /// So many operations were streamed against it.
    Passed(u64),
    /// All operations were streamed against it.
    Streamed {
        /// How many there are.
        operations: u64,
        /// Locations with a race.
        suspects: usize,
    },
    /// The races are found.
    Detected {
        /// The trace that holds their accesses.
        trace: &'a Trace,
        /// The races, not judged yet.
        races: &'a Races,
    },
    /// They are labelled, grouped and ranked.
    Judged,
}

/// Receives milestones. The analysis stops at a milestone that is answered with
/// [`ControlFlow::Break`].
pub type Watch<'a> = &'a dyn Fn(Milestone<'_>) -> ControlFlow<()>;

/// A watch, and whether it stopped the analysis.
pub(crate) struct Watcher<'a> {
    watch: Watch<'a>,
    stopped: Cell<bool>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(watch: Watch<'a>) -> Self {
        Self { watch, stopped: Cell::new(false) }
    }

    /// Passes a milestone on, and fails if the analysis is to stop.
    pub(crate) fn reach(&self, milestone: Milestone<'_>) -> Result<(), Error> {
        if !self.stopped.get() && (self.watch)(milestone).is_break() {
            self.stopped.set(true);
        }
        if self.stopped.get() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// A source that ends with an error when the analysis is to stop. See
    /// [`Self::unless_stopped`].
    pub(crate) fn reading<R>(&self, source: R) -> Watched<'_, 'a, R> {
        Watched { source, watcher: self, read: 0 }
    }

    /// What a reader of a source of [`Self::reading`] gave. It may have failed because the source was
    /// stopped, or have taken the stop for damage.
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
