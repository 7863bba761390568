//! Reachability in sequential programs: can the program end with its error flag set?
//!
//! [`summaries`] enumerates states with procedure summaries; [`symbolic`] works on sets of states
//! as decision diagrams; [`horn`] writes constrained Horn clauses. All answer about the same
//! [`Sequential`](crate::reduce::Sequential) program.

pub mod horn;
mod layout;
pub mod summaries;
pub mod symbolic;

use crate::core::Mark;

/// A run of a sequential program that sets the error flag, in terms of the source map.
pub type Path = Vec<Event>;

/// One event on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A marked statement was executed; a decision carries its value.
    Mark(Mark, i64),
    /// The call that the last open [`Mark::Task`] or [`Mark::Instance`] entered is over.
    Leave,
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No run sets the error flag.
    Unreachable {
        /// The amount of work, in the engine's own unit.
        work: usize,
    },
    /// This run sets the error flag.
    Reachable(Path),
    /// The engine cannot decide, for this reason.
    Unknown(String),
}
