//! Dense ids for names that are mostly a letter and a number.

use trace::{Id, Names, TextId};

/// The names of one kind of thing, numbered in the order they were first seen.
///
/// A name like `V345` costs one load from a table, no hash, and four bytes of memory. Any other
/// name is stored in a hash table.
pub struct Ids {
    letter: u8,
    /// The id plus one of each number that follows the letter in a name, or 0 for none.
    by_number: Vec<u32>,
    odd: Names<TextId>,
    /// The id of each row of `odd`.
    odd_rows: Vec<u32>,
    /// The name of each id: a number, or [`ODD`] plus the row of an odd name.
    spelled: Vec<u32>,
}

/// The bound below which an entry of `spelled` is a number. Above it, the entry is an odd name.
const ODD: u32 = 10_000_000;

impl Ids {
    pub(super) fn new(letter: u8) -> Self {
        let (odd, odd_rows, spelled) = (Names::default(), Vec::new(), Vec::new());
        Self { letter, by_number: Vec::new(), odd, odd_rows, spelled }
    }

    /// The id of the name that consists of the letter and `number`, which must be below 10 million.
    #[inline]
    pub(super) fn numbered(&mut self, number: u32) -> u32 {
        match self.by_number.get(number as usize) {
            Some(&id) if id > 0 => id - 1,
            _ => self.new_number(number),
        }
    }

    #[cold]
    fn new_number(&mut self, number: u32) -> u32 {
        debug_assert!(number < ODD);
        if self.by_number.len() <= number as usize {
            self.by_number.resize(number as usize + 1, 0);
        }
        self.spelled.push(number);
        self.by_number[number as usize] = self.spelled.len() as u32;
        self.spelled.len() as u32 - 1
    }

    /// The id of any name.
    pub(super) fn named(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.number_in(name) {
            return self.numbered(number);
        }
        let row = self.odd.intern(name).index();
        if row == self.odd_rows.len() {
            self.odd_rows.push(self.spelled.len() as u32);
            self.spelled.push(ODD + row as u32);
        }
        self.odd_rows[row]
    }

    /// Returns the number in a common name.
    fn number_in(&self, name: &[u8]) -> Option<u32> {
        let digits = name.strip_prefix(&[self.letter])?;
        let common = matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && digits.len() <= 7;
        if !common || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        Some(digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// Returns the name of an id.
    pub fn spell(&self, id: impl Id) -> Vec<u8> {
        match self.spelled[id.index()] {
            number if number < ODD => {
                let mut name = vec![self.letter];
                name.extend(number.to_string().bytes());
                name
            }
            row => self.odd.get(TextId(row - ODD)).to_vec(),
        }
    }

    /// How many names there are; their ids are `0..len`.
    pub fn len(&self) -> usize {
        self.spelled.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.spelled.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_spelling_and_their_id() {
        let mut ids = Ids::new(b'V');
        let names: [&[u8]; 10] =
            [b"V7", b"V07", b"V", b"V0", b"x", b"V9999999", b"V10000000", b"T7", b"", b"V7x"];
        for (i, name) in names.iter().enumerate() {
            assert_eq!(ids.named(name), i as u32);
        }
        for (i, name) in names.iter().enumerate() {
            assert_eq!(ids.named(name), i as u32);
            assert_eq!(ids.spell(TextId(i as u32)), *name);
        }
        assert_eq!((ids.numbered(7), ids.numbered(9_999_999), ids.len()), (0, 5, names.len()));
    }
}
