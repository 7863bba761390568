//! Edits of a text, made front to back.

use std::ops::Range;

use super::find::Quote;

/// A text, and the replacements of pieces of it.
pub(super) struct Edits<'t> {
    text: &'t str,
    made: Vec<(Range<usize>, String)>,
    /// Byte offset of the start of each line.
    lines: Vec<usize>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Edits<'t> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let lines = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        Edits { text, made: Vec::new(), lines }
    }

    /// Line and column of a byte offset, both from 1, columns in UTF-16 code units.
    pub(super) fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= offset);
        let before = &self.text[self.lines[line - 1]..offset];
        (line as u32, before.encode_utf16().count() as u32 + 1)
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
