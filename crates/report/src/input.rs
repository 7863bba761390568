//! States how much of its input a report covers, and whether that is enough for a verdict.
//!
//! [`codec::Completeness`] states how much was read. A report is *judged*, so that its races decide
//! the exit status, if everything was read, if only the tail is missing, or if the user allows
//! damage. Otherwise it is still printed, and every format states that it is no verdict. Every
//! printer and the exit status use this module.

use analysis::Engine;
use codec::{Completeness, Extent, ReadError};
use order::Model;
use serde::{Deserialize, Serialize};

use crate::model::{DiagnosticEntry, Report, SCHEMA, Summary, TraceInfo};
use crate::name::printable_message;
use crate::phrase::count;

/// How much of its input a report covers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputEntry {
    /// How much of the input was read.
    pub completeness: Extent,
    /// What was lost and where; absent if everything was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<DiagnosticEntry>,
    /// Whether the races decide the exit status. Otherwise the exit status is 2.
    pub judged: bool,
}

/// Reports that do not contain this entry count as complete.
impl Default for InputEntry {
    fn default() -> Self {
        Self::new(&Completeness::whole())
    }
}

impl InputEntry {
    /// Returns the entry for a reader's result. If the user allows damage, the caller sets `judged`
    /// afterwards.
    pub fn new(completeness: &Completeness) -> Self {
        let extent = completeness.extent();
        let loss = completeness.loss().map(DiagnosticEntry::new);
        Self { completeness: extent, loss, judged: extent.is_sufficient() }
    }

    /// Returns what was lost and where, in one line: `cut-block at byte 1234: …`. The line quotes
    /// the input.
    pub fn detail(&self) -> Option<String> {
        let loss = self.loss.as_ref()?;
        Some(format!("{} at {}: {}", loss.code, loss.at, loss.message))
    }
}

/// What a reader must know about an incomplete input before reading the races. The text is
/// printable and of bounded length.
pub struct Caveat {
    /// Whether the report is no verdict.
    pub is_error: bool,
    /// What is missing and what the report covers, in full sentences without text from the input.
    pub statement: String,
    /// What was lost and where, in one line.
    pub detail: String,
}

impl Caveat {
    /// `error` or `warning`.
    pub fn level(&self) -> &'static str {
        if self.is_error { "error" } else { "warning" }
    }

    /// Returns the statement and the detail in one line.
    pub fn line(&self) -> String {
        format!("{} {}", self.statement, self.detail)
    }
}

impl Report {
    /// Returns what a reader must know about the input, or `None` if all of it was read.
    pub fn caveat(&self) -> Option<Caveat> {
        let what = match self.input.completeness {
            Extent::Whole => return None,
            Extent::TailMissing => "The end of the input is missing",
            Extent::Damaged => "The input is damaged",
            Extent::Nothing => "No operation could be read from the input",
        };
        let (so, this) = if self.input.judged {
            ("", "This report")
        } else {
            (", so this report is no verdict", "It")
        };
        let operations = count(self.trace.operations, "operation");
        let statement = match self.input.completeness {
            Extent::Nothing => format!("{what}{so}."),
            _ => format!("{what}{so}. {this} covers the {operations} that could be read."),
        };
        let detail = self.input.detail().unwrap_or_default();
        Some(Caveat { is_error: !self.input.judged, statement, detail: printable_message(&detail) })
    }

    /// Returns the report on an input that contains no readable trace. It has no races and is no
    /// verdict.
    pub fn unreadable(error: &ReadError, model: &Model) -> Self {
        let completeness = Completeness::unreadable(error);
        let input = InputEntry::new(&completeness);
        Self {
            schema: SCHEMA.into(),
            trace: TraceInfo {
                format: "unknown".into(),
                operations: 0,
                events: 0,
                threads: 0,
                locations: 0,
                accesses: 0,
            },
            diagnostics: input.loss.iter().cloned().collect(),
            input,
            model: model.name.into(),
            rules: Vec::new(),
            engine: Engine::Graph.name().into(),
            summary: Summary::default(),
            races: Vec::new(),
            covered_fingerprints: Vec::new(),
            hidden_fingerprints: Vec::new(),
            groups: Vec::new(),
            suppressions: Vec::new(),
            baseline: None,
            robustness: None,
        }
    }
}
