//! Rewrites the code in markup: inline scripts, `data:` scripts, event handler attributes,
//! `javascript:` links and `srcdoc`. It removes `integrity` from scripts, because their bytes
//! change. Every other byte stays.
//!
//! `lol_html` finds the code with the HTML standard's tokenizer; this module edits it. It costs one
//! pass, and the rewriting of the code.

mod edit;
mod find;
pub(crate) mod gates;

use record::{Notes, Place, Scripts};
use rewrite::Kind;
use url::Url;

use crate::data_url::{self, percent_decoded};
use edit::Edits;
use find::{Found, Quote};

/// The deepest `srcdoc` inside `srcdoc` that is rewritten.
const DEEPEST: u32 = 4;

/// A script that a document loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The address of the script.
    pub(crate) url: String,
    /// Whether the script is a module.
    pub(crate) module: bool,
}

/// The origin of a piece of markup, and the tables that its scripts and notes go to.
pub(crate) struct Markup<'m> {
    pub(crate) scripts: &'m Scripts,
    pub(crate) notes: &'m Notes,
    /// The document's address, against which relative addresses are resolved.
    pub(crate) url: Option<&'m Url>,
    /// The name of the file.
    pub(crate) file: &'m str,
}

impl Markup<'_> {
    /// Rewrites the code in a document or a piece of one. Returns it, and the scripts that it
    /// loads.
    pub(crate) fn rewrite(&self, html: &str) -> (String, Vec<Wanted>) {
        self.rewrite_nested(html, 0)
    }

    fn rewrite_nested(&self, html: &str, depth: u32) -> (String, Vec<Wanted>) {
        let (found, base) = find::all(html);
        let base =
            self.url.map(|url| base.and_then(|base| url.join(&base).ok()).unwrap_or(url.clone()));
        let mut edits = Edits::new(html);
        let mut wanted = Vec::new();
        for found in found {
            match found {
                Found::Inline { text, module } => {
                    let kind = if module { Kind::Module } else { Kind::Script };
                    let source = &html[text.clone()];
                    if let Some(code) = self.code(source, kind, &[], edits.place(text.start)) {
                        edits.replace(text, code);
                    }
                }
                Found::External { src, module, value: (value, quote) } => {
                    let kind = if module { Kind::Module } else { Kind::Script };
                    let at = edits.place(value.start);
                    if let Some(data) = self.data(&src, kind, at) {
                        edits.replace_value(value, quote, &data);
                        continue;
                    }
                    let url = base.as_ref().and_then(|base| base.join(&src).ok());
                    wanted.extend(url.map(|url| Wanted { url: url.into(), module }));
                }
                Found::Handler { value, quote } => {
                    let source = unescaped(&html[value.clone()]);
                    let at = edits.place(value.start);
                    if let Some(code) = self.code(&source, Kind::Handler, &["event"], at) {
                        edits.replace_value(value, quote, &code);
                    }
                }
                Found::Link { value, quote } => {
                    let at = edits.place(value.start);
                    if let Some(link) = self.link(&unescaped(&html[value.clone()]), at) {
                        edits.replace_value(value, quote, &link);
                    }
                }
                Found::Srcdoc { value, quote } if depth < DEEPEST => {
                    let inner = unescaped(&html[value.clone()]);
                    let (rewritten, inside) = self.rewrite_nested(&inner, depth + 1);
                    if rewritten != inner {
                        edits.replace_value(value, quote, &rewritten);
                    }
                    wanted.extend(inside);
                }
                Found::Srcdoc { .. } => {
                    self.notes.add("deep-srcdoc", || format!("{}: left as it is", self.file));
                }
                Found::Integrity { attribute } => edits.replace(attribute, String::new()),
                Found::Foreign => {
                    self.notes.add("svg-script", || format!("{}: left as it is", self.file));
                }
            }
        }
        (edits.finish(), wanted)
    }

    /// Rewrites a piece of code. Returns none if the code is empty, or if it does not parse; the
    /// latter adds a note.
    fn code(&self, source: &str, kind: Kind, params: &[&str], at: (u32, u32)) -> Option<String> {
        if source.trim().is_empty() {
            return None;
        }
        let place = Place { file: self.file.into(), start: at };
        let rewritten = self.scripts.rewrite(source, kind, params, &place);
        rewritten
            .map_err(|error| {
                self.notes.add("unparsable-script", || format!("{}:{}: {error}", self.file, at.0));
            })
            .ok()
            .filter(|code| **code != *source)
            .map(|code| code.to_string())
    }

    /// Rewrites a script that is a `data:` address.
    fn data(&self, src: &str, kind: Kind, at: (u32, u32)) -> Option<String> {
        let source = data_url::content(src).and_then(|bytes| String::from_utf8(bytes).ok())?;
        self.code(&source, kind, &[], at).map(|code| data_url::of_script(&code))
    }

    /// Rewrites the code of a `javascript:` address.
    fn link(&self, address: &str, at: (u32, u32)) -> Option<String> {
        let trimmed = address.trim_start_matches(|char: char| char <= ' ');
        let (scheme, code) = trimmed.split_at_checked("javascript:".len())?;
        if !scheme.eq_ignore_ascii_case("javascript:") {
            return None;
        }
        let source = String::from_utf8(percent_decoded(code)).ok()?;
        let code = self.code(&source, Kind::Script, &[], at)?;
        let mut link = "javascript:".to_string();
        for char in code.chars() {
            match char {
                '%' => link.push_str("%25"),
                '#' => link.push_str("%23"),
                '\n' => link.push_str("%0A"),
                '\r' => link.push_str("%0D"),
                '\t' => link.push_str("%09"),
                _ => link.push(char),
            }
        }
        Some(link)
    }
}

fn unescaped(value: &str) -> String {
    htmlize::unescape_attribute(value).into_owned()
}

impl Quote {
    /// Writes a value in these quotes.
    fn wrap(self, value: &str) -> String {
        let value = value.replace('&', "&amp;");
        match self {
            Quote::Double => value.replace('"', "&quot;"),
            Quote::Single => value.replace('\'', "&#39;"),
            Quote::None => format!("\"{}\"", value.replace('"', "&quot;")),
        }
    }
}

#[cfg(test)]
mod tests;
