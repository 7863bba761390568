//! The first line of a race on a page, in the page's own terms: who races with whom, over what.
//!
//! For example: "Typing in input#q and the answer to /api/list?q=a both write #results.childList".

use crate::event::{capitalised, is_input, is_window_event};
use crate::model::{AccessEntry, CauseEntry, RaceEntry, SourceEntry};
use crate::name::middle;

/// The largest number of characters of an address or a name.
const SHOWN: usize = 70;

/// Returns the first line of a race on a page.
pub(crate) fn headline(race: &RaceEntry) -> String {
    let (first, second) = actors(race);
    if let Some((target, rest)) = race.location.split_once(".handlers(") {
        let kind = rest.split(')').next().unwrap_or_default();
        let (read, write) =
            if race.first.kind == "read" { (&first, &second) } else { (&second, &first) };
        if race.first.kind != race.second.kind {
            return capitalised(&format!(
                "{read} may come before or after {write} attaches the `{kind}` handler of {}",
                middle(target, SHOWN)
            ));
        }
    }
    let place = middle(&race.location, SHOWN);
    let is_same = first == second;
    let sentence = match (&*race.first.kind, &*race.second.kind) {
        ("write", "write") if is_same => {
            format!("{first} and another such event both write {place}")
        }
        ("write", "write") => format!("{first} and {second} both write {place}"),
        _ if is_same => format!("{first} reads {place}, which another such event writes"),
        ("write", _) => format!("{second} reads {place}, which {first} writes"),
        _ => format!("{first} reads {place}, which {second} writes"),
    };
    capitalised(&sentence)
}

/// Returns who makes the two accesses. A phrase that says little, or that is the same for both, also names its
/// origin, such as "the answer to /api/list after typing in input#q".
fn actors(race: &RaceEntry) -> (String, String) {
    let (first, second) = (Actor::of(&race.first), Actor::of(&race.second));
    let is_same = first.phrase == second.phrase;
    (first.text(is_same), second.text(is_same))
}

/// Who makes an access, as a noun phrase.
struct Actor {
    phrase: String,
    /// Whether the phrase alone says little to a reader, such as "the message to MessagePort@1".
    is_vague: bool,
    /// What led to it: the nearest input, answer, script or event of the document; for a vague phrase the nearest
    /// task.
    origin: Option<String>,
}

impl Actor {
    /// Returns who makes an access: the input, the answer, the timer or the script that runs it. Microtasks and
    /// calls of listeners are parts of these, so the first cause of another kind stands for them.
    fn of(access: &AccessEntry) -> Self {
        let at = access.causes.iter().position(|cause| !is_part(cause)).unwrap_or(0);
        let Some(task) = access.causes.get(at) else {
            let kind = access.event_type.as_deref().unwrap_or_default();
            let name = access.event.as_deref().unwrap_or("?");
            let phrase = phrase(kind, name, access.source.as_ref());
            return Self { phrase, is_vague: false, origin: None };
        };
        let kind = task.of_type.as_deref().unwrap_or_default();
        let source = task.source.as_ref().or(access.source.as_ref());
        let is_vague = kind == "message" || is_part(task);
        let origin = access.causes[at + 1..].iter().find(|cause| {
            cause.of != task.of && if is_vague { !is_part(cause) } else { is_origin(cause) }
        });
        Self {
            phrase: phrase(kind, &task.of, source),
            is_vague,
            origin: origin
                .map(|cause| phrase(cause.of_type.as_deref().unwrap_or_default(), &cause.of, None)),
        }
    }

    /// Returns the phrase, with its origin if it says little or if another one is the same.
    fn text(self, is_same: bool) -> String {
        match self.origin {
            Some(origin) if is_same || self.is_vague => format!("{} after {origin}", self.phrase),
            _ => self.phrase,
        }
    }
}

/// Whether an event is a part of the task that another cause names.
fn is_part(cause: &CauseEntry) -> bool {
    matches!(cause.of_type.as_deref(), Some("microtask" | "listener" | "settlement"))
}

/// Whether a developer knows an event by itself: not a timer, a frame or a message, which others post.
fn is_origin(cause: &CauseEntry) -> bool {
    let kind = cause.of_type.as_deref().unwrap_or_default();
    matches!(
        kind,
        "response"
            | "readystatechange"
            | "load"
            | "error"
            | "script"
            | "module"
            | "import"
            | "document"
            | "DOMContentLoaded"
    ) || is_input(kind)
        || is_window_event(kind, &cause.of)
}

/// Returns the noun phrase for an event of a type and a name. `source` is where it was set.
fn phrase(kind: &str, name: &str, source: Option<&SourceEntry>) -> String {
    let shown = middle(name, SHOWN);
    let place = || {
        source.map_or_else(String::new, |source| {
            format!(" set at {}:{}", middle(&source.file, SHOWN), source.line)
        })
    };
    match kind {
        "response" => format!("the answer to {shown}"),
        "readystatechange" | "load" | "error" | "progress" if name.starts_with('/') => {
            format!("the answer to {shown}")
        }
        "input" | "keypress" => format!("typing in {shown}"),
        "change" => format!("a choice in {shown}"),
        "click" => format!("a click on {shown}"),
        "submit" => format!("submitting {shown}"),
        "keydown" | "keyup" => format!("a key in {shown}"),
        "focus" | "focusin" => format!("focusing {shown}"),
        "autofocus" => format!("the autofocus of {shown}"),
        "blur" | "focusout" => format!("leaving {shown}"),
        "timer" => format!("the timer{}", place()),
        "frame" => format!("the animation frame{}", place()),
        "script" | "module" => format!("the script {shown}"),
        "parse" => "the page's own HTML".to_owned(),
        "message" => format!("the message to {shown}"),
        "import" => format!("the result of importing {shown}"),
        "document" | "DOMContentLoaded" => format!("the document's `{shown}` event"),
        kind if is_window_event(kind, name) => format!("the window's `{kind}` event"),
        kind @ ("load" | "error") => format!("the `{kind}` event of {shown}"),
        kind if is_input(kind) => format!("the `{kind}` event on {shown}"),
        "" => shown,
        "microtask" => format!("a reaction to a promise in {shown}"),
        kind => format!("{shown} ({kind})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Actor;

    /// The actor of an access in a microtask with these causes, each a type and a name.
    fn actor(causes: &[(&str, &str)], is_same: bool) -> String {
        let cause =
            |(kind, name): &(&str, &str)| json!({"kind": "post", "of": name, "of_type": kind});
        let access = json!({
            "op": 1, "kind": "write", "thread": "main", "event": "u", "event_type": "microtask",
            "stack": [], "causes": causes.iter().map(cause).collect::<Vec<_>>(),
        });
        Actor::of(&serde_json::from_value(access).unwrap()).text(is_same)
    }

    #[test]
    fn an_access_is_made_by_what_a_developer_knows() {
        let answer =
            [("microtask", "u"), ("response", "/api"), ("timer", "t"), ("input", "input#q")];
        assert_eq!(actor(&answer, false), "the answer to /api");
        assert_eq!(actor(&answer, true), "the answer to /api after typing in input#q");
        let message = [("listener", "on message"), ("message", "MessagePort@1"), ("timer", "t")];
        assert_eq!(actor(&message, false), "the message to MessagePort@1 after the timer");
        assert_eq!(actor(&[("microtask", "u")], false), "a reaction to a promise in u");
        assert_eq!(actor(&[], false), "a reaction to a promise in u");
        assert_eq!(actor(&[("autofocus", "input#q")], false), "the autofocus of input#q");
    }
}
