//! Words, and the escapes in them.

use std::fmt;

use trace::Escaped;

use super::cursor::{Class, class};

/// A word of a line: printable ASCII without spaces.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    /// The bytes of the word as written, with its escapes.
    pub(super) bytes: &'a [u8],
    /// The offset of the word in the text.
    pub(super) start: usize,
    /// The offset of `=` in the word.
    pub(super) equals: Option<usize>,
    /// Whether the word may contain a `%`. Most words have no escapes.
    pub(super) has_escapes: bool,
}

impl<'a> Word<'a> {
    /// Splits a `key=value` into its parts.
    pub(super) fn key_value(self) -> Option<(Self, Self)> {
        let equals = self.equals?;
        let part = |bytes: &'a [u8], start| Word { bytes, start, equals: None, ..self };
        let key = part(&self.bytes[..equals], self.start);
        Some((key, part(&self.bytes[equals + 1..], self.start + equals + 1)))
    }
}

/// The spelling of the empty name, which would otherwise be no word.
pub(super) const EMPTY: &[u8] = b"%";

/// Decodes the bytes that `word` spells, into `scratch` if the word has escapes. Returns the offset
/// of the `%` of a malformed escape as the error.
pub(super) fn decode<'a>(word: Word<'a>, scratch: &'a mut Vec<u8>) -> Result<&'a [u8], usize> {
    let raw = word.bytes;
    if !word.has_escapes {
        return Ok(raw);
    }
    scratch.clear();
    if raw == EMPTY {
        return Ok(scratch);
    }
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        if byte == b'%' {
            let digit = |i| raw.get(at + i).and_then(|&b| char::from(b).to_digit(16));
            let (Some(high), Some(low)) = (digit(1), digit(2)) else { return Err(at) };
            scratch.push((high * 16 + low) as u8);
            at += 3;
        } else {
            scratch.push(byte);
            at += 1;
        }
    }
    Ok(scratch)
}

/// Decodes a word that is a name or a value, and stands alone. Returns `None` if it is no such word:
/// it is empty, has a byte that must be escaped, `=` included, or a malformed escape.
///
/// ```
/// let mut scratch = Vec::new();
/// assert_eq!(codec::text::decode_word(b"a%20b", &mut scratch), Some(&b"a b"[..]));
/// assert_eq!(codec::text::decode_word(b"a b", &mut scratch), None);
/// ```
pub fn decode_word<'a>(word: &'a [u8], scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let mut has_escapes = false;
    for &byte in word {
        match class(byte) {
            Class::Plain => {}
            Class::Percent => has_escapes = true,
            Class::Equals | Class::Space | Class::Stop | Class::Foreign => return None,
        }
    }
    if word.is_empty() {
        return None;
    }
    decode(Word { bytes: word, start: 0, equals: None, has_escapes }, scratch).ok()
}

/// The longest quotation in a message.
const QUOTED_AT_MOST: usize = 40;

/// Displays a part of the input between backticks, escaped and truncated. An empty part is
/// displayed as `nothing`. The characters `%` and `=` of the input are not escaped.
pub(super) struct Quoted<'a>(pub(super) &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        let shown = &self.0[..self.0.len().min(QUOTED_AT_MOST)];
        f.write_str("`")?;
        for part in shown.split_inclusive(|b| matches!(b, b'%' | b'=')) {
            let (last, init) = part.split_last().expect("a part ends with its separator");
            match last {
                b'%' | b'=' => write!(f, "{}{}", Escaped(init), char::from(*last))?,
                _ => write!(f, "{}", Escaped(part))?,
            }
        }
        f.write_str("`")?;
        if shown.len() < self.0.len() {
            write!(f, "... ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}
