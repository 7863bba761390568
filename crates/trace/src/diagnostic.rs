//! Diagnostics: the anomalies of an input, as data.
//!
//! A bad trace is normal. Readers and the builder do not fail on an anomaly that they can work
//! around: they record a [`Diagnostic`]. Every kind of anomaly is a declared [`Code`] with a
//! severity and a sentence of documentation.

use std::fmt;

/// How much an anomaly matters to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the analysis is not affected.
    Info,
    /// The input is odd; the analysis continues with the interpretation that the code documents.
    Warning,
    /// Part of the input was lost or could not be used; the report covers the rest.
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
    /// How much the anomaly matters to the analysis.
    pub severity: Severity,
    /// What was found, and how the analysis interprets the trace in that case.
    pub doc: &'static str,
}

/// The place of an anomaly in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A position in a text. Line and column count from 1; the column counts bytes.
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
    /// What was found, in one line without the place. It may quote the input, which is untrusted.
    pub message: String,
    /// Where it was found.
    pub at: Place,
}

impl Diagnostic {
    /// Creates a diagnostic of `code` at `at`.
    pub fn new(code: &'static Code, at: Place, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at }
    }
}

/// The number of diagnostics of each code that are kept in full.
const SHOWN_PER_CODE: usize = 10;

/// Collects diagnostics. It keeps the first few of each code in full and only counts the rest, so
/// that a hostile input costs no more than a good one.
#[derive(Clone, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    counts: Vec<(&'static Code, usize)>,
}

impl Diagnostics {
    /// Records an anomaly. `message` is called only when the diagnostic is kept in full.
    pub fn report(&mut self, code: &'static Code, at: Place, message: impl FnOnce() -> String) {
        let known = self.counts.iter().position(|(c, _)| c.name == code.name);
        let row = known.unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        });
        self.counts[row].1 += 1;
        if self.counts[row].1 <= SHOWN_PER_CODE {
            self.found.push(Diagnostic::new(code, at, message()));
        }
    }

    /// Returns the diagnostics ordered by place, then one diagnostic for each code of which some
    /// were only counted.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|d| match d.at {
            Place::Whole => (0, 0),
            Place::Line { line, column } => (line, column),
            Place::Offset(offset) => (offset, 0),
            Place::Operation(op) => (u64::from(op), 0),
        });
        for (code, count) in self.counts {
            if count > SHOWN_PER_CODE {
                let more = format!("{} more of these", count - SHOWN_PER_CODE);
                self.found.push(Diagnostic::new(code, Place::Whole, more));
            }
        }
        self.found
    }
}

/// Declares the codes of a module as statics, and lists them as `CODES`.
///
/// A row is `NAME = "kebab-name", Severity, "what was found, and how it is interpreted";`.
#[macro_export]
macro_rules! codes {
    ($($name:ident = $code:literal, $severity:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub static $name: $crate::Code =
                $crate::Code { name: $code, severity: $crate::Severity::$severity, doc: $doc };
        )*
        /// Every code of this module.
        pub static CODES: &[&$crate::Code] = &[$(&$name),*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    static ODD: Code = Code { name: "odd", severity: Severity::Info, doc: "Odd." };

    #[test]
    fn diagnostics_come_by_place_and_the_rest_is_counted() {
        let mut diagnostics = Diagnostics::default();
        for op in (0..25).rev() {
            diagnostics.report(&ODD, Place::Operation(op), || format!("at {op}"));
        }
        let found = diagnostics.finish();
        let shown: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(shown.len(), SHOWN_PER_CODE + 1);
        assert_eq!((shown[0], shown[9], shown[10]), ("at 15", "at 24", "15 more of these"));
        assert_eq!(found[10].at, Place::Whole);
    }
}
