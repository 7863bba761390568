//! Escapes text for each format, so that it stays plain text there.
//!
//! Text for people has already passed [`crate::name::printable`]: it is one line, bounded, and
//! without invisible characters. The functions here escape only what is special to a format.

use std::fmt::Write;

/// Escapes text for HTML and XML 1.0, in content and in quoted attributes.
///
/// Characters that XML cannot contain, even as references, are shown as `\u{…}`.
pub(crate) fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            _ if c.is_control() => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

/// Escapes text for HTML inside Markdown, where characters that are special to Markdown become
/// references as well.
pub(crate) fn markup_in_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "`*_~[]()!|@#:\\".contains(c) {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push_str(&markup(c.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

/// Returns a Markdown code span. Nothing inside it is a link, a mention, HTML or the end of the
/// span.
pub(crate) fn code_span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad =
        if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a Markdown code block of several lines.
pub(crate) fn code_block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}

fn longest_run(text: &str, wanted: char) -> usize {
    let runs = text.split(|c| c != wanted);
    runs.map(str::len).max().unwrap_or(0)
}

/// Escapes the message of a GitHub workflow command.
pub(crate) fn command_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a GitHub workflow command.
pub(crate) fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes the text of a SARIF message, where brackets would make a link.
///
/// Braces stay single: a message without arguments has no placeholders, and readers do not undouble
/// braces.
pub(crate) fn sarif_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Converts a file name to a URI reference. Web addresses keep their scheme, absolute paths get
/// one, and no other name can look like a scheme.
pub(crate) fn uri(file: &str) -> String {
    let (scheme, rest) = match file.split_once("://") {
        Some((scheme @ ("http" | "https" | "file"), rest)) => (format!("{scheme}://"), rest),
        _ if file.starts_with('/') => ("file://".to_owned(), file),
        _ => (String::new(), file),
    };
    let has_port = scheme.starts_with("http");
    let mut out = scheme;
    for byte in rest.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b':' if has_port => out.push(':'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text_in_content_and_attributes() {
        assert_eq!(
            markup("<a href='x' b=\"y\">&"),
            "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;"
        );
        assert_eq!(markup("\u{0}\u{1b}\u{ffff}\r"), "\\u{0}\\u{1b}\\u{ffff}\\u{d}");
    }

    #[test]
    fn markdown_sees_nothing_in_html() {
        assert_eq!(
            markup_in_markdown("[x](y) <b> f_1"),
            "&#91;x&#93;&#40;y&#41; &lt;b&gt; f&#95;1"
        );
    }

    #[test]
    fn a_code_span_is_longer_than_what_it_holds() {
        assert_eq!(code_span("a|b"), "`a|b`");
        assert_eq!(code_span("a``b"), "```a``b```");
        assert_eq!(code_span("`"), "`` ` ``");
        assert_eq!(code_span(""), "`  `");
        assert_eq!(code_block("a\n```\nb"), "````text\na\n```\nb\n````\n");
    }

    #[test]
    fn a_workflow_command_cannot_be_ended_or_begun() {
        assert_eq!(command_data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(command_property("a:b,c%"), "a%3Ab%2Cc%25");
    }

    #[test]
    fn a_message_has_no_links_but_ours() {
        assert_eq!(sarif_text("[x](http://e) \\"), "\\[x\\](http://e) \\\\");
    }

    #[test]
    fn a_file_name_is_a_uri_reference() {
        assert_eq!(uri("src/Main Activity.java"), "src/Main%20Activity.java");
        assert_eq!(uri("/home/x/a.js"), "file:///home/x/a.js");
        assert_eq!(uri("http://e.org:80/a.js?x"), "http://e.org:80/a.js%3Fx");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
        assert_eq!(uri("C:\\a\\b.cs"), "C%3A/a/b.cs");
    }
}
