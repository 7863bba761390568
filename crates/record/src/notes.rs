//! Notes on a recording: diagnostics of the recorded program and of the recorder, counted by code.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many codes are counted. The bound is needed because a recorded program may invent codes.
const CODES: usize = 100;
/// How long a code and a text may be.
const CODE: usize = 40;
const TEXT: usize = 300;

/// One kind of diagnostic in a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The code of the diagnostic: one word.
    pub code: String,
    /// The text of the first case.
    pub text: String,
    /// The number of cases.
    pub count: u64,
}

/// Counts the diagnostics of a recording, from any thread. Memory is bounded.
#[derive(Default)]
pub struct Notes {
    by_code: Mutex<BTreeMap<String, (String, u64)>>,
}

impl Notes {
    /// Counts one case of `code`. Only the first text of a code is kept.
    pub fn add(&self, code: &str, text: impl FnOnce() -> String) {
        let mut by_code = self.by_code.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = by_code.get_mut(code) {
            *count += 1;
        } else if by_code.len() < CODES {
            by_code.insert(cut(code, CODE), (cut(&text(), TEXT), 1));
        }
    }

    /// Returns all notes, ordered by code.
    pub fn all(&self) -> Vec<Note> {
        let by_code = self.by_code.lock().unwrap_or_else(PoisonError::into_inner);
        let note = |(code, (text, count)): (&String, &(String, u64))| Note {
            code: code.clone(),
            text: text.clone(),
            count: *count,
        };
        by_code.iter().map(note).collect()
    }
}

/// Returns the start of `text`, of at most `longest` bytes.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    cut_str(text, longest).to_string()
}

/// Like [`cut`], without a copy.
pub(crate) fn cut_str(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest)]
}
