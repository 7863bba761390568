//! Names and values as text. Everything here comes from a trace and is not to be trusted.

use std::fmt::Write;

use trace::Escaped;

/// How many bytes of a name or value a report holds. A race quotes a dozen names: whole megabytes
/// of each, for every race, would let a small trace fill any memory.
const LONGEST: usize = 1000;

/// A byte string as text: UTF-8 as it is, anything else with `%XX` for the bytes that are not; of
/// what is longer than a thousand bytes, the beginning and the length.
///
/// The result may hold control characters: serialisers escape them their way, and what people read
/// goes through [`printable`] as well.
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

/// What is kept of a byte string, without half a character at its end.
fn beginning(bytes: &[u8]) -> (&[u8], bool) {
    if bytes.len() <= LONGEST {
        return (bytes, false);
    }
    let is_boundary = |&at: &usize| bytes[at] & 0xc0 != 0x80;
    let end = (LONGEST - 3..=LONGEST).rev().find(is_boundary).unwrap_or(LONGEST);
    (&bytes[..end], true)
}

/// How many characters of a name or value are shown to people.
const SHOWN: usize = 120;

/// How many characters of a message are shown: ours, with names of the trace in it.
const MESSAGE_SHOWN: usize = 600;

/// Text for people, safe in a terminal and in one line: control characters and marks that change the
/// direction of writing are shown as `\u{…}`, and what is too long is cut.
pub fn printable(text: &str) -> String {
    cut(text, SHOWN)
}

/// The same for a whole message.
pub fn printable_message(text: &str) -> String {
    cut(text, MESSAGE_SHOWN)
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

/// Characters that hide, join or reorder others.
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
    fn escapes_and_direction_marks_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(printable("x\u{202e}y\nz"), "x\\u{202e}y\\u{a}z");
        assert_eq!(printable(&"é".repeat(200)).chars().count(), SHOWN + 1);
    }
}
