//! Names of the form `V123` without hashing.
//!
//! Generated traces number their threads, locks and variables. A letter and a number is looked up
//! in a vector; any other name in the trace's own table. Both give the same ids.

use trace::{Id, Names};

/// Numbers from here on go through the table: bounds the vector.
const DIRECT: usize = 1 << 22;
const UNSEEN: u32 = u32::MAX;

/// A way around the table of one kind of names.
pub(super) struct Shortcut<I> {
    letter: u8,
    ids: Vec<u32>,
    kind: std::marker::PhantomData<I>,
}

impl<I> Default for Shortcut<I> {
    fn default() -> Self {
        Self { letter: 0, ids: Vec::new(), kind: std::marker::PhantomData }
    }
}

impl<I: Id> Shortcut<I> {
    /// The id of `name` in `names`, new if it was not seen before.
    pub(super) fn intern(&mut self, name: &[u8], names: &mut Names<I>) -> I {
        match numbered(name) {
            Some((letter, number)) => self.numbered(letter, number, names),
            None => names.intern(name),
        }
    }

    /// The id of the name that is `letter` and `number`.
    #[inline]
    pub(super) fn numbered(&mut self, letter: u8, number: u32, names: &mut Names<I>) -> I {
        match self.ids.get(number as usize) {
            Some(&id) if letter == self.letter && id != UNSEEN => I::new(id as usize),
            _ => self.intern_numbered(letter, number, names),
        }
    }

    #[cold]
    fn intern_numbered(&mut self, letter: u8, number: u32, names: &mut Names<I>) -> I {
        let id = names.intern(format!("{}{number}", char::from(letter)).as_bytes());
        if self.letter == 0 {
            self.letter = letter;
        }
        let row = number as usize;
        if self.letter == letter && row < DIRECT {
            if self.ids.len() <= row {
                self.ids.resize((row + 1).next_power_of_two(), UNSEEN);
            }
            self.ids[row] = id.index() as u32;
        }
        id
    }
}

/// The letter and number of a name that is exactly these, the number without leading zeros.
fn numbered(name: &[u8]) -> Option<(u8, u32)> {
    let (&letter, digits) = name.split_first()?;
    let number = number(digits)?;
    (letter.is_ascii_alphabetic() && (digits[0] != b'0' || digits.len() == 1))
        .then_some((letter, number))
}

/// A decimal number of at most nine digits.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |number, &digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit < 10).then_some(number * 10 + u32::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::LocationId;

    #[test]
    fn the_shortcut_gives_the_ids_of_the_table() {
        let spelled = ["V1", "V0", "x", "V01", "V1", "W1", "V", "", "V99999999", "V4194303", "W1"];
        let mut plain = Names::<LocationId>::default();
        let mut names = Names::<LocationId>::default();
        let mut shortcut = Shortcut::default();
        for name in spelled {
            let name = name.as_bytes();
            assert_eq!(shortcut.intern(name, &mut names), plain.intern(name));
        }
        assert_eq!(names.len(), plain.len());
    }
}
