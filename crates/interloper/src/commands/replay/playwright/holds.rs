//! What an emitted test holds back, and until when: observers of the second event, and holds of the first.

use replay::{Callback, Landmark};

use super::Address;
use super::assertion::{locator, selector};
use super::text::{Text, quoted};

/// The path by which a held inline script is asked for; a test answers it.
const GATE: &str = "/held-by-this-test.js";

/// An inline script of a document, and how a test finds it in the markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inline {
    /// The address of the document.
    pub(super) document: String,
    /// The start of the script, which the document has only once.
    pub(super) start: String,
}

/// What is held back, or observed, in terms of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Step(usize),
    Answer { method: String, url: String, nth: u32 },
    Inline(Inline),
    Callback { of: Callback, delay: Option<i64>, nth: u32 },
    Element(String),
    Loaded(&'static str),
}

impl Place {
    /// The place of a landmark. `inline` finds an inline script in its document.
    pub(super) fn of(
        landmark: Landmark,
        inline: impl Fn(&str, u32) -> Option<Inline>,
    ) -> Option<Place> {
        Some(match landmark {
            Landmark::Step(step) => Place::Step(step),
            Landmark::Answer { method, url, nth } => Place::Answer { method, url, nth },
            Landmark::Inline { document, nth } => Place::Inline(inline(&document, nth)?),
            Landmark::Callback { of, delay, nth } => Place::Callback { of, delay, nth },
            Landmark::Element(name) => Place::Element(selector(&name)?),
            Landmark::Loaded(kind) => Place::Loaded(kind),
        })
    }

    pub(super) fn inline(&self) -> Option<&Inline> {
        match self {
            Place::Inline(inline) => Some(inline),
            _ => None,
        }
    }

    /// What this is, in words.
    pub(super) fn words(&self, address: &Address, steps: &[String]) -> String {
        match self {
            Place::Step(step) => {
                let text = steps.get(*step).map_or("", String::as_str);
                format!("step {} ({text})", step + 1)
            }
            Place::Answer { method, url, nth } => {
                let which =
                    if *nth == 0 { "the".to_owned() } else { format!("the {}", nth_word(*nth)) };
                format!("{which} answer to {method} {}", address.short(url))
            }
            Place::Inline(Inline { start, .. }) => {
                let line = start.lines().map(str::trim).rfind(|line| !line.is_empty());
                format!("the inline script that starts with `{}`", line.unwrap_or_default())
            }
            Place::Callback { of, delay, nth } => {
                let what = match (of, delay) {
                    (Callback::Timer, Some(delay)) => format!("timer of {delay} ms"),
                    (Callback::Timer, None) => "timer".to_owned(),
                    (Callback::Frame, _) => "animation frame".to_owned(),
                    (Callback::Idle, _) => "idle callback".to_owned(),
                };
                format!("the {} {what}", nth_word(*nth))
            }
            Place::Element(selector) => format!("the parser's insertion of {selector}"),
            Place::Loaded(kind) => format!("the event {kind}"),
        }
    }
}

/// `first` for 0, and so on.
fn nth_word(nth: u32) -> String {
    match nth {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        nth => format!("{}th", nth + 1),
    }
}

/// Writes what lets `second` come when an event is over. A step is observed where it is performed.
pub(super) fn observe(out: &mut Text, place: &Place, address: &Address) {
    match place {
        Place::Step(_) | Place::Inline(_) => {}
        Place::Answer { method, url, nth } => {
            out.line("let answers = 0;");
            out.line("page.on('request', async (request) => {");
            out.line(format!(
                "if (request.method() !== {} || request.url() !== {} || ++answers !== {}) return;",
                quoted(method),
                address.code(url),
                nth + 1
            ));
            out.lines(
                "const response = await request.response();
await response?.finished();
await page.waitForTimeout(100); // The page handles the answer.
second.come();
});",
            );
        }
        Place::Callback { of, delay, nth } => {
            out.line("await page.exposeFunction('secondIsOver', () => second.come());");
            let run = "callback(...args);\nwindow.secondIsOver();";
            patched(out, *of, *delay, *nth, run, false);
        }
        Place::Element(selector) => {
            out.line(format!("const element = {};", locator(selector)));
            out.line("element.waitFor({ state: 'attached' }).then(second.come, () => {});");
        }
        Place::Loaded(kind) => {
            let event = kind.to_ascii_lowercase();
            out.line(format!("page.once('{event}', async () => {{"));
            out.lines("await page.waitForTimeout(100); // The page handles the event.\nsecond.come();\n});");
        }
    }
}

/// Writes what holds an event back until `second` has come, but not longer than `patience`. A step is held where
/// it is performed. If `tells`, `held` comes when the event is there.
pub(super) fn hold(out: &mut Text, place: &Place, address: &Address, patience: u64, tells: bool) {
    match place {
        Place::Answer { method, url, nth } => {
            out.line("let asked = 0;");
            out.line(format!(
                "await page.route((url) => url.href === {}, async (route) => {{",
                address.code(url)
            ));
            out.line(format!(
                "if (route.request().method() !== {} || ++asked !== {}) return route.fallback();",
                quoted(method),
                nth + 1
            ));
            if tells {
                out.line("held.come();");
            }
            out.line("const response = await route.fetch();");
            out.line(format!("await second.within({patience});"));
            out.lines("await route.fulfill({ response });\nreleased.come();\n});");
        }
        Place::Callback { of, delay, nth } => {
            out.line("await page.exposeFunction('mayRun', async () => {");
            out.line(format!("await second.within({patience});"));
            out.lines("released.come();\n});");
            let run = "await window.mayRun();\nif (!cancelled.has(handle)) callback(...args);";
            patched(out, *of, *delay, *nth, run, true);
        }
        Place::Inline(_) => {
            out.line(format!("await page.route('**{GATE}', async (route) => {{"));
            if tells {
                out.line("held.come();");
            }
            out.line(format!("await second.within({patience});"));
            out.line("await route.fulfill({ contentType: 'text/javascript', body: 'document.currentScript.remove()' });");
            out.lines("released.come();\n});");
        }
        Place::Step(_) | Place::Element(_) | Place::Loaded(_) => {}
    }
}

/// Writes the route of a document in which inline scripts are held or observed.
pub(super) fn document(
    out: &mut Text,
    held: Option<&Inline>,
    observed: Option<&Inline>,
    address: &Address,
) {
    let Some(document) = held.or(observed).map(|inline| &inline.document) else { return };
    if observed.is_some() {
        out.line("await page.exposeFunction('secondIsOver', () => second.come());");
    }
    let place = "url.origin + url.pathname + url.search";
    out.line(format!(
        "await page.route((url) => {place} === {}, async (route) => {{",
        address.code(document)
    ));
    out.lines("const response = await route.fetch();\nlet html = await response.text();");
    if let Some(Inline { start, .. }) = observed {
        out.comment("A script after the one that must be over first.");
        out.line(format!("const script = html.indexOf({});", quoted(start)));
        out.lines(
            "const end = html.indexOf('</script>', script) + '</script>'.length;
html = `${html.slice(0, end)}<script>secondIsOver();</script>${html.slice(end)}`;",
        );
    }
    if let Some(Inline { start, .. }) = held {
        out.comment("A script before the one that is held: its answer makes the parser wait.");
        out.line(format!("const first = html.indexOf({});", quoted(start)));
        out.line("expect(first).toBeGreaterThanOrEqual(0);");
        out.line(format!(
            "html = `${{html.slice(0, first)}}<script src=\"{GATE}\"></script>${{html.slice(first)}}`;"
        ));
    }
    out.lines("await route.fulfill({ response, body: html });\n});");
}

/// Writes the script in the page that replaces how one call of a function calls back.
fn patched(out: &mut Text, of: Callback, delay: Option<i64>, nth: u32, run: &str, cancels: bool) {
    let (names, cancel) = match of {
        Callback::Timer => ("'setTimeout', 'setInterval'", "'clearTimeout', 'clearInterval'"),
        Callback::Frame => ("'requestAnimationFrame'", "'cancelAnimationFrame'"),
        Callback::Idle => ("'requestIdleCallback'", "'cancelIdleCallback'"),
    };
    let is_other = match delay {
        Some(delay) => format!("(Math.trunc(rest[0]) || 0) !== {delay} || "),
        None => String::new(),
    };
    out.line("await page.addInitScript({ content: `");
    out.line("let calls = 0;");
    if cancels {
        out.line("const cancelled = new Set();");
    }
    out.line(format!("for (const name of [{names}]) {{"));
    out.line("const original = window[name];");
    out.line("window[name] = (callback, ...rest) => {");
    out.line(format!("if ({is_other}++calls !== {}) return original(callback, ...rest);", nth + 1));
    out.line("const handle = original(async (...args) => {");
    out.lines(run);
    out.lines("}, ...rest);\nreturn handle;\n};\n}");
    if cancels {
        out.line(format!("for (const name of [{cancel}]) {{"));
        out.lines(
            "const original = window[name];
window[name] = (handle) => {
cancelled.add(handle);
original(handle);
};
}",
        );
    }
    out.line("` });");
}
