//! The lines of a source file that an excerpt needs.
//!
//! The printer of excerpts takes a text, and looks at all of it. A file may have megabytes, even in one line.
//! So it gets only the lines around the positions; other lines between them are empty, and lines of more than
//! [`LONGEST`] bytes are not shown. It costs one pass over the file up to the last position.

use std::ops::Range;

use crate::model::SourceEntry;

/// The longest line that is shown, in bytes.
const LONGEST: usize = 64 << 10;
/// How many lines before and after a position are kept.
const AROUND: usize = 4;
/// The longest distance between two positions that are in one excerpt, in lines.
const APART: usize = 100_000;

/// Some lines of a file.
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The first line of the file that is in the text, from 0.
    pub(super) first: usize,
    /// Where each line begins in the text.
    starts: Vec<usize>,
}

impl Excerpt {
    /// Returns the lines of a file around some positions. None if the file has no line for the first of
    /// them.
    pub(super) fn new<'s>(
        content: &str,
        places: impl Iterator<Item = &'s SourceEntry>,
    ) -> Option<Self> {
        let mut wanted = places.filter_map(|place| (place.line as usize).checked_sub(1));
        let one = wanted.next()?;
        let wanted: Vec<usize> =
            std::iter::once(one).chain(wanted.filter(|line| line.abs_diff(one) <= APART)).collect();
        let first = wanted.iter().min()?.saturating_sub(AROUND);
        let last = wanted.iter().max()? + AROUND;
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (number, line) in content.split_inclusive('\n').enumerate().take(last + 1).skip(first) {
            starts.push(text.len());
            let is_near = wanted.iter().any(|place| place.abs_diff(number) <= AROUND);
            text.push_str(if is_near && line.len() <= LONGEST { line } else { "\n" });
        }
        (starts.len() > one - first).then_some(Self { text, first, starts })
    }

    /// Returns the bytes of the word at a position, or of the whole line without its indentation. None if the
    /// line is not shown.
    pub(super) fn span(&self, source: &SourceEntry) -> Option<Range<usize>> {
        let number = (source.line as usize).checked_sub(1 + self.first)?;
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end();
        if line.is_empty() {
            return None;
        }
        let column = source
            .column
            .and_then(|column| (column as usize).checked_sub(1))
            .filter(|&column| column < line.len() && line.is_char_boundary(column));
        Some(match column {
            Some(column) => {
                let rest = &line[column..];
                let word = rest
                    .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
                    .unwrap_or(rest.len());
                let first = rest.chars().next().map_or(1, char::len_utf8);
                start + column..start + column + word.max(first)
            }
            None => start + (line.len() - line.trim_start().len())..start + line.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> SourceEntry {
        SourceEntry { file: "a.js".into(), line, column: Some(column) }
    }

    #[test]
    fn positions_lead_to_the_same_words_as_in_the_whole_file() {
        let lines: Vec<String> = (1..=500).map(|n| format!("  word{n} other{n}\n")).collect();
        let content = lines.concat();
        for (one, other) in [(1, 500), (250, 252), (500, 1), (7, 7)] {
            let places = [at(one, 3), at(other, 3)];
            let excerpt = Excerpt::new(&content, places.iter()).expect("lines");
            for place in &places {
                let span = excerpt.span(place).expect("a line");
                assert_eq!(&excerpt.text[span], format!("word{}", place.line));
            }
            let whole = SourceEntry { column: None, ..at(one, 1) };
            let span = excerpt.span(&whole).expect("a line");
            assert_eq!(&excerpt.text[span], format!("word{one} other{one}"));
            assert_eq!(excerpt.text.lines().count(), excerpt.starts.len());
        }
        assert!(Excerpt::new(&content, [at(501, 1), at(1, 1)].iter()).is_none());
        assert!(Excerpt::new(&content, [at(0, 1)].iter()).is_none());
    }

    #[test]
    fn a_line_of_megabytes_is_not_shown() {
        let content = format!("first\n{}\nthird", "x".repeat(4 << 20));
        let excerpt = Excerpt::new(&content, [at(2, 5), at(3, 1)].iter()).expect("lines");
        assert!(excerpt.text.len() < 100);
        assert_eq!(excerpt.span(&at(2, 5)), None);
        assert_eq!(excerpt.span(&at(3, 1)).map(|span| &excerpt.text[span]), Some("third"));
        assert_eq!(excerpt.span(&at(9, 1)), None);
    }
}
