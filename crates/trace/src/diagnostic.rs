//! What may be wrong with an input, as data.
//!
//! A bad trace is normal: readers and the builder never fail on an anomaly they can work around,
//! they record a [`Diagnostic`]. Every kind of anomaly is a declared [`Code`] with a severity and
//! a sentence of documentation; nothing is reported that is not declared.

use std::fmt;

/// How much an anomaly matters to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the analysis is not affected.
    Info,
    /// The input is odd; the analysis goes on under the interpretation the code documents.
    Warning,
    /// Part of the input was lost or could not be used; the report speaks of the rest.
    Error,
}

impl Severity {
    /// The lower-case name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A declared kind of anomaly.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Stable kebab-case name, shown in reports and accepted by `interloper explain`.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, and how the analysis reads the trace in that case.
    pub doc: &'static str,
}

/// Where in the input an anomaly stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A position in a text, both counted from 1; the column counts bytes.
    Line {
        /// Line number.
        line: u64,
        /// Byte column.
        column: u64,
    },
    /// A byte offset in a binary file.
    Offset(u64),
    /// An operation of the trace, by its number.
    Operation(u32),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("the input"),
            Self::Line { line, column } => write!(f, "{line}:{column}"),
            Self::Offset(offset) => write!(f, "byte {offset}"),
            Self::Operation(op) => write!(f, "operation {op}"),
        }
    }
}

/// One anomaly found in one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of anomaly it is.
    pub code: &'static Code,
    /// What was found, in one line without the place. May quote the input: untrusted text.
    pub message: String,
    /// Where it was found.
    pub at: Place,
}

impl Diagnostic {
    /// A diagnostic of `code` at `at`.
    pub fn new(code: &'static Code, at: Place, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at }
    }
}
