//! Finds the code in a document's markup, and the attributes that affect it.

use std::cell::RefCell;
use std::ops::Range;

use lol_html::html_content::{Attribute, Element};
use lol_html::{HtmlRewriter, Settings, element, text};

/// The quotes around an attribute's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    None,
}

/// A piece of markup that is code or affects it, by its byte ranges.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The text of a script element.
    Inline { text: Range<usize>, module: bool },
    /// A script element that names its script.
    External { src: String, module: bool, value: (Range<usize>, Quote) },
    /// The value of an event handler attribute.
    Handler { value: Range<usize>, quote: Quote },
    /// The value of an attribute that may be a `javascript:` address.
    Link { value: Range<usize>, quote: Quote },
    /// The value of a `srcdoc`.
    Srcdoc { value: Range<usize>, quote: Quote },
    /// An `integrity` attribute, with its name.
    Integrity { attribute: Range<usize> },
    /// A script element that is not HTML's.
    Foreign,
}

/// The types of a script element that mean a classic script. A missing type means one, too.
const CLASSIC: [&str; 16] = [
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
];

const HTML: &str = "http://www.w3.org/1999/xhtml";

/// The state of a search through markup.
struct Search<'h> {
    html: &'h str,
    found: Vec<Found>,
    base: Option<String>,
    /// The inline script whose text comes next: whether it is a module, and its text so far.
    open: Option<(bool, Option<Range<usize>>)>,
}

/// Returns the code in `html` with the attributes that affect it, and the address of its `base`
/// element.
pub(super) fn all(html: &str) -> (Vec<Found>, Option<String>) {
    let search = RefCell::new(Search { html, found: Vec::new(), base: None, open: None });
    let handlers = vec![
        element!("*", |element| {
            search.borrow_mut().element(element);
            Ok(())
        }),
        text!("script", |chunk| {
            let range = chunk.source_location().bytes();
            search.borrow_mut().text(range, chunk.last_in_text_node());
            Ok(())
        }),
    ];
    let settings = Settings { element_content_handlers: handlers, ..Settings::new() };
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // If lol_html fails, the pieces before the error have been found.
    let _ = rewriter.write(html.as_bytes()).and_then(|()| rewriter.end());
    let search = search.into_inner();
    (search.found, search.base)
}

impl Search<'_> {
    fn element(&mut self, element: &Element<'_, '_>) {
        self.open = None;
        let tag = element.tag_name();
        let named = |name: &str| element.attributes().iter().find(|a| a.name() == name);
        for attribute in element.attributes() {
            self.attribute(&tag, attribute);
        }
        let as_script = || named("as").is_some_and(|a| a.value().eq_ignore_ascii_case("script"));
        let is_preload = tag == "link"
            && named("rel").is_some_and(|a| match a.value().to_ascii_lowercase().as_str() {
                "modulepreload" => true,
                "preload" => as_script(),
                _ => false,
            });
        if let Some(integrity) = named("integrity").filter(|_| tag == "script" || is_preload) {
            self.found
                .extend(self.whole(integrity).map(|attribute| Found::Integrity { attribute }));
        }
        match tag.as_str() {
            "base" if self.base.is_none() => {
                self.base = named("href").map(|href| super::unescaped(&href.value()));
            }
            "script" if element.namespace_uri() != HTML => self.found.push(Found::Foreign),
            "script" => self.script(element),
            _ => {}
        }
    }

    fn attribute(&mut self, tag: &str, attribute: &Attribute<'_>) {
        let name = attribute.name();
        let is_handler = name.len() > 2 && name.starts_with("on");
        let is_link = matches!(name.as_str(), "href" | "action" | "formaction" | "src")
            && attribute
                .value()
                .trim_start()
                .get(..10)
                .is_some_and(|start| start.eq_ignore_ascii_case("javascript"));
        let is_srcdoc = tag == "iframe" && name == "srcdoc";
        if !(is_handler || is_link || is_srcdoc) {
            return;
        }
        let Some((value, quote)) = self.value(attribute) else { return };
        self.found.push(match () {
            () if is_handler => Found::Handler { value, quote },
            () if is_link => Found::Link { value, quote },
            () => Found::Srcdoc { value, quote },
        });
    }

    fn script(&mut self, element: &Element<'_, '_>) {
        let kind = match element.get_attribute("type") {
            Some(kind) => kind.trim().to_ascii_lowercase(),
            None => match element.get_attribute("language") {
                Some(language) if !language.is_empty() => {
                    format!("text/{}", language.to_ascii_lowercase())
                }
                _ => String::new(),
            },
        };
        let module = kind == "module";
        let classic = kind.is_empty() || CLASSIC.contains(&kind.as_str());
        if !(module || classic) || (classic && element.has_attribute("nomodule")) {
            return;
        }
        match element.attributes().iter().find(|attribute| attribute.name() == "src") {
            Some(src) => {
                let Some(value) = self.value(src) else { return };
                let src = super::unescaped(&src.value()).trim().to_string();
                self.found.push(Found::External { src, module, value });
            }
            None => self.open = Some((module, None)),
        }
    }

    fn text(&mut self, chunk: Range<usize>, last: bool) {
        let Some((module, so_far)) = &mut self.open else { return };
        let text = match so_far.take() {
            Some(text) => text.start..chunk.end,
            None => chunk,
        };
        if last {
            self.found.push(Found::Inline { text, module: *module });
            self.open = None;
        } else {
            *so_far = Some(text);
        }
    }

    /// Returns the range of an attribute's value, and its quotes.
    fn value(&self, attribute: &Attribute<'_>) -> Option<(Range<usize>, Quote)> {
        let value = attribute.value_source_location()?.bytes();
        let before = value.start.checked_sub(1).and_then(|at| self.html.as_bytes().get(at));
        let quote = match before {
            Some(b'"') => Quote::Double,
            Some(b'\'') => Quote::Single,
            _ => Quote::None,
        };
        (!value.is_empty()).then_some((value, quote))
    }

    /// Returns the range of an attribute with its name, value and quotes.
    fn whole(&self, attribute: &Attribute<'_>) -> Option<Range<usize>> {
        let name = attribute.name_source_location()?.bytes();
        let Some((value, quote)) = self.value(attribute) else { return Some(name) };
        Some(name.start..value.end + usize::from(quote != Quote::None))
    }
}
