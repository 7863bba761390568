//! The error of a reader that can make no trace of its input.

use std::fmt;

use trace::Place;

/// The error of reading an input of which no trace can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where reading stopped.
    pub at: Place,
    /// What was found there, in one line. It may quote the input, escaped.
    pub message: String,
    /// What would have been right, or what to do about it.
    pub expected: String,
}

impl ReadError {
    /// Creates an error at `at` from what was found and what was expected.
    pub fn new(at: Place, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { at, message: message.into(), expected: expected.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; expected {}", self.at, self.message, self.expected)
    }
}

impl std::error::Error for ReadError {}
