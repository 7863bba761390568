//! The health of the recorded pages: their errors, and the requests that have no answer yet.
//!
//! Everything here comes from the browser's events. Texts come from pages and are truncated, but not
//! escaped. Memory is bounded by the number of open requests.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::Value;
use url::Url;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 200;
/// How many errors are kept.
const ERRORS: usize = 100;
/// How many open requests are kept. A page may have more, which then do not count.
const OPEN: usize = 10_000;

/// The number of errors of one kind, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors {
    /// How many there were.
    pub count: u64,
    /// The first one. Empty if there was none.
    pub first: String,
}

impl Errors {
    fn add(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.count == 1 {
            self.first = cut(&text());
        }
    }
}

/// The errors of the recorded pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// Calls of `console.error`, and failed calls of `console.assert`.
    pub console: Errors,
    /// Requests without a response, and responses with a status from 400 on.
    pub requests: Errors,
    /// Exceptions and rejections that no code has caught.
    pub exceptions: Errors,
    /// Scripts that could not be parsed, and therefore run without being recorded.
    pub unparsable: u64,
}

/// A request that has no complete answer.
struct Request {
    method: String,
    url: String,
    since: Instant,
    /// Whether the answer is expected to end. Event streams stay open.
    ends: bool,
}

/// The errors so far, and the open requests.
#[derive(Default)]
pub(crate) struct Monitor {
    pub(crate) health: Health,
    /// The first errors of the console and uncaught exceptions, in their order.
    pub(crate) errors: Vec<String>,
    /// By session and id.
    open: HashMap<(String, String), Request>,
}

impl Monitor {
    /// Takes one of the browser's events.
    pub(crate) fn hear(&mut self, session: &str, method: &str, params: &Value) {
        let key = || {
            let id = params["requestId"].as_str().unwrap_or_default();
            (session.to_string(), id.to_string())
        };
        match method {
            "Runtime.consoleAPICalled" => {
                if matches!(params["type"].as_str(), Some("error" | "assert")) {
                    self.health.console.add(|| arguments(&params["args"]));
                    self.note(|| arguments(&params["args"]));
                }
            }
            "Runtime.exceptionThrown" => {
                self.health.exceptions.add(|| exception(&params["exceptionDetails"]));
                self.note(|| exception(&params["exceptionDetails"]));
            }
            // Someone caught the exception later.
            "Runtime.exceptionRevoked" => {
                let exceptions = &mut self.health.exceptions;
                exceptions.count = exceptions.count.saturating_sub(1);
            }
            "Network.requestWillBeSent" if self.open.len() < OPEN => {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
                let (request, kind) = (&params["request"], params["type"].as_str());
                let ends = !matches!(kind, Some("EventSource" | "WebSocket" | "Media" | "Ping"));
                let (method, url) = (text(&request["method"]), text(&request["url"]));
                self.open.insert(key(), Request { method, url, since: Instant::now(), ends });
            }
            "Network.responseReceived" => {
                let status = params["response"]["status"].as_u64().unwrap_or_default();
                if let Some(request) = self.open.get(&key()).filter(|_| status >= 400)
                    && !request.is_browsers_own(params)
                {
                    let text = || format!("{}: {status}", request.name());
                    self.health.requests.add(text);
                }
            }
            "Network.loadingFinished" => drop(self.open.remove(&key())),
            "Network.loadingFailed" => {
                let failed = self.open.remove(&key()).filter(|_| params["canceled"] != true);
                if let Some(request) = failed.filter(|request| !request.is_browsers_own(params)) {
                    let why = params["errorText"].as_str().unwrap_or("failed");
                    self.health.requests.add(|| format!("{}: {why}", request.name()));
                }
            }
            "Target.detachedFromTarget" => {
                let gone = params["sessionId"].as_str().unwrap_or_default();
                self.open.retain(|(session, _), _| session != gone);
            }
            _ => {}
        }
    }

    fn note(&mut self, text: impl FnOnce() -> String) {
        if self.errors.len() < ERRORS {
            self.errors.push(cut(&text()));
        }
    }

    /// How many requests that began at `since` or later have no complete answer.
    pub(crate) fn open_since(&self, since: Option<Instant>) -> usize {
        let counts =
            |request: &&Request| request.ends && since.is_none_or(|since| request.since >= since);
        self.open.values().filter(counts).count()
    }
}

impl Request {
    /// The method and the path of the request.
    fn name(&self) -> String {
        let path =
            Url::parse(&self.url).map_or_else(|_| self.url.clone(), |url| url.path().to_string());
        format!("{} {path}", self.method)
    }

    /// Whether the browser made the request for itself: it asks every site for an icon.
    fn is_browsers_own(&self, params: &Value) -> bool {
        params["type"] == "Other" && self.url.ends_with("/favicon.ico")
    }
}

/// The text of the arguments of a call of the console.
fn arguments(args: &Value) -> String {
    let text = |arg: &Value| match &arg["value"] {
        Value::String(text) => text.clone(),
        Value::Null => arg["description"].as_str().unwrap_or("undefined").to_string(),
        value => value.to_string(),
    };
    let texts: Vec<_> = args.as_array().into_iter().flatten().map(text).collect();
    texts.join(" ")
}

/// The first line of an exception.
fn exception(details: &Value) -> String {
    let thrown = &details["exception"];
    let text = thrown["description"].as_str().or_else(|| thrown["value"].as_str());
    let text = text.or_else(|| details["text"].as_str()).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_string()
}

/// Returns the start of a text.
fn cut(text: &str) -> String {
    let end = (0..=text.len().min(LONGEST)).rfind(|&at| text.is_char_boundary(at));
    text[..end.unwrap_or_default()].to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_counted_and_the_first_is_kept() {
        let mut monitor = Monitor::default();
        let mut hear = |method, params| monitor.hear("s", method, &params);
        let sent = |id, kind, url| json!({ "requestId": id, "type": kind, "request": { "method": "GET", "url": url } });
        hear("Runtime.consoleAPICalled", json!({ "type": "log", "args": [] }));
        let args = json!([{ "value": "a" }, { "value": 1 }, { "description": "Error: x\n  at y" }]);
        hear("Runtime.consoleAPICalled", json!({ "type": "error", "args": args }));
        hear("Runtime.consoleAPICalled", json!({ "type": "error", "args": [] }));
        let thrown = json!({ "exception": { "description": "TypeError: t\n at u" } });
        hear("Runtime.exceptionThrown", json!({ "exceptionDetails": thrown }));
        hear("Network.requestWillBeSent", sent("1", "Fetch", "http://h/api?q=1"));
        hear("Network.requestWillBeSent", sent("2", "Other", "http://h/favicon.ico"));
        hear("Network.requestWillBeSent", sent("3", "Fetch", "http://h/gone"));
        hear("Network.requestWillBeSent", sent("4", "Fetch", "http://h/dropped"));
        hear("Network.requestWillBeSent", sent("5", "EventSource", "http://h/events"));
        hear("Network.requestWillBeSent", sent("6", "Fetch", "http://h/slow"));
        let response =
            |id, kind| json!({ "requestId": id, "type": kind, "response": { "status": 500 } });
        hear("Network.responseReceived", response("1", "Fetch"));
        hear("Network.loadingFinished", json!({ "requestId": "1" }));
        hear("Network.responseReceived", response("2", "Other"));
        hear("Network.loadingFinished", json!({ "requestId": "2" }));
        let failed = json!({ "requestId": "3", "type": "Fetch", "errorText": "net::ERR_FAILED" });
        hear("Network.loadingFailed", failed);
        hear("Network.loadingFailed", json!({ "requestId": "4", "canceled": true }));
        assert_eq!(monitor.open_since(None), 1);
        assert_eq!(monitor.open_since(Some(Instant::now())), 0);
        let errors = |count, first: &str| Errors { count, first: first.into() };
        assert_eq!(monitor.health.console, errors(2, "a 1 Error: x\n  at y"));
        assert_eq!(monitor.health.exceptions, errors(1, "TypeError: t"));
        assert_eq!(monitor.health.requests, errors(2, "GET /api: 500"));
    }
}
