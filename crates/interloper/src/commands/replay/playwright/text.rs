//! The text of an emitted test, line by line, and what may stand in it. All text of a recording is untrusted: it
//! appears only in string literals and, made printable, in comments.

use std::fmt::Write;

use report::name::printable;

/// The width of a comment.
const WIDTH: usize = 100;

/// Lines of code.
#[derive(Default)]
pub(super) struct Text {
    lines: Vec<String>,
    depth: usize,
}

impl Text {
    /// Adds a line. Returns its number, from 1.
    pub(super) fn line(&mut self, code: impl AsRef<str>) -> usize {
        let code = code.as_ref();
        if code.starts_with(['}', ')', ']', '`']) {
            self.depth = self.depth.saturating_sub(1);
        }
        let indented = if code.is_empty() { String::new() } else { "  ".repeat(self.depth) + code };
        self.lines.push(indented);
        if code.ends_with(['{', '(', '[', '`']) {
            self.depth += 1;
        }
        self.lines.len()
    }

    /// Adds several lines.
    pub(super) fn lines(&mut self, code: &str) {
        for line in code.lines() {
            self.line(line.trim_start());
        }
    }

    /// Adds a comment, in as many lines as it takes.
    pub(super) fn comment(&mut self, words: &str) {
        let mut line = String::from("//");
        for word in words.split_whitespace() {
            if line.len() > 2 && line.len() + word.len() + 2 * self.depth >= WIDTH {
                self.line(&line);
                line = String::from("//");
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }

    pub(super) fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// A text as a string literal of JavaScript.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for char in text.chars() {
        match char {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if is_escaped(char) => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            char => out.push(char),
        }
    }
    out.push('\'');
    out
}

/// Whether a character is written by its number: a reader would not see it as it is.
fn is_escaped(char: char) -> bool {
    let shown = printable(char.encode_utf8(&mut [0; 4]));
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}') || !shown.starts_with(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_recording_stays_in_its_literal() {
        for (text, wanted) in [
            ("plain", "'plain'"),
            ("it's \\ here", "'it\\'s \\\\ here'"),
            ("two\nlines\u{2028}", "'two\\nlines\\u2028'"),
            ("\u{202e}x", "'\\u202ex'"),
            ("`${x}`", "'`${x}`'"),
        ] {
            assert_eq!(quoted(text), wanted);
        }
    }

    #[test]
    fn blocks_are_indented_and_comments_wrapped() {
        let mut text = Text::default();
        text.lines("if (a) {\nb();\n}");
        assert_eq!(text.line("c();"), 4);
        text.comment(&"word ".repeat(40));
        let text = text.finish();
        assert!(text.starts_with("if (a) {\n  b();\n}\nc();\n// word"), "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
    }
}
