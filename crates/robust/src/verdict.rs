//! The results of a check, as data. [`text`](Report::text) and [`json`](Report::json) print them.

pub(crate) mod json;
pub(crate) mod text;

use crate::Criterion;
use crate::core::Program;
use crate::witness::{Witness, recording};

/// The answer about one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No interleaving of the instances violates the criterion.
    Proved {
        /// The method of the proof.
        by: String,
    },
    /// This interleaving violates the criterion.
    Violated(Box<Witness>),
    /// No method that was tried decides the criterion.
    Unknown {
        /// Why, and what else to try.
        reason: String,
    },
    /// The criterion was not checked, because the other criterion is violated.
    Unchecked,
}

/// The answers about one program.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name of the file, for display.
    pub file: String,
    /// The source, for line numbers and excerpts.
    pub source: String,
    /// The program.
    pub program: Program,
    /// One verdict for each criterion asked for.
    pub verdicts: Vec<(Criterion, Verdict)>,
}

/// The overall result of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All requested criteria were proved.
    Proved,
    /// A criterion is violated.
    Violated,
    /// No criterion is violated, but one is unknown.
    Unknown,
}

impl Status {
    /// The exit status of `interloper robust`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Proved => 0,
            Self::Violated => 1,
            Self::Unknown => 3,
        }
    }
}

impl Report {
    /// The overall result of the verdicts.
    pub fn status(&self) -> Status {
        let any = |test: fn(&Verdict) -> bool| self.verdicts.iter().any(|(_, v)| test(v));
        if any(|verdict| matches!(verdict, Verdict::Violated(_))) {
            Status::Violated
        } else if any(|verdict| !matches!(verdict, Verdict::Proved { .. })) {
            Status::Unknown
        } else {
            Status::Proved
        }
    }

    /// The violation of `criterion` as a trace, if there is one.
    pub fn recording(&self, criterion: Criterion) -> Option<trace::Trace> {
        match self.verdict(criterion)? {
            Verdict::Violated(witness) => {
                Some(recording(&self.program, &witness.trace, &self.file, &self.source))
            }
            _ => None,
        }
    }

    /// The verdict on `criterion`, if it was asked for.
    pub fn verdict(&self, criterion: Criterion) -> Option<&Verdict> {
        self.verdicts.iter().find(|(other, _)| *other == criterion).map(|(_, verdict)| verdict)
    }
}

impl Criterion {
    /// The name of the property in reports.
    pub fn property(self) -> &'static str {
        match self {
            Self::Determinism => "conflict-determinism",
            Self::Serializability => "conflict-serializability",
        }
    }

    /// The name of the criterion in options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Determinism => "determinism",
            Self::Serializability => "serializability",
        }
    }
}
