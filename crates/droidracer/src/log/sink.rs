//! Collects the diagnostics of the reader and the environment model.
//!
//! A hostile log can have an anomaly on every line. Each code is reported in full up to
//! [`Sink::LIMIT`] times; one more diagnostic states the number of the rest.

use trace::{Code, Diagnostic, Place};

/// A bounded collection of diagnostics.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    counts: Vec<(&'static Code, u64)>,
}

impl Sink {
    /// The number of diagnostics of one code that are kept in full.
    pub const LIMIT: u64 = 50;

    /// Adds a diagnostic. `message` is called only if the diagnostic is kept.
    pub fn report(&mut self, code: &'static Code, at: Place, message: impl FnOnce() -> String) {
        let known = self.counts.iter().position(|(other, _)| std::ptr::eq(*other, code));
        let slot = known.unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        });
        self.counts[slot].1 += 1;
        if self.counts[slot].1 <= Self::LIMIT {
            self.found.push(Diagnostic::new(code, at, message()));
        }
    }

    /// Returns the diagnostics in the order in which they were found, then the number left out for
    /// each code.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        for (code, count) in self.counts {
            if count > Self::LIMIT {
                let message = format!("{} more of the same kind", count - Self::LIMIT);
                self.found.push(Diagnostic::new(code, Place::Whole, message));
            }
        }
        self.found
    }
}

/// Returns the place at the beginning of a line.
pub(crate) fn line(line: u64) -> Place {
    Place::Line { line, column: 1 }
}

/// Returns `text` in a form that is safe to print: short, and only printable ASCII.
pub(crate) fn quote(text: &[u8]) -> String {
    const SHOWN: usize = 60;
    let ellipsis = if text.len() > SHOWN { "…" } else { "" };
    format!("`{}{ellipsis}`", text[..text.len().min(SHOWN)].escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn a_flood_is_counted() {
        let mut sink = Sink::default();
        for n in 1..=Sink::LIMIT + 7 {
            sink.report(&codes::UNKNOWN_LINE, line(n), || "x".into());
        }
        let found = sink.finish();
        assert_eq!(found.len() as u64, Sink::LIMIT + 1);
        assert_eq!(found.last().unwrap().message, "7 more of the same kind");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quote(b"a\0\x1b[31m\xff"), r"`a\x00\x1b[31m\xff`");
        assert!(quote(&[b'x'; 1000]).len() < 80);
    }
}
