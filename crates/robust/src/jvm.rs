//! Both criteria for real code on the JVM, under a driver class.
//!
//! A Java program (`robust/jvm`) instruments the code and explores the runs of the sequential
//! reduction: it executes the code itself, again and again, with tasks stopped at chosen accesses.
//! [`Session`] is the other end of its messages, and decides what is reported:
//!
//! 1. The Java program sends a run that may violate a criterion: its operations in depth-first
//!    order, and the pivot, which was left out.
//! 2. `needed` selects the operations that the violation depends on, and `schedule` searches an
//!    interleaving of them: the main thread runs one task at a time, monitors exclude each other,
//!    the driver's `after` holds, and conflicting accesses keep their order.
//! 3. The definitions ([`crate::semantics::definitions`]) must find the violation in the
//!    interleaving. Then the Java program executes it on threads and sends what happened.
//! 4. What happened must show the violation again, by the definitions, and by those for recorded
//!    traces ([`crate::recorded`]). Only then it is reported.
//!
//! The module does no I/O: lines come in, and replies go out.

mod message;
mod needed;
mod recording;
mod report;
mod run;
mod schedule;
mod session;

pub use report::Report;
pub use session::{Reply, Session};

/// An event of the driver.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Event {
    /// The name of the event in reports.
    pub name: String,
    /// The events, by position, that must have started before.
    pub start: Vec<usize>,
    /// The events, by position, that must have ended before.
    pub end: Vec<usize>,
}

/// How much the exploration did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Statistics {
    /// Whether every run was explored, up to equivalence.
    pub complete: bool,
    /// The number of runs.
    pub runs: u64,
    /// The number of different orders of events among the runs.
    pub orders: u64,
    /// The runs that correspond to no interleaving, because of the main thread.
    pub infeasible: u64,
    /// The candidates for which there is no interleaving.
    pub spurious: u64,
    /// The candidates that a shorter interleaving stands for.
    pub longer: u64,
    /// The number of choices that were made.
    pub choices: u64,
    /// The largest number of stopped tasks for which all runs were explored.
    pub bound: u64,
    /// The number of accesses of the longest run.
    pub accesses: u64,
    /// The number of instrumented classes.
    pub classes: u64,
    /// The number of instrumented methods.
    pub methods: u64,
    /// The number of instrumented instructions.
    pub instructions: u64,
    /// The number of places in the code that access shared memory.
    pub sites: u64,
    /// Whether each run had a class loader of its own.
    pub fresh: bool,
}
