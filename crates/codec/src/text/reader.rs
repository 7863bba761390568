//! Reads the notation: the first line, then header lines, then operations.

use trace::{Diagnostics, TextId, TraceBuilder};

use super::cursor::Cursor;
use super::header::Header;
use super::sink::Sink;
use super::spelling::{HEADERS, MAGIC, VERSION};
use super::word::{Quoted, Word, decode};
use crate::native::Named;
use crate::{Completeness, Loaded, ReadError};

/// Reads a trace in the text notation.
///
/// A byte order mark and line ends of either kind are accepted. Time and space are linear in the
/// input, whatever it contains.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut reader = Reader {
        cursor: Cursor::new(bytes),
        builder: TraceBuilder::new(),
        notes: Diagnostics::default(),
        header: Header::default(),
        scratch: Vec::new(),
    };
    reader.first_line()?;
    let mut completeness = Completeness::whole();
    while reader.cursor.next_line() {
        match reader.line() {
            Ok(()) => {}
            Err(error) if reader.cursor.is_in_unended_line() => {
                completeness = Completeness::cut_line(&error);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    if completeness.loss().is_none() && reader.cursor.is_in_unended_line() {
        completeness = Completeness::unended_line(reader.cursor.line());
    }
    let (trace, anomalies) = reader.builder.finish();
    let mut diagnostics = reader.notes.finish();
    diagnostics.extend(anomalies);
    Ok(Loaded::new(trace, diagnostics, completeness))
}

/// The state of reading a text into a trace.
pub(super) struct Reader<'a, S> {
    pub(super) cursor: Cursor<'a>,
    pub(super) builder: S,
    /// The anomalies of the text. The builder has its own list for those of the operations.
    pub(super) notes: Diagnostics,
    pub(super) header: Header,
    pub(super) scratch: Vec<u8>,
}

impl Reader<'_, TraceBuilder> {
    /// Reads the current line: a header line, an operation, or an empty line.
    fn line(&mut self) -> Result<(), ReadError> {
        match self.cursor.word()? {
            None => Ok(()),
            Some(word) if self.builder.is_empty() && HEADERS.contains(&word.bytes) => {
                self.header_line(word)
            }
            Some(word) => self.operation(word),
        }
    }

    fn first_line(&mut self) -> Result<(), ReadError> {
        let magic = "`interloper-trace 1` on the first line";
        // Bytes that are no text are probably another format, so the error does not ask for an
        // escape.
        let first = self.cursor.word().map_err(|e| ReadError { expected: magic.into(), ..e })?;
        match first {
            Some(word) if word.bytes == MAGIC => {}
            Some(word) => return Err(self.cursor.unexpected(word, magic)),
            None => return Err(self.cursor.missing(magic)),
        }
        let version = "version 1, the one this program reads";
        match self.cursor.word()? {
            Some(word) if word.bytes == VERSION => self.end_of_line("the end of the first line"),
            Some(word) => {
                let found = format!("version {}", Quoted(word.bytes));
                Err(self.cursor.error(word.start, found, version))
            }
            None => Err(self.cursor.missing(version)),
        }
    }
}

impl<'a, S: Sink> Reader<'a, S> {
    /// Fails if the line has further words.
    fn end_of_line(&mut self, expected: &str) -> Result<(), ReadError> {
        match self.cursor.word()? {
            Some(word) => Err(self.cursor.unexpected(word, expected)),
            None => Ok(()),
        }
    }

    /// Reads the next word of the line as an argument. `what` describes it in an error.
    pub(super) fn argument(&mut self, what: &str) -> Result<Word<'a>, ReadError> {
        match self.cursor.word()? {
            Some(word) if word.equals.is_some() => Err(self.cursor.unexpected(word, what)),
            Some(word) => Ok(word),
            None => Err(self.cursor.missing(what)),
        }
    }

    /// Reads the next word of the line as a name. `what` describes the named thing in an error.
    pub(super) fn name<I: Named>(&mut self, what: &str) -> Result<I, ReadError> {
        let word = self.argument(what)?;
        self.intern(word)
    }

    /// Returns the id of the name that `word` spells.
    pub(super) fn intern<I: Named>(&mut self, word: Word<'_>) -> Result<I, ReadError> {
        match decode(word, &mut self.scratch) {
            Ok(name) => Ok(self.builder.intern(name)),
            Err(offset) => Err(self.bad_escape(word, offset)),
        }
    }

    /// Interns the free text that `word` spells.
    pub(super) fn text(&mut self, word: Word<'_>) -> Result<TextId, ReadError> {
        self.intern(word)
    }

    /// Fails if `word`, which is otherwise ignored, has a malformed escape.
    pub(super) fn check_escapes(&mut self, word: Word<'_>) -> Result<(), ReadError> {
        match decode(word, &mut self.scratch) {
            Ok(_) => Ok(()),
            Err(offset) => Err(self.bad_escape(word, offset)),
        }
    }

    fn bad_escape(&self, word: Word<'_>, offset: usize) -> ReadError {
        let escape = &word.bytes[offset..word.bytes.len().min(offset + 3)];
        let found = Quoted(escape).to_string();
        self.cursor.error(word.start + offset, found, "`%` and two hexadecimal digits")
    }
}
