//! Races of Android applications as `DroidRacer`, the tool of the PLDI 2014 paper, finds them.
//!
//! ```text
//! abc_log ──parse──▶ AbcLog ──env::model──▶ Base ──closure──▶ Relation ──▶ Races ──▶ Trailer
//! ```
//!
//! [`log`] reads the tool's log, [`mod@env`] models Android, [`base`] and [`memory`] are what is left
//! of an execution once that is done, [`closure`] is the relation, [`races`] and [`classes`] what
//! is found, [`report`] what the tool counts, [`trailer`] what it prints. From [`base`] to
//! [`classes`] nothing knows how an execution was logged: [`generic`] makes a base of any trace.
//! [`mod@import`] goes the other way, from a log to a trace, and [`execution`] ties a base to the
//! trace it belongs to.
//!
//! No I/O, no clock, no hash order: the same bytes give the same report. Only reading can fail.

pub mod base;
pub mod classes;
pub mod closure;
pub mod codes;
pub mod env;
pub mod execution;
pub mod generic;
pub mod import;
pub mod log;
pub mod memory;
pub mod races;
pub mod report;
pub mod rules;
pub mod trailer;

use trace::Diagnostic;

use base::Base;
use closure::Relation;
use log::{AbcLog, Sink};
use memory::Memory;
use races::Races;
use report::{Counters, TableSizes};
use rules::RuleSet;

/// What is known of a log once it has been analysed.
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
/// Memory grows with the square of the operations in the graph and time, at worst, with their cube;
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
