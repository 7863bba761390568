//! The report, from which every output format is printed.
//!
//! Serialised, this is the JSON report `interloper-report/1`, described by
//! `schema/interloper-report-1.schema.json`. Fields are added, never changed in meaning.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trace::Diagnostic;

use crate::input::InputEntry;
use crate::replay::{GroupReplay, ReplayEntry};
use crate::robustness::Robustness;

/// The name of the report's schema.
pub const SCHEMA: &str = "interloper-report/1";

/// A word of the product (a model, a class, a label, …). It is borrowed in a report of this
/// process, and owned in one that was read from JSON.
pub type Word = Cow<'static, str>;

/// The analysis of one trace.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: Word,
    /// The trace that was analysed.
    pub trace: TraceInfo,
    /// How much of the input was read.
    #[serde(default)]
    pub input: InputEntry,
    /// The happens-before model.
    pub model: Word,
    /// The rules that were switched on.
    #[serde(default)]
    pub rules: Vec<Word>,
    /// The name of the engine.
    pub engine: Word,
    /// The counts over the races.
    pub summary: Summary,
    /// The races, by id. In JSON, races that [`RaceEntry::is_brief`] are left out.
    #[serde(serialize_with = "in_full")]
    pub races: Vec<RaceEntry>,
    /// The fingerprints of the races that JSON leaves out and that no label hides, which are covered: sorted,
    /// except those of such races that it contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered_fingerprints: Vec<String>,
    /// Like `covered_fingerprints`, for races that a label hides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_fingerprints: Vec<String>,
    /// The groups, by rank.
    pub groups: Vec<GroupEntry>,
    /// The diagnostics for anomalies of the input.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// The suppressions that were given, with the state of each.
    #[serde(default)]
    pub suppressions: Vec<SuppressionEntry>,
    /// How the races compare with a baseline, if one was given.
    pub baseline: Option<BaselineEntry>,
    /// The robustness of the recorded execution, if it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robustness: Option<Robustness>,
}

/// The size and format of the trace that was analysed.
#[derive(Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "counts that say what they count")]
pub struct TraceInfo {
    pub format: Word,
    pub operations: usize,
    pub events: usize,
    pub threads: usize,
    pub locations: usize,
    pub accesses: usize,
}

/// Counts over the races.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Unordered conflicting pairs of the chosen pair mode, listed or not.
    pub pairs: usize,
    /// Races listed.
    pub races: usize,
    /// Locations with a race.
    pub locations: usize,
    /// Races that no other race covers and no common lock protects, including those that a label
    /// hides or that are suppressed or known.
    pub uncovered_races: usize,
    /// Open races: see [`crate::standing`].
    #[serde(default)]
    pub open_races: usize,
    /// Locations with a race that `uncovered_races` counts.
    pub uncovered_locations: usize,
    /// Groups of races.
    pub groups: usize,
    /// Locations per class.
    pub classes: BTreeMap<Word, usize>,
    /// Races per label.
    pub labels: BTreeMap<Word, usize>,
    /// Races that each label hides by default.
    #[serde(default)]
    pub hidden: BTreeMap<Word, usize>,
    /// Under `--compat eventracer`, locations at that filter level or above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<Word, usize>>,
    /// Races that a suppression sets aside.
    #[serde(default)]
    pub suppressed: usize,
    /// Races that the baseline knows.
    #[serde(default)]
    pub baselined: usize,
    /// Groups per verdict of replays, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<BTreeMap<Word, usize>>,
}

/// One race.
#[derive(Debug, Serialize, Deserialize)]
pub struct RaceEntry {
    /// The number of the race.
    pub id: u32,
    /// The fingerprint, which is equal for the same race in other recordings.
    pub fingerprint: String,
    /// The name of the location.
    pub location: String,
    /// Why the two accesses could run in either order.
    pub class: Word,
    /// Whether other races cover this one.
    pub covered: bool,
    /// The ids of a shortest chain of races that covers this one.
    pub covered_by: Vec<u32>,
    /// Reasons to read the race later or sooner.
    pub labels: Vec<Word>,
    /// Whether a label hides the race by default.
    #[serde(default)]
    pub hidden: bool,
    /// Guesses at what goes wrong in the other order.
    #[serde(default)]
    pub hints: Vec<HintEntry>,
    /// The position of the race in the order of reading, from 1.
    pub rank: u32,
    /// The reasons for the rank, the most important first.
    #[serde(default)]
    pub rank_reasons: Vec<Word>,
    /// The id of the group.
    pub group: u32,
    /// The access that came first in this execution, or the one that DroidRacer prints first.
    pub first: AccessEntry,
    /// The other access.
    pub second: AccessEntry,
    /// Who races with whom, in the page's own terms; empty for programs other than pages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub headline: String,
    /// Why nothing orders the accesses, in a sentence.
    #[serde(default)]
    pub why: String,
    /// What replays have shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<ReplayEntry>>,
    /// The reason of the suppression that applies to the race.
    pub suppressed: Option<String>,
    /// `new` or `unchanged`, if there is a baseline.
    pub baseline: Option<Word>,
    /// Whether the entry lacks stacks, causes and sentences, because the race is not open and its group has
    /// enough others. JSON leaves such entries out.
    #[serde(skip)]
    pub is_brief: bool,
    /// The file of the recording that has these accesses, if the report is on several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
}

/// A guess at what goes wrong in the other order.
#[derive(Debug, Serialize, Deserialize)]
pub struct HintEntry {
    /// The name of the hint.
    pub kind: Word,
    /// The guess about this race, in a sentence.
    pub message: String,
}

/// One access.
#[derive(Debug, Serialize, Deserialize)]
pub struct AccessEntry {
    /// The number of the operation.
    pub op: u32,
    /// The id in the log from which the trace was imported.
    pub source_id: Option<u64>,
    /// `read` or `write`.
    pub kind: Word,
    /// The name of the thread.
    pub thread: String,
    /// The event in which the access runs.
    pub event: Option<String>,
    /// The type of the event.
    pub event_type: Option<String>,
    /// The value read or written.
    pub value: Option<String>,
    /// The position in the source.
    pub source: Option<SourceEntry>,
    /// The call stack, innermost first.
    pub stack: Vec<FrameEntry>,
    /// The posts and forks that led to the access, nearest first.
    #[serde(default)]
    pub causes: Vec<CauseEntry>,
}

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "says it")]
pub struct SourceEntry {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
}

/// A frame of a call stack.
#[derive(Debug, Serialize, Deserialize)]
pub struct FrameEntry {
    /// The function.
    pub function: String,
    /// The position at which the function was entered.
    pub source: Option<SourceEntry>,
    /// `user` or `framework`, if known.
    pub kind: Option<Word>,
}

/// The cause of an event or a thread.
#[derive(Debug, Serialize, Deserialize)]
pub struct CauseEntry {
    /// `post` of a message or `fork` of a thread.
    pub kind: Word,
    /// The event that was posted, or the thread that was forked.
    pub of: String,
    /// The type of that event.
    #[serde(default)]
    pub of_type: Option<String>,
    /// The enqueue or fork; absent if the trace does not contain it.
    pub op: Option<u32>,
    /// The thread on which the enqueue or fork runs.
    pub thread: Option<String>,
    /// The event in which the enqueue or fork runs.
    pub event: Option<String>,
    /// The type of the event in which the enqueue or fork runs.
    #[serde(default)]
    pub event_type: Option<String>,
    /// How a message asked to be dispatched: `delay=5`, `front`, `input`, …
    pub posting: Option<String>,
    /// The position of the enqueue or fork in the source.
    pub source: Option<SourceEntry>,
}

/// Races that are one problem to a reader.
#[derive(Debug, Serialize, Deserialize)]
pub struct GroupEntry {
    /// The number of the group.
    pub id: u32,
    /// A description of the group, in a line.
    pub title: String,
    /// The position of the group in the order of reading, from 1.
    pub rank: u32,
    /// The ids of its races, by rank, without those that [`RaceEntry::is_brief`].
    pub races: Vec<u32>,
    /// The number of its races that are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The worst verdict of replays on its races.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<GroupReplay>,
}

/// An anomaly of the input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// `info`, `warning` or `error`.
    pub severity: Word,
    /// The declared code.
    pub code: Word,
    /// What was found.
    pub message: String,
    /// The position in the input.
    pub at: String,
}

impl DiagnosticEntry {
    pub(crate) fn new(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: diagnostic.code.severity.name().into(),
            code: diagnostic.code.name.into(),
            message: diagnostic.message.clone(),
            at: diagnostic.at.to_string(),
        }
    }
}

/// A suppression and its state.
#[derive(Debug, Serialize, Deserialize)]
pub struct SuppressionEntry {
    /// What the suppression matches, in a line.
    pub matches: String,
    /// The file and line of the suppression.
    pub origin: String,
    /// The reason that the suppression states.
    pub reason: String,
    /// The last day on which the suppression applies.
    pub expires: Option<String>,
    /// `used`, `unused` or `expired`.
    pub state: Word,
    /// The number of races that the suppression matches.
    pub races: usize,
}

/// How the races compare with a baseline.
#[derive(Debug, Serialize, Deserialize)]
pub struct BaselineEntry {
    /// The number of races that the baseline lacks.
    pub new: usize,
    /// The number of races that the baseline contains.
    pub unchanged: usize,
    /// The races in the baseline that this report lacks, by fingerprint.
    pub gone: Vec<KnownRace>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Serialises the races that are described in full.
fn in_full<S: serde::Serializer>(races: &[RaceEntry], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(races.iter().filter(|race| !race.is_brief))
}

/// A race as baselines and comparisons keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRace {
    /// The fingerprint, which is equal for the same race in other recordings.
    pub fingerprint: String,
    /// A description of the race, in a line.
    pub title: String,
}
