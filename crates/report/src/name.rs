//! Converts names and values to text. All of them come from a trace and are untrusted.

use std::fmt::Write;

use trace::Escaped;

/// The number of bytes to which names and values in reports are truncated. A race quotes a dozen
/// names; if a report contained megabytes of each for every race, a small trace could fill any
/// memory.
const LONGEST: usize = 1000;

/// Converts bytes to text. UTF-8 stays as it is, and other bytes become `%XX`. Text longer than a
/// thousand bytes is truncated, and its length is added.
///
/// The result may contain control characters: serialisers escape them in their own way, and text
/// for people also passes through [`printable`].
pub fn text(bytes: &[u8]) -> String {
    let (kept, is_cut) = beginning(bytes);
    let mut out = String::with_capacity(kept.len());
    for chunk in kept.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push_str(&Escaped(chunk.invalid()).to_string());
        }
    }
    if is_cut {
        let _ = write!(out, "… ({} bytes)", bytes.len());
    }
    out
}

/// Returns the beginning of the bytes, up to the limit and without half a character at its end, and
/// whether they were truncated.
fn beginning(bytes: &[u8]) -> (&[u8], bool) {
    if bytes.len() <= LONGEST {
        return (bytes, false);
    }
    let is_boundary = |&at: &usize| bytes[at] & 0xc0 != 0x80;
    let end = (LONGEST - 3..=LONGEST).rev().find(is_boundary).unwrap_or(LONGEST);
    (&bytes[..end], true)
}

/// The number of characters to which a name or value is truncated in text for people.
const SHOWN: usize = 120;

/// The number of characters to which a message of the product, with names from the trace in it, is
/// truncated.
const MESSAGE_SHOWN: usize = 600;

/// Converts text to one line that is safe in a terminal. Control characters and marks that change
/// the direction of writing are shown as `\u{…}`, and long text is truncated.
pub fn printable(text: &str) -> String {
    cut(text, SHOWN)
}

/// Like [`printable`], but for a whole message, which may be longer.
pub fn printable_message(text: &str) -> String {
    cut(text, MESSAGE_SHOWN)
}

/// Returns text of any length on one line: control characters and characters that hide or reorder others are shown
/// as `\u{…}`.
pub fn visible(text: &str) -> String {
    cut(text, usize::MAX)
}

fn cut(text: &str, mut left: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if left == 0 {
            out.push('…');
            break;
        }
        left -= 1;
        if c.is_control() || is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns text of at most `longest` characters for people. Longer text loses its middle, so that the name
/// of a file at the end of its path stays.
pub(crate) fn middle(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return printable(text);
    }
    let (head, tail) = (longest / 3, longest - longest / 3 - 1);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    printable(&format!("{start}…{end}"))
}

/// Returns whether a character hides, joins or reorders others.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_shown_not_lost() {
        assert_eq!(text(b"caf\xc3\xa9 \xff\xfe!"), "café %FF%FE!");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        assert_eq!(text(&[b'x'; LONGEST]), "x".repeat(LONGEST));
        let long = format!("{}é{}", "x".repeat(LONGEST - 1), "y".repeat(9));
        let expected = format!("{}… ({} bytes)", "x".repeat(LONGEST - 1), long.len());
        assert_eq!(text(long.as_bytes()), expected);
        assert_eq!(text(&[0x80; LONGEST + 1]), format!("{}… (1001 bytes)", "%80".repeat(LONGEST)));
    }

    #[test]
    fn the_middle_of_a_path_is_left_out() {
        assert_eq!(middle("src/app.js", 12), "src/app.js");
        assert_eq!(middle("a/very/long/path/to/app.js", 12), "a/ve…/app.js");
    }

    #[test]
    fn escapes_and_direction_marks_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(printable("x\u{202e}y\nz"), "x\\u{202e}y\\u{a}z");
        assert_eq!(printable(&"é".repeat(200)).chars().count(), SHOWN + 1);
    }
}
