//! The trailer of an operation line: keys with values, and flags, in any order, after the
//! arguments.

use trace::{Attributes, OpKind, Posting, Provenance, Source, SourceId};

use super::reader::Reader;
use super::sink::Sink;
use super::source;
use super::spelling::{Flag, Key, takes_flags};
use super::word::Word;
use crate::{ReadError, anomaly};

/// The keys and flags of one line.
#[derive(Default)]
pub(super) struct Trailer {
    pub(super) attributes: Attributes,
    pub(super) posting: Option<Posting>,
    pub(super) is_async: bool,
    pub(super) sync: bool,
    /// A bit for every key and flag that was given.
    given: u32,
}

impl Trailer {
    /// Notes that key or flag number `bit` is given. Returns whether it was given before.
    fn repeats(&mut self, bit: usize) -> bool {
        let before = self.given;
        self.given |= 1 << bit;
        self.given == before
    }
}

impl<S: Sink> Reader<'_, S> {
    /// Reads the keys and flags after the arguments of an operation of `kind`.
    pub(super) fn trailer(&mut self, kind: OpKind) -> Result<Trailer, ReadError> {
        let mut trailer = Trailer::default();
        // A bare word directly after the arguments of an operation without flags is one argument
        // too many, rather than a flag of a later version.
        let mut flags_may_follow = takes_flags(kind);
        while let Some(word) = self.cursor.word()? {
            match word.key_value() {
                Some((key, value)) => self.key(kind, word, key, value, &mut trailer)?,
                None => match Flag::parse(word.bytes) {
                    Some(flag) => self.flag(kind, word, flag, &mut trailer)?,
                    None if flags_may_follow => self.ignore_flag(word)?,
                    None => return Err(self.extra_argument(kind, word)),
                },
            }
            flags_may_follow = true;
        }
        Ok(trailer)
    }

    fn extra_argument(&self, kind: OpKind, word: Word<'_>) -> ReadError {
        let expected = format!("no further argument of `{}`", kind.word());
        self.cursor.unexpected(word, expected)
    }

    fn key(
        &mut self,
        kind: OpKind,
        word: Word<'_>,
        name: Word<'_>,
        value: Word<'_>,
        trailer: &mut Trailer,
    ) -> Result<(), ReadError> {
        let Some(key) = Key::parse(name.bytes) else { return self.ignore_key(word) };
        if trailer.repeats(key as usize) {
            let expected = format!("`{}=` at most once", key.word());
            return Err(self.cursor.unexpected(word, expected));
        }
        if !key.is_of(kind) {
            return self.ignore_key(word);
        }
        let attributes = &mut trailer.attributes;
        match key {
            Key::At => attributes.at = Some(self.unsigned(value)?),
            Key::Id => attributes.source_id = Some(self.unsigned(value)?),
            Key::Source => attributes.source = Some(self.source(value)?),
            Key::Value => attributes.value = Some(self.text(value)?),
            Key::Type | Key::By => attributes.event_type = Some(self.text(value)?),
            Key::Name => attributes.event_name = Some(self.text(value)?),
            Key::Kind => attributes.provenance = self.function_kind(value)?,
            Key::Delay => {
                let posting = Posting::Delayed(self.signed(value)?);
                self.post(word, posting, trailer)?;
            }
            Key::Time => {
                let posting = Posting::AtTime(self.signed(value)?);
                self.post(word, posting, trailer)?;
            }
        }
        Ok(())
    }

    fn function_kind(&mut self, value: Word<'_>) -> Result<Option<Provenance>, ReadError> {
        let kind = Provenance::from_word(value.bytes);
        if kind.is_none() {
            self.check_escapes(value)?;
            self.note(&anomaly::UNKNOWN_KIND, value, "kind");
        }
        Ok(kind)
    }

    fn flag(
        &mut self,
        kind: OpKind,
        word: Word<'_>,
        flag: Flag,
        trailer: &mut Trailer,
    ) -> Result<(), ReadError> {
        // Keys use the lower half of the bits.
        if trailer.repeats(16 + flag.index()) {
            return Err(self.cursor.unexpected(word, "a flag at most once"));
        }
        if !flag.is_of(kind) {
            self.note(&anomaly::MISPLACED_FLAG, word, "flag");
            return Ok(());
        }
        match flag {
            Flag::Posting(posting) => self.post(word, posting, trailer)?,
            Flag::Sync => trailer.sync = true,
            Flag::Async | Flag::Barrier => trailer.is_async = true,
        }
        Ok(())
    }

    /// Sets the posting of a message. A second posting is an error.
    fn post(
        &self,
        word: Word<'_>,
        posting: Posting,
        trailer: &mut Trailer,
    ) -> Result<(), ReadError> {
        match trailer.posting.replace(posting) {
            None => Ok(()),
            Some(_) => Err(self.cursor.unexpected(
                word,
                "one of `delay=`, `time=`, `front`, `idle`, `input`, `display`, `ipc` at most",
            )),
        }
    }

    fn unsigned(&self, value: Word<'_>) -> Result<u64, ReadError> {
        number(value.bytes)
            .ok_or_else(|| self.cursor.unexpected(value, "a whole number from 0 to 2^64 - 1"))
    }

    fn signed(&self, value: Word<'_>) -> Result<i64, ReadError> {
        number(value.bytes)
            .ok_or_else(|| self.cursor.unexpected(value, "a whole number from -2^63 to 2^63 - 1"))
    }

    fn source(&mut self, value: Word<'_>) -> Result<SourceId, ReadError> {
        let expected = "FILE:LINE or FILE:LINE:COL, the numbers below 2^32";
        let Some(parts) = source::split(value.bytes) else {
            return Err(self.cursor.unexpected(value, expected));
        };
        let line = number(parts.line);
        let column = parts.column.map(number);
        let (Some(line), None | Some(Some(_))) = (line, column) else {
            return Err(self.cursor.unexpected(value, expected));
        };
        let file = self.text(Word { bytes: parts.file, ..value })?;
        Ok(self.builder.source(Source { file, line, column: column.flatten() }))
    }
}

/// Parses a decimal number without a plus sign.
fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    digits.parse().ok()
}
