//! Header lines: `model`, `process`, `location`.

use trace::{Code, Id, LocationId, LocationKind, ProcessId, TextId, ThreadId, TraceBuilder};

use super::reader::Reader;
use super::sink::Sink;
use super::spelling::Key;
use super::word::{Quoted, Word};
use crate::{ReadError, anomaly};

/// The contents of the header lines so far, which serve to find contradictions.
#[derive(Default)]
pub(super) struct Header {
    model: Option<TextId>,
    processes: Vec<Option<ProcessId>>,
    kinds: Vec<Option<LocationKind>>,
}

/// Stores `value` at `row`. Returns whether the row had another value.
fn contradicts<T: Copy + PartialEq>(rows: &mut Vec<Option<T>>, row: usize, value: T) -> bool {
    if rows.len() <= row {
        rows.resize(row + 1, None);
    }
    rows[row].replace(value).is_some_and(|before| before != value)
}

impl Reader<'_, TraceBuilder> {
    /// Reads the rest of the header line that `keyword` starts.
    pub(super) fn header_line(&mut self, keyword: Word<'_>) -> Result<(), ReadError> {
        match keyword.bytes {
            b"model" => self.model(),
            b"process" => self.process(),
            _ => self.location(),
        }
    }

    fn model(&mut self) -> Result<(), ReadError> {
        let word = self.argument("the name of a model")?;
        let model = self.text(word)?;
        if self.header.model.replace(model).is_some_and(|before| before != model) {
            self.note(&anomaly::CONTRADICTORY_HEADER, word, "model");
        }
        let name = self.builder.names().texts.get(model).to_vec();
        self.builder.set_model(&name);
        while let Some(word) = self.cursor.word()? {
            if word.equals.is_none() {
                return Err(self.cursor.unexpected(word, "one name of a model"));
            }
            self.ignore_key(word)?;
        }
        Ok(())
    }

    fn process(&mut self) -> Result<(), ReadError> {
        let process = self.name("the name of a process")?;
        let first = self.argument(
            "a thread of the process (a thread called `process` is `%70rocess` until the first operation)",
        )?;
        self.assign(first, process)?;
        while let Some(word) = self.cursor.word()? {
            if word.equals.is_some() {
                self.ignore_key(word)?;
            } else {
                self.assign(word, process)?;
            }
        }
        Ok(())
    }

    fn assign(&mut self, word: Word<'_>, process: ProcessId) -> Result<(), ReadError> {
        let thread: ThreadId = self.intern(word)?;
        if contradicts(&mut self.header.processes, thread.index(), process) {
            self.note(&anomaly::CONTRADICTORY_HEADER, word, "process of thread");
        }
        self.builder.assign_process(thread, process);
        Ok(())
    }
}

impl<S: Sink> Reader<'_, S> {
    pub(super) fn location(&mut self) -> Result<(), ReadError> {
        let name = self.argument("the name of a location")?;
        let location: LocationId = self.intern(name)?;
        let mut kind = None;
        while let Some(word) = self.cursor.word()? {
            match word.key_value() {
                Some((key, value)) if Key::parse(key.bytes) == Some(Key::Kind) => {
                    if kind.is_some() {
                        return Err(self.cursor.unexpected(word, "`kind=` once"));
                    }
                    kind = Some(self.kind(value)?);
                }
                Some(_) => self.ignore_key(word)?,
                None if kind.is_none() => {
                    return Err(self.cursor.unexpected(word, "`kind=` and a kind"));
                }
                None => self.ignore_flag(word)?,
            }
        }
        let Some(kind) = kind else { return Err(self.cursor.missing("`kind=` and a kind")) };
        if contradicts(&mut self.header.kinds, location.index(), kind) {
            self.note(&anomaly::CONTRADICTORY_HEADER, name, "kind of location");
        }
        self.builder.set_location_kind(location, kind);
        Ok(())
    }

    fn kind(&mut self, value: Word<'_>) -> Result<LocationKind, ReadError> {
        match LocationKind::from_word(value.bytes) {
            Some(kind) => Ok(kind),
            None => Ok(LocationKind::Other(self.text(value)?)),
        }
    }

    /// Records an anomaly at `word`, which is quoted after `what`.
    pub(super) fn note(&mut self, code: &'static Code, word: Word<'_>, what: &str) {
        let place = self.cursor.place(word.start);
        self.notes.report(code, place, || format!("{what} {}", Quoted(word.bytes)));
    }

    /// Ignores a `key=value` that has no meaning here in this version.
    pub(super) fn ignore_key(&mut self, word: Word<'_>) -> Result<(), ReadError> {
        let Some((key, value)) = word.key_value() else { return Ok(()) };
        if key.bytes.is_empty() {
            return Err(self.cursor.unexpected(word, "a key before `=`"));
        }
        self.check_escapes(key)?;
        self.check_escapes(value)?;
        match Key::parse(key.bytes) {
            Some(_) => self.note(&anomaly::MISPLACED_KEY, word, "key"),
            None => self.note(&anomaly::UNKNOWN_KEY, word, "key"),
        }
        Ok(())
    }

    /// Ignores a flag that this version does not know.
    pub(super) fn ignore_flag(&mut self, word: Word<'_>) -> Result<(), ReadError> {
        self.check_escapes(word)?;
        self.note(&anomaly::UNKNOWN_FLAG, word, "flag");
        Ok(())
    }
}
