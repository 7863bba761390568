//! Gates in documents: places at which the parser, or the loading of a document, can be held back.
//!
//! | task | gate |
//! |---|---|
//! | the parser inserts an element | before the element, a script that blocks the parser |
//! | the document becomes interactive | at the end of the document, a script that blocks the parser |
//! | `DOMContentLoaded` | at the end of the document, a deferred script |
//! | the document becomes complete, `load` | at the end of the document, an async script |
//!
//! Events do not name the document that they belong to. The document of a thread is the last one that was
//! asked for before its first event; that of a frame is found by its file, or by an id in its text.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use trace::EventId;

use crate::control::{Control, Recorded, SKEW};

/// A place in a document at which something can be held back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Before the element that a CSS selector of tags, ids and positions names.
    Element(String),
    /// After the last element.
    End,
    /// Before `DOMContentLoaded`.
    Ready,
    /// Before `load`.
    Load,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(selector) => write!(f, "the parser before {selector}"),
            Self::End => f.write_str("the end of the parser"),
            Self::Ready => f.write_str("DOMContentLoaded"),
            Self::Load => f.write_str("load"),
        }
    }
}

/// The selector of the element that a recorder has named, if the name says where in a document it is.
///
/// ```text
/// p#results        → p#results
/// #list>li:2       → #list > li:nth-of-type(2)
/// body>button:1    → body > button:nth-of-type(1)
/// ```
fn selector(name: &str) -> Option<String> {
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'))
    };
    let mut parts = Vec::new();
    for part in name.split('>') {
        let (rest, id) = match part.split_once('#') {
            Some((tag, id)) => (tag, Some(id)),
            None => (part, None),
        };
        let selected = match (rest.split_once(':'), id) {
            (Some((tag, number)), None) if is_plain(tag) => {
                format!("{tag}:nth-of-type({})", number.parse::<u32>().ok()?)
            }
            (None, Some(id)) if is_plain(id) && (rest.is_empty() || is_plain(rest)) => {
                format!("{rest}#{id}")
            }
            (None, None) if is_plain(rest) => rest.to_owned(),
            _ => return None,
        };
        parts.push(selected);
    }
    // The parser makes these elements also where no tag stands for them.
    let last = parts.last()?;
    (!matches!(last.as_str(), "html" | "head" | "body")).then(|| parts.join(" > "))
}

impl Recorded<'_> {
    /// The gate of what the parser does, or of an event in the loading of a document.
    pub(crate) fn gate(&self, task: EventId, kind: &str, name: &str) -> Option<Control> {
        let (place, document) = if kind == "parse" {
            let selector = selector(name)?;
            let document = self.document_with(task, &selector)?;
            (Place::Element(selector), document)
        } else {
            // In a frame, the name begins with the frame's file.
            let frame = name.rsplit_once('/').map(|(frame, _)| frame);
            let document = match frame {
                Some(frame) => self.frame(frame)?,
                None => self.document_of(task)?,
            };
            let place = match kind {
                "DOMContentLoaded" => Place::Ready,
                "document" if self.earlier(task, true) == 0 => Place::End,
                _ => Place::Load,
            };
            (place, document)
        };
        let exchange = &self.session.exchanges[document];
        Some(Control::Gate { url: exchange.url.clone(), nth: self.session.nth(document), place })
    }

    /// The documents that were asked for, by their exchanges.
    fn documents(&self) -> impl DoubleEndedIterator<Item = usize> {
        let all = self.session.exchanges.iter().enumerate();
        let is_document = |exchange: &crate::Exchange| {
            exchange.kind == "Document" && (200..300).contains(&exchange.status)
        };
        all.filter(move |(_, exchange)| is_document(exchange)).map(|(at, _)| at)
    }

    /// The document of the thread on which an event ran: the last that was asked for before the first event
    /// of the event's document.
    fn document_of(&self, event: EventId) -> Option<usize> {
        let first = self.first_time(event)?;
        let asked = |at: &usize| self.session.exchanges[*at].time.0;
        let before = self.documents().filter(|at| asked(at) <= first + SKEW);
        before.max_by(|one, other| asked(one).total_cmp(&asked(other)))
    }

    /// The document of a frame, by the name of its file, to which a number may be added.
    fn frame(&self, name: &str) -> Option<usize> {
        let (file, number) = match name.rsplit_once('@').map(|(file, n)| (file, n.parse::<usize>()))
        {
            Some((file, Ok(number))) => (file, number),
            _ => (name, 1),
        };
        let is_it = |at: &usize| {
            let path = self.session.exchanges[*at].url.split(['?', '#']).next().unwrap_or_default();
            let last = path.rsplit('/').next().unwrap_or_default();
            if last.is_empty() { file == "frame" } else { last == file }
        };
        self.documents().filter(is_it).nth(number.checked_sub(1)?)
    }

    /// The document that an element is in: that of the thread, unless only a frame's has the element's id.
    fn document_with(&self, task: EventId, selector: &str) -> Option<usize> {
        let main = self.document_of(task)?;
        let Some((_, id)) = selector.split_once('#') else { return Some(main) };
        let id = id.split(' ').next().unwrap_or_default();
        let has_id = |at: usize| {
            let body = BASE64.decode(&self.session.exchanges[at].body).unwrap_or_default();
            let text = String::from_utf8_lossy(&body);
            ["\"", "'", ""].iter().any(|quote| text.contains(&format!("id={quote}{id}{quote}")))
        };
        if has_id(main) {
            return Some(main);
        }
        let since = self.session.exchanges[main].time.0;
        let inner = self.documents().filter(|at| self.session.exchanges[*at].time.0 > since);
        Some(inner.into_iter().find(|at| has_id(*at)).unwrap_or(main))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elements_become_selectors() {
        for (name, wanted) in [
            ("p#results", Some("p#results")),
            ("#list>li:2", Some("#list > li:nth-of-type(2)")),
            ("body>button:1", Some("body > button:nth-of-type(1)")),
            ("body>div:1>script:2", Some("body > div:nth-of-type(1) > script:nth-of-type(2)")),
            ("html", None),
            ("li(created at app.js:12)@3", None),
            ("#host/#in", None),
            ("p#a.b", None),
            ("p#a\"b", None),
        ] {
            assert_eq!(selector(name).as_deref(), wanted, "{name}");
        }
    }
}
