//! Names and values as text. Everything here comes from a trace and is not to be trusted.

use trace::Escaped;

/// A byte string as text: UTF-8 as it is, anything else with `%XX` for the bytes that are not.
///
/// The result may hold control characters: serialisers escape them their way, and what goes to a
/// terminal goes through [`printable`] as well.
pub fn text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push_str(&Escaped(chunk.invalid()).to_string());
        }
    }
    out
}

/// How many characters of a name or value are shown in text reports.
const SHOWN: usize = 120;

/// How many characters of a message are shown: ours, with names of the trace in it.
const MESSAGE_SHOWN: usize = 600;

/// Text that is safe in a terminal and in one line: control characters and marks that change the
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
    fn escapes_and_direction_marks_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(printable("x\u{202e}y\nz"), "x\\u{202e}y\\u{a}z");
        assert_eq!(printable(&"é".repeat(200)).chars().count(), SHOWN + 1);
    }
}
