//! Finds races of Android applications as `DroidRacer`, the tool of the PLDI 2014 paper, does.
//!
//! ```text
//! abc_log ──parse──▶ AbcLog ──env::model──▶ Base ──closure──▶ Relation ──▶ Races ──▶ Trailer
//! ```
//!
//! [`log`] reads the tool's log, and [`mod@env`] models Android. [`base`] and [`memory`] hold the
//! resulting execution. [`closure`] computes the relation, [`races`] and [`classes`] find and
//! classify races, [`counters`] computes the tool's counters, and [`trailer`] prints the tool's
//! output. From [`base`] to [`classes`] nothing depends on how an execution was logged: [`generic`]
//! builds a base from any trace. [`mod@import`] converts a log to a trace, and [`execution`] maps a
//! base to its trace.
//!
//! The crate uses no I/O, no clock and no hash order: the same bytes give the same result. Only
//! reading can fail.

pub mod base;
pub mod classes;
pub mod closure;
pub mod codes;
pub mod counters;
pub mod env;
pub mod execution;
pub mod generic;
pub mod import;
pub mod log;
pub mod memory;
pub mod races;
pub mod rules;
pub mod trailer;

use trace::Diagnostic;

use base::Base;
use closure::Relation;
use counters::{Counters, TableSizes};
use log::{AbcLog, Sink};
use memory::Memory;
use races::Races;
use rules::RuleSet;

/// The result of the analysis of a log.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Operations, tasks and base edges.
    pub base: Base,
    /// The relation.
    pub relation: Relation,
    /// Locations and accesses.
    pub memory: Memory,
    /// The races.
    pub races: Races,
    /// The tool's counters.
    pub counters: Counters,
    /// The sizes of the tool's tables.
    pub sizes: TableSizes,
}

/// Analyses `log` under `rules`.
///
/// Memory grows with the square of the operations in the graph, and time at worst with their cube.
/// [`log::MAX_OPERATIONS`] bounds both.
pub fn analyse(log: &AbcLog, rules: RuleSet) -> (Analysis, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let base = env::model(log, rules, &mut sink);
    let relation = closure::close(&base);
    let memory = env::memory(log, &base);
    let races = races::detect(&base, &relation, &memory, &log.names);
    let counters = Counters::new(log, &base, &memory, &races);
    let sizes = TableSizes::new(log, &base);
    (Analysis { base, relation, memory, races, counters, sizes }, sink.finish())
}
