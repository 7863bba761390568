//! Markup with its code rewritten: inline scripts, `data:` scripts, event handler attributes,
//! `javascript:` links and `srcdoc`. `integrity` is dropped from scripts, whose bytes change. Every other byte stays.
//!
//! `lol_html` finds the places, after the HTML standard's tokenizer; the edits are made here. Cost:
//! one pass, and the rewriting of what is found.

mod edit;
mod find;

use record::{Notes, Place, Scripts};
use rewrite::Kind;
use url::Url;

use crate::data_url::{self, percent_decoded};
use edit::Edits;
use find::{Found, Quote};

/// The deepest `srcdoc` inside `srcdoc` that is rewritten.
const DEEPEST: u32 = 4;

/// A script that a document asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Where it is.
    pub(crate) url: String,
    /// Whether it is a module.
    pub(crate) module: bool,
}

/// Where markup comes from, and who hears about it.
pub(crate) struct Markup<'m> {
    pub(crate) scripts: &'m Scripts,
    pub(crate) notes: &'m Notes,
    /// The document's address: relative addresses in it mean this.
    pub(crate) url: Option<&'m Url>,
    /// What the file is called.
    pub(crate) file: &'m str,
}

impl Markup<'_> {
    /// Rewrites the code in a document or a piece of one. Tells the scripts it asks for.
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

    /// A piece of code rewritten; none if nothing is to be told in it, or it does not parse,
    /// which is noted.
    fn code(&self, source: &str, kind: Kind, params: &[&str], at: (u32, u32)) -> Option<String> {
        if source.trim().is_empty() {
            return None;
        }
        let place = Place { file: self.file.into(), start: at };
        let rewritten = self.scripts.rewrite(source, kind, params, place);
        rewritten
            .map_err(|error| {
                self.notes.add("unparsable-script", || format!("{}:{}: {error}", self.file, at.0));
            })
            .ok()
            .filter(|code| code != source)
    }

    /// A script that is a `data:` address, rewritten.
    fn data(&self, src: &str, kind: Kind, at: (u32, u32)) -> Option<String> {
        let source = data_url::content(src).and_then(|bytes| String::from_utf8(bytes).ok())?;
        self.code(&source, kind, &[], at).map(|code| data_url::of_script(&code))
    }

    /// A `javascript:` address with its code rewritten.
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
    /// A value as it is written in these quotes.
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
