//! How much of an input was read.
//!
//! A report without races on part of a recording does not mean that the program has none. Every
//! reader therefore states how much it read. Code that prints a report or sets an exit status uses
//! this statement, never the list of diagnostics:
//!
//! - *whole*: the input was read to its end, whatever anomalies it has.
//! - *tail missing*: the input ends too early, as it does after a recorder was killed, and every
//!   operation before that place was read.
//! - *damaged*: data in the input could not be read.
//! - *nothing*: no operation was read, whatever the reason.

use serde::{Deserialize, Serialize};
use trace::{Diagnostic, Place};

use crate::ReadError;

trace::codes! {
    CUT_LINE = "cut-line", Error,
        "The last line of a text or log does not parse and lacks its line end: the input was cut. The line is left out.";
    UNENDED_LINE = "unended-line", Warning,
        "The last line of a text or log lacks its line end, so the input may have been cut inside it. The line is read as it stands.";
    DAMAGED_TABLE = "damaged-table", Error,
        "A row group of a Parquet table cannot be read. The operations before those of the group are read.";
    UNREADABLE_INPUT = "unreadable-input", Error,
        "Nothing sound can be made of the input: it is of no known format, or contradicts its format where nothing can be passed over. No operation is read.";
    NO_OPERATION = "no-operation", Error,
        "The input holds no operation, so nothing can be said about the program that it came from.";
}

/// How much of an input was read, without the details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// The whole input was read.
    #[default]
    Whole,
    /// The end of the input is missing; everything before it was read.
    TailMissing,
    /// Some data in the input could not be read.
    Damaged,
    /// No operation was read.
    Nothing,
}

impl Extent {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::TailMissing => "tail-missing",
            Self::Damaged => "damaged",
            Self::Nothing => "nothing",
        }
    }

    /// Whether a verdict may be based on what was read: the whole input, or all but its end.
    pub fn is_sufficient(self) -> bool {
        matches!(self, Self::Whole | Self::TailMissing)
    }
}

/// How much of an input was read, and what was lost at which place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    extent: Extent,
    /// The loss. None only if the extent is [`Extent::Whole`].
    loss: Option<Diagnostic>,
}

impl Completeness {
    /// States that the input was read to its end.
    pub fn whole() -> Self {
        Self::default()
    }

    /// States that the input ends too early; `loss` describes it.
    pub fn tail_missing(loss: Diagnostic) -> Self {
        Self { extent: Extent::TailMissing, loss: Some(loss) }
    }

    /// States that data of the input could not be read; `loss` describes it.
    pub fn damaged(loss: Diagnostic) -> Self {
        Self { extent: Extent::Damaged, loss: Some(loss) }
    }

    /// States that the last line does not parse, and no line end follows it.
    pub(crate) fn cut_line(error: &ReadError) -> Self {
        let message = format!("{}; expected {}", error.message, error.expected);
        Self::damaged(Diagnostic::new(&CUT_LINE, error.at, message))
    }

    /// States that the last line, which has number `line`, parses but has no line end.
    pub(crate) fn unended_line(line: u64) -> Self {
        let message = "the last line has no line end, so the input may have been cut inside it";
        let at = Place::Line { line, column: 1 };
        Self::tail_missing(Diagnostic::new(&UNENDED_LINE, at, message))
    }

    /// States that no trace can be made of the input.
    pub fn unreadable(error: &ReadError) -> Self {
        let message = format!("{}; expected {}", error.message, error.expected);
        let loss = Diagnostic::new(&UNREADABLE_INPUT, error.at, message);
        Self { extent: Extent::Nothing, loss: Some(loss) }
    }

    /// Adapts the statement to the number of operations that the reader returned: if it is 0, the
    /// extent is [`Extent::Nothing`].
    #[must_use]
    pub fn with_operations(self, operations: u64) -> Self {
        if operations > 0 {
            return self;
        }
        let empty = || {
            let message = "it is a trace without a single operation";
            Diagnostic::new(&NO_OPERATION, Place::Whole, message)
        };
        Self { extent: Extent::Nothing, loss: Some(self.loss.unwrap_or_else(empty)) }
    }

    /// Adds the loss to the diagnostics of the input, unless they contain it.
    pub fn note_in(&self, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(loss) = &self.loss
            && !diagnostics.contains(loss)
        {
            diagnostics.insert(0, loss.clone());
        }
    }

    /// How much was read.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// What was lost, and where. None if the whole input was read.
    pub fn loss(&self) -> Option<&Diagnostic> {
        self.loss.as_ref()
    }
}
