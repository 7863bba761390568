//! A section of NUL-terminated strings, addressed by byte offset.
//!
//! Any offset inside the section is an id: the string runs from there to the next NUL, so an
//! offset into the middle of a string names its suffix, as it does in the original tool.

use memchr::{memchr, memchr_iter};

/// The bytes of a string section.
///
/// Invariant: empty, or ends in NUL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringTable {
    bytes: Vec<u8>,
}

impl StringTable {
    /// Returns the table with these bytes. If the last NUL is missing, it is added.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Self {
        if bytes.last().is_some_and(|&last| last != 0) {
            bytes.push(0);
        }
        Self { bytes }
    }

    /// Appends `text`, which must hold no NUL, and returns its offset.
    pub fn push(&mut self, text: &[u8]) -> usize {
        debug_assert!(memchr(0, text).is_none(), "a NUL would split the string");
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.bytes.push(0);
        offset
    }

    /// The string at `offset`; empty when the offset is outside the table.
    pub fn get(&self, offset: usize) -> &[u8] {
        let tail = self.bytes.get(offset..).unwrap_or_default();
        &tail[..memchr(0, tail).unwrap_or(tail.len())]
    }

    /// Whether the string at `offset` starts with `prefix`, which must hold no NUL.
    pub fn starts_with(&self, offset: usize, prefix: &[u8]) -> bool {
        self.bytes.get(offset..).is_some_and(|tail| tail.starts_with(prefix))
    }

    /// Whether a string starts exactly at `offset`.
    pub fn is_start(&self, offset: usize) -> bool {
        offset < self.bytes.len() && (offset == 0 || self.bytes[offset - 1] == 0)
    }

    /// Whether `offset` lies in the table.
    pub fn contains(&self, offset: usize) -> bool {
        offset < self.bytes.len()
    }

    /// The number of strings.
    pub fn count(&self) -> usize {
        memchr_iter(0, &self.bytes).count()
    }

    /// All strings with their offsets, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut start = 0;
        memchr_iter(0, &self.bytes).map(move |end| {
            let offset = std::mem::replace(&mut start, end + 1);
            (offset, &self.bytes[offset..end])
        })
    }

    /// The raw section.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_name_strings_and_their_suffixes() {
        let mut table = StringTable::default();
        let ab = table.push(b"ab");
        let empty = table.push(b"");
        let c = table.push(b"c");
        assert_eq!((ab, empty, c), (0, 3, 4));
        assert_eq!(table.get(1), b"b");
        assert_eq!(table.get(2), b"");
        assert_eq!(table.get(99), b"");
        assert_eq!(table.iter().collect::<Vec<_>>(), [(0, &b"ab"[..]), (3, b""), (4, b"c")]);
        assert_eq!(table.count(), 3);
        assert!(table.is_start(3) && !table.is_start(1) && !table.is_start(6));
    }

    #[test]
    fn a_missing_terminator_is_added() {
        let table = StringTable::from_bytes(b"a\0b".to_vec());
        assert_eq!(table.as_bytes(), b"a\0b\0");
        assert_eq!(StringTable::from_bytes(Vec::new()).count(), 0);
    }
}
