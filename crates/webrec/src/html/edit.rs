//! Edits of a text, made front to back.

use std::cell::Cell;
use std::ops::Range;

use super::find::Quote;

/// A text, and the replacements of pieces of it.
pub(super) struct Edits<'t> {
    text: &'t str,
    made: Vec<(Range<usize>, String)>,
    /// Byte offset of the start of each line.
    lines: Vec<usize>,
    /// The last offset whose place was asked for, and its line and column from 0: a line may be long, and have
    /// many places.
    last: Cell<(usize, usize, usize)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Edits<'t> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let lines = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        Edits { text, made: Vec::new(), lines, last: Cell::default() }
    }

    /// Line and column of a byte offset, both from 1, columns in UTF-16 code units.
    pub(super) fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= offset) - 1;
        let (from, column) = match self.last.get() {
            (last, of, column) if of == line && last <= offset => (last, column),
            _ => (self.lines[line], 0),
        };
        let column = column + self.text[from..offset].encode_utf16().count();
        self.last.set((offset, line, column));
        (line as u32 + 1, column as u32 + 1)
    }

    pub(super) fn replace(&mut self, range: Range<usize>, by: String) {
        self.made.push((range, by));
    }

    /// Replaces the value of an attribute.
    pub(super) fn replace_value(&mut self, range: Range<usize>, quote: Quote, value: &str) {
        self.replace(range, quote.wrap(value));
    }

    /// Returns the edited text. Of two edits that overlap, the first counts.
    pub(super) fn finish(mut self) -> String {
        self.made.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.text.len() * 2);
        let mut used = 0;
        for (range, by) in self.made {
            if range.start >= used {
                out.push_str(&self.text[used..range.start]);
                out.push_str(&by);
                used = range.end;
            }
        }
        out.push_str(&self.text[used..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_does_not_depend_on_those_that_were_asked_for_before() {
        let text = "aé𝄞b\n\nüx y\n".repeat(3);
        let fresh = |offset| Edits::new(&text).place(offset);
        let edits = Edits::new(&text);
        let mut random = fastrand::Rng::with_seed(3);
        let offsets: Vec<usize> =
            (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)).collect();
        for &offset in &offsets {
            assert_eq!(edits.place(offset), fresh(offset));
        }
        for _ in 0..500 {
            let offset = offsets[random.usize(..offsets.len())];
            assert_eq!(edits.place(offset), fresh(offset), "{offset}");
        }
        assert_eq!(fresh(7), (1, 5));
    }
}
