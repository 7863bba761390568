//! The report: what every output format is printed from.
//!
//! Serialised, this is the JSON report `interloper-report/1`, described by
//! `schema/interloper-report-1.schema.json`. Fields are added, never changed in meaning.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trace::Diagnostic;

use crate::input::InputEntry;
use crate::robustness::Robustness;

/// The name of the report's schema.
pub const SCHEMA: &str = "interloper-report/1";

/// A word of the product's own (a model, a class, a label, …): borrowed in a report made here,
/// owned in one read back from JSON.
pub type Word = Cow<'static, str>;

/// The analysis of one trace.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: Word,
    /// What was analysed.
    pub trace: TraceInfo,
    /// How much of the input that is.
    #[serde(default)]
    pub input: InputEntry,
    /// The happens-before model.
    pub model: Word,
    /// The rules that were on.
    #[serde(default)]
    pub rules: Vec<Word>,
    /// The engine.
    pub engine: Word,
    /// Counts.
    pub summary: Summary,
    /// The races, by id.
    pub races: Vec<RaceEntry>,
    /// The groups, by rank.
    pub groups: Vec<GroupEntry>,
    /// What was odd about the input.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// The suppressions that were asked for, and what became of each.
    #[serde(default)]
    pub suppressions: Vec<SuppressionEntry>,
    /// How the races compare with a baseline, if one was given.
    pub baseline: Option<BaselineEntry>,
    /// Robustness of the recorded execution, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robustness: Option<Robustness>,
}

/// What was analysed.
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
    /// Races that no other race covers and no common lock protects, whether or not a label hides
    /// them or people set them aside.
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
    /// Of these, races that the label takes out of what is shown by default.
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
}

/// One race.
#[derive(Debug, Serialize, Deserialize)]
pub struct RaceEntry {
    /// Its number.
    pub id: u32,
    /// What stays equal between recordings.
    pub fingerprint: String,
    /// The location's name.
    pub location: String,
    /// Where the freedom to reorder comes from.
    pub class: Word,
    /// Whether other races cover it.
    pub covered: bool,
    /// The ids of a shortest chain of races that covers it.
    pub covered_by: Vec<u32>,
    /// Reasons to read it later, or sooner.
    pub labels: Vec<Word>,
    /// Whether a label takes it out of what is shown by default.
    #[serde(default)]
    pub hidden: bool,
    /// Guesses at what goes wrong in the other order.
    #[serde(default)]
    pub hints: Vec<HintEntry>,
    /// Its place in the order of reading, from 1.
    pub rank: u32,
    /// Why it stands there, what counts most first.
    #[serde(default)]
    pub rank_reasons: Vec<Word>,
    /// The id of its group.
    pub group: u32,
    /// The access that came first in this execution, or the one DroidRacer prints first.
    pub first: AccessEntry,
    /// The other one.
    pub second: AccessEntry,
    /// Why nothing orders them, in a sentence.
    #[serde(default)]
    pub why: String,
    /// The reason of the suppression that sets it aside.
    pub suppressed: Option<String>,
    /// `new` or `unchanged`, if there is a baseline.
    pub baseline: Option<Word>,
}

/// A guess at what goes wrong in the other order.
#[derive(Debug, Serialize, Deserialize)]
pub struct HintEntry {
    /// The hint's name.
    pub kind: Word,
    /// What it says about this race, in a sentence.
    pub message: String,
}

/// One access.
#[derive(Debug, Serialize, Deserialize)]
pub struct AccessEntry {
    /// The operation's number.
    pub op: u32,
    /// The id in the log the trace was imported from.
    pub source_id: Option<u64>,
    /// `read` or `write`.
    pub kind: Word,
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
    /// Where it was entered.
    pub source: Option<SourceEntry>,
    /// `user` or `framework`, if known.
    pub kind: Option<Word>,
}

/// What made an event or a thread come about.
#[derive(Debug, Serialize, Deserialize)]
pub struct CauseEntry {
    /// `post` of a message or `fork` of a thread.
    pub kind: Word,
    /// The event that was posted, or the thread that was forked.
    pub of: String,
    /// The type of that event.
    #[serde(default)]
    pub of_type: Option<String>,
    /// The enqueue or fork; absent when the trace does not show it.
    pub op: Option<u32>,
    /// The thread it runs on.
    pub thread: Option<String>,
    /// The event it runs in.
    pub event: Option<String>,
    /// The type of the event it runs in.
    #[serde(default)]
    pub event_type: Option<String>,
    /// How a message asked to be dispatched: `delay=5`, `front`, `input`, …
    pub posting: Option<String>,
    /// Where it stands in the source.
    pub source: Option<SourceEntry>,
}

/// Races that are one problem to a reader.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// `info`, `warning` or `error`.
    pub severity: Word,
    /// The declared code.
    pub code: Word,
    /// What was found.
    pub message: String,
    /// Where.
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

/// A suppression and what became of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct SuppressionEntry {
    /// What it asks for, in a line.
    pub matches: String,
    /// Where it is written: file and line.
    pub origin: String,
    /// Why it was written.
    pub reason: String,
    /// The last day it holds.
    pub expires: Option<String>,
    /// `used`, `unused` or `expired`.
    pub state: Word,
    /// How many races it matches.
    pub races: usize,
}

/// How the races compare with a baseline.
#[derive(Debug, Serialize, Deserialize)]
pub struct BaselineEntry {
    /// Races it does not know.
    pub new: usize,
    /// Races it knows.
    pub unchanged: usize,
    /// What it knows and this report does not hold, by fingerprint.
    pub gone: Vec<KnownRace>,
}

/// A race as it is remembered between recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownRace {
    /// What stays equal between recordings.
    pub fingerprint: String,
    /// What it is about, in a line.
    pub title: String,
}
