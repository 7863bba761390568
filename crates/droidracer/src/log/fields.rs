//! The `key:value` fields of a line.
//!
//! The keys of a line come in a fixed order, so a value extends to the next key and may contain
//! anything else, including spaces. A space, or a tab and a space, precedes a key, with one
//! exception: nothing separates a thread's number from `thread-name:`.

use super::ObjectId;
use super::operation::Hash;
use crate::base::ThreadId;

/// The key that is not separated from the value before it.
const UNSEPARATED: &str = "thread-name";

/// An error in a field, with its byte position in the line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) key: &'static str,
    pub(crate) offset: usize,
    pub(crate) problem: Problem,
}

/// The kinds of errors in a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Missing,
    Bad,
}

/// A value and its position in the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) key: &'static str,
    pub(crate) text: &'a [u8],
    offset: usize,
}

/// Returns the values of `keys` in `line`, from byte `start`.
pub(crate) fn split<'a, const N: usize>(
    line: &'a [u8],
    start: usize,
    keys: [&'static str; N],
) -> Result<[Field<'a>; N], FieldError> {
    let mut fields = keys.map(|key| Field { key, text: &[], offset: 0 });
    let mut at = skip_separators(line, start);
    for (index, key) in keys.into_iter().enumerate() {
        if !is_key_at(line, at, key) {
            return Err(FieldError { key, offset: at, problem: Problem::Missing });
        }
        let value = at + key.len() + 1;
        let next = match keys.get(index + 1) {
            None => line.len(),
            Some(next) => find_key(line, value, next).ok_or(FieldError {
                key: next,
                offset: line.len(),
                problem: Problem::Missing,
            })?,
        };
        fields[index] = Field { key, text: line[value..next].trim_ascii(), offset: value };
        at = next;
    }
    Ok(fields)
}

fn skip_separators(line: &[u8], start: usize) -> usize {
    let rest = &line[start..];
    start + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len())
}

fn is_key_at(line: &[u8], at: usize, key: &str) -> bool {
    line[at..].strip_prefix(key.as_bytes()).is_some_and(|rest| rest.first() == Some(&b':'))
}

/// Returns the first `key:` at or after `start` that follows a separator.
fn find_key(line: &[u8], start: usize, key: &str) -> Option<usize> {
    (start..line.len()).find(|&at| {
        line[at] == key.as_bytes()[0]
            && is_key_at(line, at, key)
            && (key == UNSEPARATED || matches!(line[at - 1], b' ' | b'\t'))
    })
}

impl Field<'_> {
    fn bad(self) -> FieldError {
        FieldError { key: self.key, offset: self.offset, problem: Problem::Bad }
    }

    /// Returns the value up to the first white space.
    fn word(&self) -> &[u8] {
        let end = self.text.iter().position(u8::is_ascii_whitespace);
        &self.text[..end.unwrap_or(self.text.len())]
    }

    /// Returns the text after the first word, which may be empty.
    pub(crate) fn extra(&self) -> &[u8] {
        &self.text[self.word().len()..]
    }

    pub(crate) fn signed(self) -> Result<i64, FieldError> {
        std::str::from_utf8(self.word()).ok().and_then(|text| text.parse().ok()).ok_or(self.bad())
    }

    pub(crate) fn unsigned(self) -> Result<u64, FieldError> {
        number(self.word()).ok_or(self.bad())
    }

    pub(crate) fn u32(self) -> Result<u32, FieldError> {
        self.unsigned()?.try_into().map_err(|_| self.bad())
    }

    pub(crate) fn thread(self) -> Result<ThreadId, FieldError> {
        self.u32().map(ThreadId)
    }

    /// Parses 32 bits that are printed signed or unsigned.
    pub(crate) fn hash(self) -> Result<Hash, FieldError> {
        let value = self.signed()?;
        let unsigned = u32::try_from(value);
        let signed = i32::try_from(value).map(i32::cast_unsigned);
        unsigned.or(signed).map(Hash).map_err(|_| self.bad())
    }

    /// Parses a pointer.
    pub(crate) fn object(self) -> Result<ObjectId, FieldError> {
        let digits = self.word().strip_prefix(b"0x").ok_or(self.bad())?;
        let digits = std::str::from_utf8(digits).map_err(|_| self.bad())?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.bad());
        }
        u64::from_str_radix(digits, 16).map(ObjectId).map_err(|_| self.bad())
    }
}

/// Parses a decimal number, which consists of digits only, without a sign.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &[u8]) -> Field<'_> {
        Field { key: "k", text, offset: 0 }
    }

    #[test]
    fn values_extend_to_the_next_key() {
        let [tid, component, id] =
            split(b"tid:1\t component: id:7", 0, ["tid", "component", "id"]).unwrap();
        assert_eq!((tid.text, component.text, id.text), (&b"1"[..], &b""[..], &b"7"[..]));
        let [tid, name] =
            split(b"tid:2thread-name:Binder Thread #1", 0, ["tid", "thread-name"]).unwrap();
        assert_eq!((tid.text, name.text), (&b"2"[..], &b"Binder Thread #1"[..]));
    }

    #[test]
    fn a_key_must_follow_a_separator() {
        let error = split(b"tid:1id:2", 0, ["tid", "id"]).unwrap_err();
        assert_eq!((error.key, error.problem), ("id", Problem::Missing));
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(field(b"-1").hash(), Ok(Hash(u32::MAX)));
        assert_eq!(field(b"4294967295").hash(), Ok(Hash(u32::MAX)));
        assert!(field(b"4294967296").hash().is_err());
        assert!(field(b"-2147483649").hash().is_err());
        assert_eq!(field(b"0x4109c470").object(), Ok(ObjectId(0x4109_c470)));
        for bad in [&b""[..], b"0x", b"0x+1", b"41", b"0x11111111111111111", b"0x\xff"] {
            assert!(field(bad).object().is_err(), "{bad:?}");
        }
        for bad in [&b""[..], b"+1", b"-1", b"1\0", b"99999999999999999999"] {
            assert!(field(bad).unsigned().is_err(), "{bad:?}");
        }
    }
}
