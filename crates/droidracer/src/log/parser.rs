//! Reads a log from bytes, and returns an [`AbcLog`] and diagnostics.
//!
//! A line is an operation if it begins with a number, a space and a capital letter, wherever it is:
//! operations may follow the graph size in the tool's output. It is an access if it begins with
//! `rwId:`. Before the tool's output, any other line that is not blank is an anomaly; after its
//! start, such a line is part of the output. Accesses belong to the next ACCESS of their thread.
//!
//! A bad line is left out and reported with its line and column; no input causes a panic. Only an
//! input without a single operation, or with more than [`MAX_OPERATIONS`], is an error. The time is
//! linear in the input, except for the sort by number, which a log in order does not need.

use std::fmt;

use hashbrown::{HashMap, HashSet};
use trace::{Diagnostic, Place};

use super::fields::{FieldError, Problem, number};
use super::lines::LineReader;
use super::sink::{Sink, line, quote};
use super::{AbcLog, Access, AccessSet, LastLine, LogOp, OpKind};
use crate::base::ThreadId;
use crate::codes;

const HEADER: &[u8] = b"Android bug-checker log messages";
const REPORT: &[u8] = b" HB Graph";

/// The largest number of operations in a log. The relation's memory grows with the square of this
/// number: about 2 GB at this limit, which is more than the tool itself could hold.
pub const MAX_OPERATIONS: usize = 1 << 16;

/// The reason why an input cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The position of the error.
    pub at: Place,
    /// What was expected, and what to do.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a log.
pub fn parse(bytes: &[u8]) -> Result<(AbcLog, Vec<Diagnostic>), ParseError> {
    let mut parser = Parser::default();
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((index, text)) = lines.next() {
        let number = index as u64 + 1;
        let read = parser.line(number, text.strip_suffix(b"\r").unwrap_or(text));
        if lines.peek().is_none() && !parser.in_report && !text.trim_ascii().is_empty() {
            let line = if read { LastLine::Unended } else { LastLine::LeftOut };
            parser.log.last_line = line(number);
        }
        if parser.log.operations.len() > MAX_OPERATIONS {
            let message = format!("more than {MAX_OPERATIONS} operations; cut the log before here");
            return Err(ParseError { at: line(number), message });
        }
    }
    parser.finish()
}

/// Returns whether bytes look like a log: they start with its header or an operation of a known
/// kind.
pub fn looks_like(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let Some(first) = lines.find(|line| !line.trim_ascii().is_empty()) else { return false };
    let first = first.strip_suffix(b"\r").unwrap_or(first);
    first.starts_with(HEADER)
        || operation_number(first).is_some_and(|(id, end)| is_kind(&first[id.len() + 1..end]))
}

/// Returns whether there are operations of this kind.
fn is_kind(kind: &[u8]) -> bool {
    let (mut names, mut sink) = (super::Names::default(), Sink::default());
    let mut reader =
        LineReader { text: b"", fields: 0, number: 0, names: &mut names, sink: &mut sink };
    // An existing kind either needs no fields or is reported as lacking them.
    !matches!(reader.operation(kind), Ok(None))
}

#[derive(Default)]
struct Parser {
    log: AbcLog,
    sink: Sink,
    has_header: bool,
    in_report: bool,
    op_ids: HashSet<u64>,
    access_ids: HashSet<u64>,
    /// For each thread, the indices of the accesses that no ACCESS has closed yet.
    open: HashMap<ThreadId, Vec<usize>>,
    first_other: Option<(u64, Vec<u8>)>,
}

impl Parser {
    /// Parses a line, and returns whether it was an operation or an access.
    fn line(&mut self, number: u64, text: &[u8]) -> bool {
        let before = self.log.operations.len() + self.log.accesses.len();
        if let Some((id, rest)) = operation_number(text) {
            self.operation(number, text, id, rest);
        } else if text.starts_with(b"rwId:") {
            self.access(number, text);
        } else {
            self.other(number, text);
        }
        self.log.operations.len() + self.log.accesses.len() > before
    }

    fn other(&mut self, number: u64, text: &[u8]) {
        if text.starts_with(REPORT) {
            self.in_report = true;
        } else if text.starts_with(HEADER) && self.log.operations.is_empty() {
            self.has_header = true;
        } else if !self.in_report && !text.trim_ascii().is_empty() {
            self.sink.report(&codes::UNKNOWN_LINE, line(number), || quote(text));
            self.first_other.get_or_insert_with(|| (number, text[..text.len().min(64)].to_vec()));
        }
    }

    fn operation(&mut self, number: u64, text: &[u8], id: &[u8], fields: usize) {
        let kind_start = id.len() + 1;
        let kind = &text[kind_start..fields];
        let Some(id) = super::fields::number(id) else {
            let message = || format!("the operation number {} is out of range", quote(id));
            return self.sink.report(&codes::BAD_FIELD, line(number), message);
        };
        self.log.max_operation = self.log.max_operation.max(id);
        let mut reader =
            LineReader { text, fields, number, names: &mut self.log.names, sink: &mut self.sink };
        let said = match reader.operation(kind) {
            Ok(Some(said)) => said,
            Ok(None) => {
                let at = Place::Line { line: number, column: kind_start as u64 + 1 };
                return self.sink.report(&codes::UNKNOWN_KIND, at, || quote(kind));
            }
            Err(error) => return self.bad_field(number, text, &error),
        };
        if !self.op_ids.insert(id) {
            let message = || format!("operation {id} was logged before");
            return self.sink.report(&codes::DUPLICATE_OPERATION, line(number), message);
        }
        self.log.operations.push(LogOp { id, line: number, thread: said.thread, kind: said.kind });
        if let (OpKind::Access, Some(thread)) = (said.kind, said.thread) {
            self.close(thread, AccessSet { operation: id, id: said.access_set.unwrap_or(0) });
        }
    }

    fn close(&mut self, thread: ThreadId, set: AccessSet) {
        self.log.access_sets += 1;
        for index in self.open.remove(&thread).unwrap_or_default() {
            self.log.accesses[index].set = Some(set);
        }
    }

    fn access(&mut self, line_number: u64, text: &[u8]) {
        let rest = &text[b"rwId:".len()..];
        let id = &rest[..rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len())];
        let Some(id) = number(id).filter(|_| !id.is_empty()) else {
            let message = || format!("the access number {} is not a number", quote(id));
            let at = Place::Line { line: line_number, column: 6 };
            return self.sink.report(&codes::BAD_FIELD, at, message);
        };
        let kind_start = text.iter().position(|&byte| byte == b' ').map_or(text.len(), |at| at + 1);
        let fields = word_end(text, kind_start);
        let kind = &text[kind_start..fields];
        let mut reader = LineReader {
            text,
            fields,
            number: line_number,
            names: &mut self.log.names,
            sink: &mut self.sink,
        };
        let said = match reader.access(kind) {
            Ok(Some(said)) => said,
            Ok(None) => {
                let at = Place::Line { line: line_number, column: kind_start as u64 + 1 };
                return self.sink.report(&codes::UNKNOWN_KIND, at, || quote(kind));
            }
            Err(error) => return self.bad_field(line_number, text, &error),
        };
        if !self.access_ids.insert(id) {
            let message = || format!("access {id} was logged before");
            return self.sink.report(&codes::DUPLICATE_ACCESS, line(line_number), message);
        }
        self.open.entry(said.thread).or_default().push(self.log.accesses.len());
        self.log.accesses.push(Access {
            id,
            thread: said.thread,
            is_write: said.is_write,
            target: said.target,
            set: None,
        });
    }

    fn bad_field(&mut self, number: u64, text: &[u8], error: &FieldError) {
        let at = Place::Line { line: number, column: error.offset as u64 + 1 };
        match error.problem {
            Problem::Missing => {
                let message = || format!("`{}:` is missing in {}", error.key, quote(text));
                self.sink.report(&codes::MISSING_FIELD, at, message);
            }
            Problem::Bad => {
                let value = &text[error.offset..word_end(text, error.offset)];
                let message = || format!("`{}:` cannot be {}", error.key, quote(value));
                self.sink.report(&codes::BAD_FIELD, at, message);
            }
        }
    }

    fn finish(mut self) -> Result<(AbcLog, Vec<Diagnostic>), ParseError> {
        if self.log.operations.is_empty() {
            let (number, seen) = self.first_other.unwrap_or((1, Vec::new()));
            let what = if seen.is_empty() { "nothing of the kind".into() } else { quote(&seen) };
            let message = format!(
                "not an abc_log: expected an operation such as `1 START`, found {what}; \
                 check the file or name its format"
            );
            return Err(ParseError { at: line(number), message });
        }
        self.log.operations.sort_by_key(|op| op.id);
        let unclosed = self.log.accesses.iter().filter(|access| access.set.is_none()).count();
        self.log.access_sets += self.open.len() as u64;
        self.log.accesses.sort_by_key(|access| access.id);
        self.report_absences(unclosed);
        Ok((self.log, self.sink.finish()))
    }

    fn report_absences(&mut self, unclosed: usize) {
        if !self.has_header {
            let message = || format!("no line `{}`", HEADER.escape_ascii());
            self.sink.report(&codes::NO_HEADER, line(1), message);
        }
        if !self.in_report {
            let message = || format!("no line `{}`", REPORT.escape_ascii());
            self.sink.report(&codes::NO_REPORT, Place::Whole, message);
        }
        if !self.log.operations.iter().any(|op| op.kind == OpKind::Start) {
            self.sink.report(&codes::NO_START, Place::Whole, || "no operation START".into());
        }
        if unclosed > 0 {
            let message = || format!("{unclosed} accesses belong to no ACCESS");
            self.sink.report(&codes::UNCLOSED_ACCESS, Place::Whole, message);
        }
    }
}

/// Returns the digits with which an operation line begins, and the end of its kind.
fn operation_number(text: &[u8]) -> Option<(&[u8], usize)> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let is_operation = digits > 0
        && text[digits] == b' '
        && text.get(digits + 1).is_some_and(u8::is_ascii_uppercase);
    is_operation.then(|| (&text[..digits], word_end(text, digits + 1)))
}

/// Returns the end of the word that begins at `start`.
fn word_end(text: &[u8], start: usize) -> usize {
    let length = text[start..].iter().position(u8::is_ascii_whitespace);
    length.map_or(text.len(), |length| start + length)
}
