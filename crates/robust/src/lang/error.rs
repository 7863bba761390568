//! The errors of a program, as data.
//!
//! This crate never prints, and does not panic on a bad program: each front-end pass returns every
//! [`Error`] that it finds, with its source range and what to do about it. The caller renders the
//! excerpt.

use trace::{Code, Diagnostic, Place};

use super::span::Span;

trace::codes! {
    SYNTAX = "evp-syntax", Error, "The text is not a program of the language.";
    UNKNOWN_NAME = "evp-unknown-name", Error, "A name is used that nothing declares.";
    DUPLICATE_NAME = "evp-duplicate-name", Error, "Two declarations of one scope share a name.";
    TYPE_MISMATCH = "evp-type-mismatch", Error, "An expression has another type than its place asks for.";
    WRONG_ARGUMENTS = "evp-wrong-arguments", Error, "A procedure is given more or fewer arguments than it has parameters.";
    OUT_OF_RANGE = "evp-out-of-range", Error, "A constant lies outside the range or the array it is used for.";
    BAD_DECLARATION = "evp-bad-declaration", Error, "A type or variable cannot be declared this way.";
    BAD_DRIVER = "evp-bad-driver", Error, "The driver names no event, or orders events in a way that cannot happen.";
    UNBOUNDED_ASYNC = "evp-unbounded-async", Error, "An activation may post without bound, so the reduction to a sequential program has no list to keep.";
    TOO_LARGE = "evp-too-large", Error, "A domain or an expansion is larger than the analysis accepts.";
}

/// One error of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub code: &'static Code,
    /// The source range of the error.
    pub span: Span,
    /// What is wrong, in one line. It may quote the source, which is untrusted.
    pub message: String,
    /// What to do about it, in one line.
    pub advice: String,
}

impl Error {
    /// An error of `code` at `span`.
    pub fn new(
        code: &'static Code,
        span: Span,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { code, span, message: message.into(), advice: advice.into() }
    }

    /// Converts the error to a diagnostic, with its place in `text`.
    pub fn diagnostic(&self, text: &str) -> Diagnostic {
        let (line, column) = self.span.line_column(text);
        let place = Place::Line { line: line.into(), column: column.into() };
        Diagnostic::new(self.code, place, format!("{}; {}", self.message, self.advice))
    }
}
