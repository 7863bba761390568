//! The report: what every output format is printed from.
//!
//! Serialised, this is the JSON report `interloper-report/1`, described by
//! `schema/interloper-report-1.schema.json`. Fields are added, never changed in meaning.

use std::collections::BTreeMap;

use serde::Serialize;

/// The name of the report's schema.
pub const SCHEMA: &str = "interloper-report/1";

/// The analysis of one trace.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// What was analysed.
    pub trace: TraceInfo,
    /// The happens-before model.
    pub model: &'static str,
    /// The rules that were on.
    pub rules: Vec<&'static str>,
    /// The engine.
    pub engine: &'static str,
    /// Counts.
    pub summary: Summary,
    /// The races, by id.
    pub races: Vec<RaceEntry>,
    /// The groups, by rank.
    pub groups: Vec<GroupEntry>,
    /// What was odd about the input.
    pub diagnostics: Vec<DiagnosticEntry>,
}

/// What was analysed.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "counts that say what they count")]
pub struct TraceInfo {
    pub format: &'static str,
    pub operations: usize,
    pub events: usize,
    pub threads: usize,
    pub locations: usize,
    pub accesses: usize,
}

/// Counts over the races.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Unordered conflicting pairs of the chosen pair mode, listed or not.
    pub pairs: usize,
    /// Races listed.
    pub races: usize,
    /// Locations with a race.
    pub locations: usize,
    /// Races that nothing covers and no label hides.
    pub uncovered_races: usize,
    /// Locations with such a race.
    pub uncovered_locations: usize,
    /// Groups of races.
    pub groups: usize,
    /// Locations per class.
    pub classes: BTreeMap<&'static str, usize>,
    /// Races per label.
    pub labels: BTreeMap<&'static str, usize>,
    /// Of these, races that the label takes out of what is shown by default.
    pub hidden: BTreeMap<&'static str, usize>,
    /// Under `--compat eventracer`, locations at that filter level or above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<&'static str, usize>>,
}

/// One race.
#[derive(Debug, Serialize)]
pub struct RaceEntry {
    /// Its number.
    pub id: u32,
    /// What stays equal between recordings.
    pub fingerprint: String,
    /// The location's name.
    pub location: String,
    /// Where the freedom to reorder comes from.
    pub class: &'static str,
    /// Whether other races cover it.
    pub covered: bool,
    /// The ids of a shortest chain of races that covers it.
    pub covered_by: Vec<u32>,
    /// Reasons to read it later, or sooner.
    pub labels: Vec<&'static str>,
    /// Whether a label takes it out of what is shown by default.
    pub hidden: bool,
    /// Guesses at what goes wrong in the other order.
    pub hints: Vec<HintEntry>,
    /// Its place in the order of reading, from 1.
    pub rank: u32,
    /// Why it stands there, what counts most first.
    pub rank_reasons: Vec<&'static str>,
    /// The id of its group.
    pub group: u32,
    /// The access that came first in this execution, or the one DroidRacer prints first.
    pub first: AccessEntry,
    /// The other one.
    pub second: AccessEntry,
    /// Why nothing orders them, in a sentence.
    pub why: String,
}

/// A guess at what goes wrong in the other order.
#[derive(Debug, Serialize)]
pub struct HintEntry {
    /// The hint's name.
    pub kind: &'static str,
    /// What it says about this race, in a sentence.
    pub message: String,
}

/// One access.
#[derive(Debug, Serialize)]
pub struct AccessEntry {
    /// The operation's number.
    pub op: u32,
    /// The id in the log the trace was imported from.
    pub source_id: Option<u64>,
    /// `read` or `write`.
    pub kind: &'static str,
    /// The thread's name.
    pub thread: String,
    /// The event it runs in.
    pub event: Option<String>,
    /// What kind of event that is.
    pub event_type: Option<String>,
    /// The value read or written.
    pub value: Option<String>,
    /// Where it stands in the source.
    pub source: Option<SourceEntry>,
    /// The call stack, innermost first.
    pub stack: Vec<FrameEntry>,
    /// The posts and forks that led to the access, nearest first.
    pub causes: Vec<CauseEntry>,
}

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "says it")]
pub struct SourceEntry {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
}

/// A frame of a call stack.
#[derive(Debug, Serialize)]
pub struct FrameEntry {
    /// The function.
    pub function: String,
    /// Where it was entered.
    pub source: Option<SourceEntry>,
    /// `user` or `framework`, if known.
    pub kind: Option<&'static str>,
}

/// What made an event or a thread come about.
#[derive(Debug, Serialize)]
pub struct CauseEntry {
    /// `post` of a message or `fork` of a thread.
    pub kind: &'static str,
    /// The event that was posted, or the thread that was forked.
    pub of: String,
    /// The enqueue or fork; absent when the trace does not show it.
    pub op: Option<u32>,
    /// The thread it runs on.
    pub thread: Option<String>,
    /// The event it runs in.
    pub event: Option<String>,
    /// How a message asked to be dispatched: `delay=5`, `front`, `input`, …
    pub posting: Option<String>,
    /// Where it stands in the source.
    pub source: Option<SourceEntry>,
}

/// Races that are one problem to a reader.
#[derive(Debug, Serialize)]
pub struct GroupEntry {
    /// Its number.
    pub id: u32,
    /// What it is about, in a line.
    pub title: String,
    /// Its place in the order of reading, from 1.
    pub rank: u32,
    /// The ids of its races, by rank.
    pub races: Vec<u32>,
}

/// Something odd about the input.
#[derive(Debug, Serialize)]
pub struct DiagnosticEntry {
    /// `info`, `warning` or `error`.
    pub severity: &'static str,
    /// The declared code.
    pub code: &'static str,
    /// What was found.
    pub message: String,
    /// Where.
    pub at: String,
}
