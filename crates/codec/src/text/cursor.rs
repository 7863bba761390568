//! Lines and words of the notation, with their positions.

use trace::Place;

use super::word::{Quoted, Word};
use crate::ReadError;

/// The class of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Plain,
    /// `=`: part of a word, once.
    Equals,
    /// `%`: part of a word, starts an escape.
    Percent,
    /// A space between words.
    Space,
    /// Ends the words of a line: a comment or the line's end.
    Stop,
    /// A byte that must be escaped in a word.
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0x21;
    while byte <= 0x7e {
        classes[byte] = Class::Plain;
        byte += 1;
    }
    classes[b'=' as usize] = Class::Equals;
    classes[b'%' as usize] = Class::Percent;
    classes[b' ' as usize] = Class::Space;
    classes[b'\t' as usize] = Class::Space;
    classes[b'#' as usize] = Class::Stop;
    classes[b'\n' as usize] = Class::Stop;
    classes[b'\r' as usize] = Class::Stop;
    classes
};

pub(super) fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// A position in a text, moving forward word by word and line by line.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    line_start: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `bytes`, after a byte order mark.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, line: 1, line_start: 0 }
    }

    /// The place of byte `at` of the current line.
    pub(super) fn place(&self, at: usize) -> Place {
        Place::Line { line: self.line, column: (at - self.line_start) as u64 + 1 }
    }

    /// Creates an error at byte `at` of the current line.
    pub(super) fn error(
        &self,
        at: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        ReadError::new(self.place(at), found, expected)
    }

    /// Creates an error at the end of the current line's words, where a word is missing.
    pub(super) fn missing(&self, expected: impl Into<String>) -> ReadError {
        self.error(self.at, "the line ends", expected)
    }

    /// The next word of the current line, if there is one.
    pub(super) fn word(&mut self) -> Result<Option<Word<'a>>, ReadError> {
        while self.bytes.get(self.at).is_some_and(|&b| class(b) == Class::Space) {
            self.at += 1;
        }
        let start = self.at;
        let (mut equals, mut has_escapes) = (None, false);
        while let Some(&byte) = self.bytes.get(self.at) {
            match class(byte) {
                Class::Plain => {}
                Class::Percent => has_escapes = true,
                Class::Equals if equals.is_none() => equals = Some(self.at - start),
                Class::Equals | Class::Foreign => return Err(self.foreign(byte)),
                Class::Stop if byte == b'\r' && !self.ends_line(self.at) => {
                    return Err(self.foreign(byte));
                }
                Class::Space | Class::Stop => break,
            }
            self.at += 1;
        }
        let bytes = &self.bytes[start..self.at];
        Ok((!bytes.is_empty()).then_some(Word { bytes, start, equals, has_escapes }))
    }

    /// Moves to the next line. Returns `false` at the end of the text. The rest of the current line
    /// is skipped; it is a comment once its words were read.
    pub(super) fn next_line(&mut self) -> bool {
        let Some(rest) = self.bytes.get(self.at..) else { return false };
        // A line without a comment ends after its words.
        let to_end = match rest {
            [b'\n', ..] => Some(0),
            [b'\r', b'\n', ..] => Some(1),
            _ => memchr::memchr(b'\n', rest),
        };
        let Some(to_end) = to_end else { return false };
        self.at += to_end + 1;
        self.line += 1;
        self.line_start = self.at;
        true
    }

    /// The number of the current line.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the current line is not empty and has no line feed at its end.
    pub(super) fn is_in_unended_line(&self) -> bool {
        let rest = &self.bytes[self.line_start..];
        memchr::memchr(b'\n', rest).is_none() && !rest.trim_ascii().is_empty()
    }

    /// Whether the carriage return at `at` belongs to a line's end.
    fn ends_line(&self, at: usize) -> bool {
        matches!(self.bytes.get(at + 1), None | Some(b'\n'))
    }

    fn foreign(&self, byte: u8) -> ReadError {
        let found = match byte {
            b'=' => "a second `=`".to_string(),
            _ => format!("byte {byte:#04x}"),
        };
        self.error(self.at, found, format!("`%{byte:02X}` in its place"))
    }

    /// Creates an error at `word`, and quotes it.
    pub(super) fn unexpected(&self, word: Word<'_>, expected: impl Into<String>) -> ReadError {
        self.error(word.start, Quoted(word.bytes).to_string(), expected)
    }
}
