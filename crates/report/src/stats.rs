//! Counts the content of a trace.

use std::collections::BTreeMap;
use std::fmt;

use codec::{Extent, Loaded};
use serde::Serialize;
use trace::{LocationKind, Op, QueueKind, Trace};

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
    /// Counts the content of a trace.
    pub fn new(loaded: &Loaded, input: InputEntry, format: &'static str) -> Self {
        let trace = &loaded.trace;
        let mut stats = Self {
            format,
            input,
            operations_total: trace.len(),
            messages: trace.names().events.len(),
            events: trace.events().filter(|(_, e)| e.begin.is_some()).count(),
            threads: trace.names().threads.len(),
            processes: trace.names().processes.len(),
            locations: trace.names().locations.len(),
            accesses: trace.accesses(),
            model: trace.model().map(text),
            ..Self::default()
        };
        let (mut earliest, mut latest) = (u64::MAX, 0);
        for op in trace.ops() {
            *stats.operations.entry(trace.op(op).kind().word()).or_default() += 1;
            if let Op::Enqueue(enqueue) = trace.op(op) {
                *stats.postings.entry(enqueue.posting.word()).or_default() += 1;
            }
            if let Some(at) = trace.attributes(op).at {
                (earliest, latest) = (earliest.min(at), latest.max(at));
            }
        }
        stats.duration_ns = latest.checked_sub(earliest);
        for queue in trace.names().queues.ids() {
            let kind = match trace.queue(queue).kind {
                QueueKind::Looper => "looper",
                QueueKind::Binder => "binder",
                QueueKind::Pool => "pool",
            };
            *stats.queues.entry(kind).or_default() += 1;
        }
        for location in trace.names().locations.ids() {
            if let Some(kind) = trace.location_kind(location) {
                *stats.location_kinds.entry(location_kind(trace, kind)).or_default() += 1;
            }
        }
        let mut diagnostics = loaded.diagnostics.clone();
        loaded.completeness.note_in(&mut diagnostics);
        for diagnostic in diagnostics {
            *stats.diagnostics.entry(diagnostic.code.name).or_default() += 1;
        }
        stats
    }
}

fn location_kind(trace: &Trace, kind: LocationKind) -> String {
    match kind {
        LocationKind::Other(name) => text(trace.text(name)),
        kind => kind.word().unwrap_or_default().to_owned(),
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
