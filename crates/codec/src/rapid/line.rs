//! One line of a log.

use memchr::memchr;
use trace::{Escaped, Place};

use super::LONGEST_LINE;
use crate::ReadError;

/// The operation on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operations of the format")]
pub enum Operation {
    Read,
    Write,
    Acquire,
    Release,
    Fork,
    Join,
    Begin,
    End,
    /// An operation of [`SKIPPED`].
    Skipped,
}

/// RAPID's words for operations that neither order nor access anything here: requests of a lock,
/// branches, and placeholders.
pub const SKIPPED: &[&str] = &["req", "branch", "dummy"];

const WORDS: &[(&[u8], Operation)] = &[
    (b"r", Operation::Read),
    (b"w", Operation::Write),
    (b"acq", Operation::Acquire),
    (b"rel", Operation::Release),
    (b"fork", Operation::Fork),
    (b"join", Operation::Join),
    (b"begin", Operation::Begin),
    (b"end", Operation::End),
    (b"enter", Operation::Begin),
    (b"exit", Operation::End),
];

/// The parts of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) thread: &'a [u8],
    pub(super) operation: Operation,
    /// The target of the operation. It may be empty only for blocks and skipped operations.
    pub(super) target: &'a [u8],
    pub(super) location: &'a [u8],
}

/// An error in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineError {
    /// The offset of the error in the line, from 0.
    pub(super) at: usize,
    found: String,
    expected: &'static str,
}

impl LineError {
    fn new(at: usize, found: impl Into<String>, expected: &'static str) -> Self {
        Self { at, found: found.into(), expected }
    }

    pub(super) fn on_line(self, line: u64) -> ReadError {
        let place = Place::Line { line, column: self.at as u64 + 1 };
        ReadError::new(place, self.found, self.expected)
    }
}

/// Whether a line is empty, not counting the carriage return at its end.
pub(super) fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"" | b"\r")
}

/// Whether a line that parses is an operation: neither blank nor skipped.
pub(super) fn is_operation(line: &[u8]) -> bool {
    let word = memchr(b'|', line).map_or(&b""[..], |bar| &line[bar + 1..]);
    let skipped = |known: &&str| {
        word.strip_prefix(known.as_bytes()).is_some_and(|rest| matches!(rest, [b'(' | b'|', ..]))
    };
    !is_blank(line) && (matches!(word, [_, b'(', ..]) || !SKIPPED.iter().any(skipped))
}

/// Parses a line, which comes without its line feed.
pub(super) fn parse(line: &[u8]) -> Result<Line<'_>, LineError> {
    if line.len() > LONGEST_LINE {
        let found = format!("a line of {} bytes", line.len());
        return Err(LineError::new(0, found, "an operation, as in `T0|r(V1)|345`"));
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let bar = |from: usize| memchr(b'|', &line[from..]).map(|at| from + at);
    let Some(after_thread) = bar(0) else {
        return Err(LineError::new(line.len(), "the line ends", "`|` after the thread"));
    };
    if after_thread == 0 {
        return Err(LineError::new(0, "`|`", "a thread"));
    }
    let start = after_thread + 1;
    let Some(end) = bar(start) else {
        return Err(LineError::new(line.len(), "the line ends", "`|` after the operation"));
    };
    let (operation, target) = operation(&line[start..end], start)?;
    let location = end + 1;
    if let Some(at) = bar(location) {
        return Err(LineError::new(at, "a fourth field", "the end of the line"));
    }
    Ok(Line { thread: &line[..after_thread], operation, target, location: &line[location..] })
}

/// Parses `WORD(TARGET)`, which starts at byte `start` of its line.
fn operation(field: &[u8], start: usize) -> Result<(Operation, &[u8]), LineError> {
    let open = memchr(b'(', field).unwrap_or(field.len());
    let word = &field[..open];
    let operation = match WORDS.iter().find(|(known, _)| *known == word) {
        Some(&(_, operation)) => operation,
        None if SKIPPED.iter().any(|known| known.as_bytes() == word) => Operation::Skipped,
        None => {
            let found = format!("operation `{}`", Escaped(&word[..word.len().min(40)]));
            let known = "one of r, w, acq, rel, fork, join, begin, end, enter, exit";
            return Err(LineError::new(start, found, known));
        }
    };
    let may_lack = matches!(operation, Operation::Begin | Operation::End | Operation::Skipped);
    if open == field.len() && may_lack {
        return Ok((operation, b""));
    }
    let after = start + field.len();
    let Some(target) = field.get(open + 1..) else {
        return Err(LineError::new(after, "the operation ends", "its target in parentheses"));
    };
    let Some(target) = target.strip_suffix(b")") else {
        return Err(LineError::new(after, "the operation ends", "`)` after its target"));
    };
    if target.is_empty() && !may_lack {
        return Err(LineError::new(after - 1, "`)`", "a target"));
    }
    Ok((operation, target))
}
