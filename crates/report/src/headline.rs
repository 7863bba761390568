//! The first line of a race on a page, in the page's own terms: who races with whom, over what.
//!
//! For example: "Typing in input#q and the answer to /api/list?q=a both write #results.childList".

use crate::event::{capitalised, is_input, is_window_event};
use crate::model::{AccessEntry, RaceEntry};
use crate::name::middle;

/// The largest number of characters of an address or a name.
const SHOWN: usize = 70;

/// Returns the first line of a race on a page.
pub(crate) fn headline(race: &RaceEntry) -> String {
    let (first, second) = (actor(&race.first), actor(&race.second));
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
    let sentence = match (&*race.first.kind, &*race.second.kind) {
        ("write", "write") if first == second => format!("two times {first} writes {place}"),
        ("write", "write") => format!("{first} and {second} both write {place}"),
        ("write", _) => format!("{second} reads {place}, which {first} writes"),
        _ => format!("{first} reads {place}, which {second} writes"),
    };
    capitalised(&sentence)
}

/// Returns who makes an access: the input, the answer, the timer or the script that runs it.
fn actor(access: &AccessEntry) -> String {
    let task = access.causes.first();
    let kind = task.and_then(|task| task.of_type.as_deref()).or(access.event_type.as_deref());
    let name = task.map(|task| task.of.as_str()).or(access.event.as_deref()).unwrap_or("?");
    let shown = middle(name, SHOWN);
    let place = || {
        let source = task.and_then(|task| task.source.as_ref()).or(access.source.as_ref());
        source.map_or_else(String::new, |source| {
            format!(" set at {}:{}", middle(&source.file, SHOWN), source.line)
        })
    };
    match kind.unwrap_or_default() {
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
        kind => format!("{shown} ({kind})"),
    }
}
