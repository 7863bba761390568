//! Robustness of event-driven programs against concurrency (Bouajjani, Emmi, Enea, Ozkan,
//! Tasiran, ESOP 2017).
//!
//! A race is a symptom; robustness is the question whether concurrency can change what a program
//! does. A program is robust if running its tasks concurrently reaches no state that running them
//! one at a time does not reach. Two criteria together imply it (Theorems 1 to 3), and this crate
//! checks them:
//!
//! - *conflict-determinism*: within an event, no two conflicting accesses occur against the
//!   depth-first order in which the event's tasks are posted;
//! - *conflict-serializability*: the graph of conflicts between events is acyclic.
//!
//! Neither is necessary, so a violation is called by its own name and never "not robust".
//!
//! [`check()`] runs the whole analysis. Its parts, from text to verdict, are [`lang`] (text to
//! [`core`]), [`semantics`] (both transition systems), [`explore`](mod@explore) (brute force),
//! [`reduce`](mod@reduce) (to a sequential program), [`reach`] (reachability there), [`witness`]
//! (back to an interleaving). [`jvm`] checks real code with the help of a Java program. The crate does no I/O, with one exception: the feature `z3` runs the
//! solver.

#![allow(
    clippy::format_push_string,
    reason = "text is built from short pieces; `write!` to a string would only add an `expect`"
)]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "ranges, enumerations and tables have at most 65,536 values; elaboration checks it"
)]

mod check;
pub mod core;
pub mod explore;
pub mod jvm;
pub mod lang;
pub mod reach;
pub mod recorded;
pub mod reduce;
pub mod semantics;
mod verdict;
pub mod witness;

pub use check::{Engine, Options, check};
pub use verdict::{Report, Status, Verdict};

/// A correctness criterion of the paper's Section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Conflict-determinism, Definition 5.
    Determinism,
    /// Conflict-event serializability, Definition 4.
    Serializability,
}
