//! Counts the content of a trace.

use std::collections::BTreeMap;
use std::fmt;

use codec::Extent;
use serde::Serialize;
use trace::{Census, Diagnostic};

use crate::input::InputEntry;
use crate::name::text;

/// Counts over one trace.
#[derive(Debug, Default, Serialize)]
pub struct Stats {
    /// The format from which the trace was read.
    pub format: &'static str,
    /// How much of the input was read.
    pub input: InputEntry,
    /// The numbers of operations, by kind.
    pub operations: BTreeMap<&'static str, usize>,
    /// The number of all operations.
    pub operations_total: usize,
    /// The number of messages, whether posted or dispatched.
    pub messages: usize,
    /// The number of messages that were dispatched.
    pub events: usize,
    /// The numbers of enqueues, by how they ask to be dispatched.
    pub postings: BTreeMap<&'static str, usize>,
    /// The number of threads.
    pub threads: usize,
    /// The number of processes.
    pub processes: usize,
    /// The numbers of queues, by kind.
    pub queues: BTreeMap<&'static str, usize>,
    /// The number of locations.
    pub locations: usize,
    /// The numbers of locations with a declared kind, by kind.
    pub location_kinds: BTreeMap<String, usize>,
    /// The number of reads and writes.
    pub accesses: usize,
    /// The model that the trace names.
    pub model: Option<String>,
    /// The time from the first timestamp to the last, in nanoseconds.
    pub duration_ns: Option<u64>,
    /// The numbers of diagnostics, by code.
    pub diagnostics: BTreeMap<&'static str, usize>,
}

impl Stats {
    /// Returns the counts of a trace, with the number of its anomalies by code.
    pub fn new(
        census: &Census,
        diagnostics: &[Diagnostic],
        input: InputEntry,
        format: &'static str,
    ) -> Self {
        let mut stats = Self {
            format,
            input,
            operations: census.operations().map(|(kind, count)| (kind.word(), count)).collect(),
            operations_total: census.total(),
            messages: census.messages,
            events: census.events,
            postings: census.postings.clone(),
            threads: census.threads,
            processes: census.processes,
            locations: census.locations,
            accesses: census.accesses(),
            model: census.model.as_deref().map(text),
            duration_ns: census.duration(),
            ..Self::default()
        };
        for (kind, count) in
            [("looper", census.loopers), ("binder", census.binders), ("pool", census.pools)]
        {
            if count > 0 {
                stats.queues.insert(kind, count);
            }
        }
        for (kind, count) in &census.location_kinds {
            // Long names are equal once they are truncated.
            *stats.location_kinds.entry(text(kind)).or_default() += count;
        }
        for diagnostic in diagnostics {
            *stats.diagnostics.entry(diagnostic.code.name).or_default() += 1;
        }
        stats
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<22}{value:>12}");
        row("operations", &self.operations_total)?;
        row("  accesses", &self.accesses)?;
        for (kind, count) in &self.operations {
            row(&format!("  {kind}"), count)?;
        }
        row("messages", &self.messages)?;
        row("events", &self.events)?;
        for (posting, count) in &self.postings {
            row(&format!("  posted {posting}"), count)?;
        }
        row("threads", &self.threads)?;
        row("processes", &self.processes)?;
        for (kind, count) in &self.queues {
            row(&format!("queues, {kind}"), count)?;
        }
        row("locations", &self.locations)?;
        for (kind, count) in &self.location_kinds {
            row(&format!("  {}", crate::name::printable(kind)), count)?;
        }
        if let Some(ns) = self.duration_ns {
            row("milliseconds", &(ns / 1_000_000))?;
        }
        for (code, count) in &self.diagnostics {
            row(code, count)?;
        }
        if self.input.completeness != Extent::Whole {
            row("completeness", &self.input.completeness.name())?;
        }
        Ok(())
    }
}
