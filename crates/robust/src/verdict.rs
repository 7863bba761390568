//! What a check found, as data; [`text`](Report::text) and [`json`](Report::json) show it.

mod json;
mod text;

use crate::Criterion;
use crate::core::Program;
use crate::witness::{Witness, recording};

/// The answer about one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No interleaving of the instances violates it.
    Proved {
        /// How that was shown.
        by: String,
    },
    /// This interleaving violates it.
    Violated(Box<Witness>),
    /// Nothing that was tried decides it.
    Unknown {
        /// Why, and what else to try.
        reason: String,
    },
    /// It was not looked at, because the other criterion is violated.
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

/// The sum of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything asked for was proved.
    Proved,
    /// Something is violated.
    Violated,
    /// Nothing is violated, and something is not known.
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
    /// The sum of the verdicts.
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
    /// The property, as reports name it.
    pub fn property(self) -> &'static str {
        match self {
            Self::Determinism => "conflict-determinism",
            Self::Serializability => "conflict-serializability",
        }
    }

    /// The name options and JSON use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Determinism => "determinism",
            Self::Serializability => "serializability",
        }
    }
}
