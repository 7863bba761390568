//! How much of an input was read.
//!
//! A report on part of a recording is no clean bill. Every reader therefore states how much it read,
//! and whoever prints a report or sets an exit status asks here, never the list of diagnostics:
//!
//! - *whole*: the input was read to its end. What was odd inside it does not matter here.
//! - *tail missing*: the input ends too early, as it does after a recorder was killed, and every
//!   operation before that place was read.
//! - *damaged*: data that stands in the input could not be read.
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
    /// All of it.
    #[default]
    Whole,
    /// All but its end, which is not there.
    TailMissing,
    /// Not all of what is there.
    Damaged,
    /// No operation.
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

    /// Whether a verdict may be drawn from what was read: all was, or all but the end.
    pub fn is_sufficient(self) -> bool {
        matches!(self, Self::Whole | Self::TailMissing)
    }
}

/// How much of an input was read, and what was lost where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    extent: Extent,
    /// There unless the extent is [`Extent::Whole`].
    loss: Option<Diagnostic>,
}

impl Completeness {
    /// The input was read to its end.
    pub fn whole() -> Self {
        Self::default()
    }

    /// The input ends too early, as `loss` says.
    pub fn tail_missing(loss: Diagnostic) -> Self {
        Self { extent: Extent::TailMissing, loss: Some(loss) }
    }

    /// Data of the input could not be read, as `loss` says.
    pub fn damaged(loss: Diagnostic) -> Self {
        Self { extent: Extent::Damaged, loss: Some(loss) }
    }

    /// The last line does not parse, and no line end follows it.
    pub(crate) fn cut_line(error: &ReadError) -> Self {
        let message = format!("{}; expected {}", error.message, error.expected);
        Self::damaged(Diagnostic::new(&CUT_LINE, error.at, message))
    }

    /// The last line, of this number, parses, but no line end follows it.
    pub(crate) fn unended_line(line: u64) -> Self {
        let message = "the last line has no line end, so the input may have been cut inside it";
        let at = Place::Line { line, column: 1 };
        Self::tail_missing(Diagnostic::new(&UNENDED_LINE, at, message))
    }

    /// No trace can be made of the input.
    pub fn unreadable(error: &ReadError) -> Self {
        let message = format!("{}; expected {}", error.message, error.expected);
        let loss = Diagnostic::new(&UNREADABLE_INPUT, error.at, message);
        Self { extent: Extent::Nothing, loss: Some(loss) }
    }

    /// The same for a reader that handed out so many operations: without any, nothing was read.
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

    /// Adds what was lost to what was odd about the input, unless it is there already.
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

    /// What was lost, and where; `None` if all was read.
    pub fn loss(&self) -> Option<&Diagnostic> {
        self.loss.as_ref()
    }
}
