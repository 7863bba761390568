//! What was odd about a recording, counted by code: the page's diagnostics and the recorder's own.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many codes are told apart: a page may invent them.
const CODES: usize = 100;
/// How long a code and a text may be.
const CODE: usize = 40;
const TEXT: usize = 300;

/// One kind of oddity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What kind: a word.
    pub code: String,
    /// The first case.
    pub text: String,
    /// How many cases.
    pub count: u64,
}

/// Counts oddities, from any thread.
#[derive(Default)]
pub(crate) struct Notes {
    by_code: Mutex<BTreeMap<String, (String, u64)>>,
}

impl Notes {
    /// Counts one; only the first text of a code is kept.
    pub(crate) fn add(&self, code: &str, text: impl FnOnce() -> String) {
        let mut by_code = self.by_code.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = by_code.get_mut(code) {
            *count += 1;
        } else if by_code.len() < CODES {
            by_code.insert(cut(code, CODE), (cut(&text(), TEXT), 1));
        }
    }

    /// All of them, by code.
    pub(crate) fn all(&self) -> Vec<Note> {
        let by_code = self.by_code.lock().unwrap_or_else(PoisonError::into_inner);
        let note = |(code, (text, count)): (&String, &(String, u64))| Note {
            code: code.clone(),
            text: text.clone(),
            count: *count,
        };
        by_code.iter().map(note).collect()
    }
}

/// The start of a text, of so many bytes at most.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    let mut end = longest.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_string()
}
