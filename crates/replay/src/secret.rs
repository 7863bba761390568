//! Secrets that a recording must not contain, such as what is typed into a password field.
//!
//! A placeholder `{secret:NAME}` stands in the place of a value. In an address it is `{secret:NAME:url}` where the
//! value was percent-encoded, and `{secret:NAME:form}` where spaces were written as `+`. Values shorter than
//! [`SHORTEST`] characters are hidden in steps only: they would be found everywhere.

use std::borrow::Cow;
use std::fmt::Write;

/// The shortest value that is hidden wherever it stands, in bytes.
const SHORTEST: usize = 4;

/// Values by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Secrets(Vec<(String, String)>);

/// A spelling of a value, by the word in its placeholder.
const SPELLINGS: [(&str, Spell); 3] =
    [("", str::to_owned), (":url", percent_encoded), (":form", form_encoded)];

type Spell = fn(&str) -> String;

impl Secrets {
    /// Creates a list from names and values.
    pub fn new(all: Vec<(String, String)>) -> Self {
        Self(all)
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Adds a value under a name like `wish`, unless it is known. Returns its name.
    pub fn learn(&mut self, wish: &str, value: &str) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, known)| known == value) {
            return name.clone();
        }
        let is_plain = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
        let plain: String = wish.chars().filter(is_plain).take(40).collect();
        let plain = if plain.is_empty() { "password".to_owned() } else { plain };
        let is_free = |name: &String| self.0.iter().all(|(known, _)| known != name);
        let numbered = (2..).map(|number: u32| format!("{plain}{number}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(is_free);
        let name = name.expect("numbers do not end");
        self.0.push((name.clone(), value.to_owned()));
        name
    }

    /// The placeholder of a name.
    pub fn placeholder(name: &str) -> String {
        format!("{{secret:{name}}}")
    }

    /// Returns a text in which placeholders stand for the values, however they are spelled.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for (name, value) in self.0.iter().filter(|(_, value)| value.len() >= SHORTEST) {
            for (word, spell) in SPELLINGS {
                let spelled = spell(value);
                if out.contains(&spelled) {
                    out = Cow::Owned(out.replace(&spelled, &format!("{{secret:{name}{word}}}")));
                }
            }
        }
        out
    }

    /// Returns a text in which the values stand for their placeholders.
    pub fn reveal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for (name, value) in &self.0 {
            for (word, spell) in SPELLINGS {
                let placeholder = format!("{{secret:{name}{word}}}");
                if out.contains(&placeholder) {
                    out = Cow::Owned(out.replace(&placeholder, &spell(value)));
                }
            }
        }
        out
    }

    /// Returns the lines of a recorded page in which placeholders stand for the values, and for a text that is
    /// the start of one, as a field contains it while the value is typed. What identifies events and numbers stays
    /// as it is, and so do packed accesses, which contain no text.
    pub fn hide_lines<'t>(&self, lines: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(lines);
        }
        let mut out = String::with_capacity(lines.len());
        for line in lines.split_inclusive('\n') {
            if line.starts_with('*') {
                out.push_str(line);
                continue;
            }
            for (at, word) in line.split_inclusive([' ', '\n']).enumerate() {
                if !word.trim_end().is_empty() && Self::may_hold(line, at, word) {
                    out.push_str(&self.hide_word(word));
                } else {
                    out.push_str(word);
                }
            }
        }
        Cow::Owned(out)
    }

    /// Whether a word of a line may contain text of the page: a definition, an attribute, or any word of a comment.
    fn may_hold(line: &str, at: usize, word: &str) -> bool {
        let is_number = word.trim_end().bytes().all(|byte| byte.is_ascii_digit());
        !is_number
            && (at > 0 && line.starts_with('=') || word.contains('=') || line.starts_with('#'))
    }

    fn hide_word(&self, word: &str) -> String {
        let text = word.trim_end();
        let rest = &word[text.len()..];
        let (key, value) = match text.split_once('=') {
            Some((key, value)) if key.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                (&text[..=key.len()], value)
            }
            _ => ("", text),
        };
        let text = decoded(value);
        let hidden = self.hide_text(&text);
        if hidden == text {
            return word.to_owned();
        }
        format!("{key}{}{rest}", percent_encoded(&hidden))
    }

    /// Hides values, a text that is the start of one, and the start of one before the end of a text that was cut.
    fn hide_text(&self, text: &str) -> String {
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        for (name, secret) in &self.0 {
            if let Some(start) = bare.filter(|bare| !bare.is_empty() && secret.starts_with(bare))
                && start.len() < secret.len()
            {
                return format!("\"{{secret:{name}}}[0..{}]\"", start.chars().count());
            }
        }
        let mut out = self.hide(text).into_owned();
        for (name, secret) in &self.0 {
            for (word, spell) in SPELLINGS {
                let spelled = spell(secret);
                let starts = spelled.char_indices().map(|(at, _)| &spelled[..at]);
                let long: Vec<_> = starts.filter(|start| start.len() >= SHORTEST).collect();
                for start in long.into_iter().rev() {
                    let cut = format!("{start}…");
                    out = out.replace(&cut, &format!("{{secret:{name}{word}}}[0..]…"));
                }
            }
        }
        out
    }
}

/// The text of a word in which characters are written by their numbers.
fn decoded(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let number = std::str::from_utf8(after.get(..2).unwrap_or_default()).ok();
        match number.and_then(|number| u8::from_str_radix(number, 16).ok()) {
            Some(number) if byte == b'%' => {
                bytes.push(number);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The names of the placeholders in a text, each once.
pub fn secret_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split("{secret:").skip(1) {
        let name = part.split(['}', ':']).next().unwrap_or_default();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The spelling of a value by `encodeURIComponent`.
fn percent_encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The spelling of a value in the query that a form sends.
fn form_encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            byte if byte.is_ascii_alphanumeric() || b"-_.*".contains(&byte) => {
                out.push(char::from(byte));
            }
            byte => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden_and_revealed_in_each_spelling() {
        let secrets = Secrets::new(vec![("pw".into(), "a b!ü".into())]);
        for (text, hidden) in [
            ("say a b!ü.", "say {secret:pw}."),
            ("/x?p=a%20b!%C3%BC&q", "/x?p={secret:pw:url}&q"),
            ("p=a+b%21%C3%BC", "p={secret:pw:form}"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(secrets.hide(text), hidden);
            assert_eq!(secrets.reveal(hidden), text);
        }
        assert_eq!(Secrets::new(vec![("pin".into(), "12".into())]).hide("x12"), "x12");
    }

    #[test]
    fn names_are_plain_and_distinct() {
        let mut secrets = Secrets::default();
        assert_eq!(secrets.learn("user[pass-word]", "one"), "userpassword");
        assert_eq!(secrets.learn("userpassword", "two"), "userpassword2");
        assert_eq!(secrets.learn("other", "one"), "userpassword");
        assert_eq!(secrets.learn("…", "three"), "password");
        let text = "type #a {secret:b}\ntype #c {secret:d:url} {secret:b}";
        assert_eq!(secret_names(text), ["b", "d"]);
    }

    #[test]
    fn lines_lose_the_value_and_its_starts_but_no_ids() {
        let secrets = Secrets::new(vec![("pw".into(), "1234".into())]);
        let lines = "begin r1.1234 type=input name=/login?pin%3D1234\n=7 \"12\"\n=8 1234 .items\n\
                     =9 %22x1234%22\n*1234\n=10 \"1234\"\n=11 a%20b\n";
        let hidden = secrets.hide_lines(lines).into_owned();
        let texts: Vec<_> = hidden.lines().map(decoded).collect();
        assert_eq!(
            texts,
            [
                "begin r1.1234 type=input name=/login?pin={secret:pw}",
                "=7 \"{secret:pw}[0..2]\"",
                "=8 1234 .items",
                "=9 \"x{secret:pw}\"",
                "*1234",
                "=10 \"{secret:pw}\"",
                "=11 a b",
            ]
        );
        let long = Secrets::new(vec![("pw".into(), "Tr0ub4dor &3".into())]);
        let lines = "=1 a%20Tr0ub%E2%80%A6%23x\n=2 /p?x%3DTr0ub4dor%2520%25263&y\n";
        let hidden: Vec<_> = long.hide_lines(lines).lines().map(decoded).collect();
        assert_eq!(hidden, ["=1 a {secret:pw}[0..]…#x", "=2 /p?x={secret:pw:url}&y"]);
        assert_eq!(Secrets::default().hide_lines(lines), lines);
    }
}
