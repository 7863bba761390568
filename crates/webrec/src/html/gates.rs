//! Gates in markup: scripts with an address whose answer a replay holds back ([`replay::Place`]).
//!
//! A gate removes itself when it runs, before the parser goes on, so that the page finds its elements where
//! they were. The runtime does not record it.

use std::cell::Cell;

use lol_html::{HtmlRewriter, Selector, Settings};
use replay::Place;

use super::find::{self, Found};
use crate::conduct::Gate;

/// The code of a gate.
pub(crate) const SCRIPT: &str = "document.currentScript.remove();";

/// Returns the markup with a gate, or none if it has no such place.
pub(crate) fn add(html: &str, gate: Gate<'_>, address: &str) -> Option<String> {
    let (at, how) = match gate {
        Gate::Inline(nth) => (inline(html, nth)?, ""),
        Gate::At(Place::Element(selector)) => (element(html, selector)?, ""),
        Gate::At(Place::End) => (html.len(), ""),
        Gate::At(Place::Ready) => (html.len(), " defer"),
        Gate::At(Place::Load) => (html.len(), " async"),
    };
    let (before, after) = html.split_at(at);
    Some(format!("{before}<script{how} src=\"{address}\"></script>{after}"))
}

/// Where the element of the n-th inline script with code begins, counted from 0.
fn inline(html: &str, nth: usize) -> Option<usize> {
    html[..code(html, nth)?].to_ascii_lowercase().rfind("<script")
}

/// Where the code of the n-th inline script with code begins, counted from 0.
pub(crate) fn code(html: &str, nth: usize) -> Option<usize> {
    let (found, _) = find::all(html);
    let mut inline = found.into_iter().filter_map(|found| match found {
        Found::Inline { text, .. } if !html[text.clone()].trim().is_empty() => Some(text.start),
        _ => None,
    });
    inline.nth(nth)
}

/// Where the first element begins that a selector selects.
fn element(html: &str, selector: &str) -> Option<usize> {
    let selector: Selector = selector.parse().ok()?;
    let found = Cell::new(None);
    let handler = lol_html::ElementContentHandlers::default().element(
        |element: &mut lol_html::html_content::Element<'_, '_>| {
            if found.get().is_none() {
                found.set(Some(element.source_location().bytes().start));
            }
            Ok(())
        },
    );
    let handlers = vec![(std::borrow::Cow::Owned(selector), handler)];
    let settings = Settings { element_content_handlers: handlers, ..Settings::new() };
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // If lol_html fails, what it found before the error counts.
    let _ = rewriter.write(html.as_bytes()).and_then(|()| rewriter.end());
    found.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<head><script>a</script></head><body><ul id=list><li>1<li>2</ul>\
                        <p id=\"r\">x</p><SCRIPT async>b</SCRIPT><script> </script></body>";

    fn with(gate: Gate<'_>) -> Option<(String, String)> {
        let text = add(PAGE, gate, "/g")?;
        let (before, after) = text.split_once(" src=\"/g\"></script>")?;
        let (before, how) = before.rsplit_once("<script")?;
        assert_eq!(format!("{before}{after}"), PAGE);
        Some((how.to_string(), after.chars().take(12).collect()))
    }

    #[test]
    fn a_gate_stands_before_what_it_holds() {
        let at = |how: &str, after: &str| Some((how.to_string(), after.to_string()));
        assert_eq!(with(Gate::Inline(0)), at("", "<script>a</s"));
        assert_eq!(with(Gate::Inline(1)), at("", "<SCRIPT asyn"));
        assert_eq!(with(Gate::Inline(2)), None);
        let element = |selector: &str| with(Gate::At(&Place::Element(selector.into())));
        assert_eq!(element("p#r"), at("", "<p id=\"r\">x<"));
        assert_eq!(element("#list > li:nth-of-type(2)"), None);
        assert_eq!(element("#list > li:nth-of-type(1)"), at("", "<li>1<li>2</"));
        assert_eq!(element("p#none"), None);
        assert_eq!(with(Gate::At(&Place::End)), at("", ""));
        assert_eq!(with(Gate::At(&Place::Ready)), at(" defer", ""));
        assert_eq!(with(Gate::At(&Place::Load)), at(" async", ""));
    }
}
