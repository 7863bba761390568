//! What an analysis tells while it is under way. It knows no clock: whoever watches keeps the time.

use order::{GraphStats, Rule};

/// How far an analysis has come.
#[derive(Clone, Copy, Debug)]
pub enum Milestone<'a> {
    /// Happens-before is about to be closed.
    Closing {
        /// Over so many operations, accesses and calls not counted.
        operations: usize,
        /// In about so many bytes.
        bytes: usize,
    },
    /// Happens-before is closed.
    Closed {
        /// What it took, where the engine tells.
        stats: Option<GraphStats>,
        /// How often each rule told something new.
        counters: &'a [(&'static Rule, usize)],
    },
    /// So many operations were streamed against it.
    Passed(u64),
    /// All operations were.
    Streamed {
        /// How many there are.
        operations: u64,
        /// Locations with a race.
        suspects: usize,
    },
    /// So many races were found.
    Detected(usize),
    /// They are labelled, grouped and ranked.
    Judged,
}

/// Hears of milestones.
pub type Watch<'a> = &'a dyn Fn(Milestone<'_>);
