//! Events in the words of the platform's developers.
//!
//! A trace gives an event a type and a name, such as `response` and `/api/cart`. The table in
//! [`noun`] turns the types of docs/recording-web-runtime.md into noun phrases, such as "the
//! response to `/api/cart`". A type that the table does not know, and every event of another
//! platform, falls back to name and type.

/// The platform whose words are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Platform {
    /// A page in a browser: model `web`.
    Page,
    /// Any other program.
    Other,
}

/// Returns a noun phrase for an event of the given type and name.
pub(crate) fn noun(platform: Platform, kind: Option<&str>, name: &str) -> String {
    let Some(kind) = kind else { return format!("`{name}`") };
    match kind {
        _ if platform == Platform::Other => format!("`{name}` ({kind})"),
        "parse" => format!("the HTML parser's insertion of `{name}`"),
        "script" => format!("the script `{name}`"),
        "module" => format!("the module `{name}`"),
        "response" => format!("the response to `{name}`"),
        "settlement" => format!("the settlement of `{name}`"),
        "timer" => format!("the timer callback `{name}`"),
        "frame" => format!("the animation frame callback `{name}`"),
        "idle" => format!("the idle callback `{name}`"),
        "message" => format!("the message to `{name}`"),
        "import" => format!("the result of importing `{name}`"),
        "listener" => format!("the listener `{name}`"),
        "microtask" => format!("the microtask `{name}`"),
        "unknown" => format!("the callback `{name}`"),
        "document" => format!("the document's `{name}` event"),
        "DOMContentLoaded" => "the document's `DOMContentLoaded` event".to_owned(),
        _ if is_window_event(kind, name) => format!("the window's `{kind}` event"),
        "load" | "error" | "progress" | "readystatechange" => {
            format!("the `{kind}` event of `{name}`")
        }
        "click" => format!("the click on `{name}`"),
        "autofocus" => format!("the autofocus of `{name}`"),
        _ if is_input(kind) => format!("the `{kind}` event on `{name}`"),
        _ => format!("`{name}` ({kind})"),
    }
}

/// Returns a noun for an event of type `kind`, to refer back to an event named before.
pub(crate) fn short_noun(kind: &str, name: &str) -> Option<&'static str> {
    Some(match kind {
        "parse" => "the insertion",
        "script" => "the script",
        "response" => "the response",
        "timer" => "the timer",
        "frame" => "the animation frame",
        "idle" => "the idle callback",
        "message" => "the message",
        "import" => "the import",
        "unknown" => "the callback",
        "click" => "the click",
        "load" if !is_window_event(kind, name) => "the load event",
        _ if is_input(kind) => "the input",
        _ => return None,
    })
}

/// Whether an event of the given type and name is dispatched at the window. The recorder names
/// such an event like its type; in a frame, the frame's file precedes the type.
pub(crate) fn is_window_event(kind: &str, name: &str) -> bool {
    matches!(kind, "unload" | "pagehide" | "beforeunload" | "popstate" | "hashchange")
        || matches!(kind, "load" | "error")
            && name.strip_suffix(kind).is_some_and(|frame| frame.is_empty() || frame.ends_with('/'))
}

/// Whether `kind` is a type of event that user input causes.
pub(crate) fn is_input(kind: &str) -> bool {
    const FAMILIES: [&str; 7] =
        ["mouse", "pointer", "touch", "key", "drag", "composition", "selection"];
    const SINGLE: [&str; 22] = [
        "auxclick",
        "beforeinput",
        "blur",
        "change",
        "click",
        "contextmenu",
        "copy",
        "cut",
        "dblclick",
        "drop",
        "focus",
        "focusin",
        "focusout",
        "input",
        "invalid",
        "paste",
        "reset",
        "scroll",
        "select",
        "submit",
        "toggle",
        "wheel",
    ];
    SINGLE.contains(&kind) || FAMILIES.iter().any(|family| kind.starts_with(family))
}

/// Returns `phrase` with its first letter in upper case, as at the start of a sentence. A phrase
/// that begins with a name in backquotes stays unchanged.
pub(crate) fn capitalised(phrase: &str) -> String {
    let mut chars = phrase.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::{Platform, capitalised, noun};

    #[test]
    fn events_are_named_by_what_developers_know() {
        let cases = [
            (Some("response"), "/api/cart", "the response to `/api/cart`"),
            (Some("click"), "button#buy", "the click on `button#buy`"),
            (Some("keydown"), "input#q", "the `keydown` event on `input#q`"),
            (Some("load"), "load", "the window's `load` event"),
            (Some("load"), "inner.html/load", "the window's `load` event"),
            (Some("load"), "img#logo", "the `load` event of `img#logo`"),
            (Some("load"), "/api/download", "the `load` event of `/api/download`"),
            (Some("sensor"), "tilt", "`tilt` (sensor)"),
            (None, "m7", "`m7`"),
        ];
        for (kind, name, expected) in cases {
            assert_eq!(noun(Platform::Page, kind, name), expected);
        }
        assert_eq!(noun(Platform::Other, Some("message"), "load"), "`load` (message)");
    }

    #[test]
    fn only_the_first_letter_is_capitalised() {
        assert_eq!(capitalised("the click"), "The click");
        assert_eq!(capitalised("`a.js` runs"), "`a.js` runs");
        assert_eq!(capitalised(""), "");
    }
}
