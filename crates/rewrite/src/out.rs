//! The output, written front to back: pieces of the source, and text between them.

use crate::place::Places;

/// Maps positions in the code to positions in the source: pairs of byte offsets (in the code, in
/// the source), ascending in both. The code between two pairs is copied from the source, or was
/// inserted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Mapping {
    pairs: Vec<(u32, u32)>,
}

impl Mapping {
    /// Returns the source map, version 3, of `code` for `source`, which the map calls `name`.
    pub fn to_json(&self, code: &str, source: &str, name: &str) -> String {
        let (from, to) = (Places::new(code), Places::new(source));
        let mut mappings = String::new();
        let (mut line, mut column) = (1, 0_i64);
        let (mut source_line, mut source_column) = (1_i64, 1_i64);
        let mut first = true;
        for &(code_offset, source_offset) in &self.pairs {
            let (at_line, at_column) = from.line_column(code_offset);
            while line < at_line {
                mappings.push(';');
                line += 1;
                column = 0;
                first = true;
            }
            if !first {
                mappings.push(',');
            }
            first = false;
            let (to_line, to_column) = to.line_column(source_offset);
            let (to_line, to_column) = (i64::from(to_line), i64::from(to_column));
            let at_column = i64::from(at_column) - 1;
            for number in [at_column - column, 0, to_line - source_line, to_column - source_column]
            {
                vlq(&mut mappings, number);
            }
            (column, source_line, source_column) = (at_column, to_line, to_column);
        }
        let quoted = quote(name);
        format!(r#"{{"version":3,"sources":[{quoted}],"names":[],"mappings":"{mappings}"}}"#)
    }

    /// The offset in the source for an offset in the code: that of the nearest piece before it.
    pub fn source_offset(&self, code_offset: u32) -> u32 {
        let after = self.pairs.partition_point(|&(code, _)| code <= code_offset);
        after.checked_sub(1).map_or(0, |last| self.pairs[last].1)
    }
}

fn vlq(out: &mut String, number: i64) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut rest = (number.unsigned_abs() << 1) | u64::from(number < 0);
    loop {
        let digit = (rest & 31) as usize;
        rest >>= 5;
        out.push(DIGITS[if rest > 0 { digit | 32 } else { digit }] as char);
        if rest == 0 {
            return;
        }
    }
}

/// Returns `text` as a string literal that is valid in JavaScript and JSON.
pub(crate) fn quote(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                out.push('\\');
                out.push(char);
            }
            // An unescaped `<` could end an inline script early.
            '<' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' | '\u{7f}' => {
                write!(out, "\\u{:04x}", u32::from(char)).expect("a string takes it");
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// The output so far, and how much of the source it has used up.
pub(crate) struct Out<'s> {
    source: &'s str,
    code: String,
    used: usize,
    map: Vec<(u32, u32)>,
}

impl<'s> Out<'s> {
    pub(crate) fn new(source: &'s str) -> Out<'s> {
        let code = String::with_capacity(source.len() * 2 + 256);
        Out { source, code, used: 0, map: vec![(0, 0)] }
    }

    /// Copies the source up to an offset. Does nothing if it is already copied.
    pub(crate) fn copy_to(&mut self, offset: u32) {
        let offset = offset as usize;
        if offset > self.used {
            self.separate(self.source.as_bytes()[self.used]);
            self.code.push_str(&self.source[self.used..offset]);
            self.used = offset;
        }
    }

    /// Skips the source up to an offset, except its line breaks.
    pub(crate) fn skip_to(&mut self, offset: u32) {
        let offset = offset as usize;
        if offset > self.used {
            for char in self.source[self.used..offset].chars() {
                if matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
                    self.code.push(char);
                }
            }
            self.used = offset;
            self.mark();
        }
    }

    /// Adds text that is not in the source.
    pub(crate) fn add(&mut self, text: &str) {
        if let Some(&first) = text.as_bytes().first() {
            self.separate(first);
            self.code.push_str(text);
            self.mark();
        }
    }

    /// Adds a space if the next word would otherwise join the word before it, as in `typeof(a).b`.
    fn separate(&mut self, next: u8) {
        let wordy = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        if wordy(next) && self.code.as_bytes().last().is_some_and(|&last| wordy(last)) {
            self.code.push(' ');
        }
    }

    fn mark(&mut self) {
        let pair = (self.code.len() as u32, self.used as u32);
        match self.map.last_mut() {
            Some(last) if last.0 == pair.0 || last.1 == pair.1 => *last = pair,
            _ => self.map.push(pair),
        }
    }

    /// Returns the whole output, with `prologue` inserted at byte `at`.
    pub(crate) fn finish(mut self, at: usize, prologue: &str) -> (String, Mapping) {
        self.copy_to(self.source.len() as u32);
        self.code.insert_str(at, prologue);
        for pair in &mut self.map {
            if pair.0 as usize >= at {
                pair.0 += prologue.len() as u32;
            }
        }
        (self.code, Mapping { pairs: self.map })
    }

    pub(crate) fn len(&self) -> usize {
        self.code.len()
    }
}
