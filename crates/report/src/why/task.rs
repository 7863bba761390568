//! Explains why nothing orders two tasks of a recorded page.
//!
//! Tasks of a page never overlap. Only their order may change, and it depends on what each of them
//! waits for: a server, the user, a timer, the HTML parser. The explanation names both and states
//! that nothing makes one wait for the other.

use order::{HappensBefore, Tasks};
use trace::{EventId, Posting, Trace};

use crate::entries::{event_name, event_type};
use crate::event::{Platform, capitalised, is_input, is_window_event, noun, short_noun};

/// Returns the explanation for accesses in the events `a` and `b`, of which `a` ran first.
pub(super) fn why(
    trace: &Trace,
    order: &dyn HappensBefore,
    tasks: &Tasks,
    (a, b): (EventId, EventId),
) -> String {
    let (first, second) = (tasks.head(a), tasks.head(b));
    if let Some((sender_a, sender_b)) = unordered_posters(trace, order, tasks, (first, second)) {
        let queue = named(trace, first);
        let posted = format!(
            "{queue} comes when it is delivered. One such message was sent in {}, the other in {}.",
            named(trace, sender_a),
            named(trace, sender_b)
        );
        return format!(
            "{} {}",
            capitalised(&posted),
            why(trace, order, tasks, (sender_a, sender_b))
        );
    }
    if first == second {
        return format!(
            "Both run in one task, {}, as {} and {}. Nothing guarantees the order of these two.",
            named(trace, first),
            named(trace, a),
            named(trace, b)
        );
    }
    let sources = (Source::of(trace, tasks, first), Source::of(trace, tasks, second));
    if let (Source::Request, Source::Request) = sources {
        return two_requests(trace, order, tasks, (first, second));
    }
    if let (Source::User, Source::User) = sources {
        return capitalised(&format!(
            "{} and {} are independent actions of the user, who may do either one first.",
            named(trace, first),
            named(trace, second)
        ));
    }
    let lead =
        format!("{}, and {}.", sources.0.clause(trace, first), sources.1.clause(trace, second));
    let (name_first, name_second) = short_names(trace, (first, second));
    let happens = if sources.0.is_script() { "has run" } else { "comes" };
    format!(
        "{} Nothing guarantees that {name_first} {happens} before {name_second}.",
        capitalised(&lead)
    )
}

/// Returns the tasks that posted two messages of one port, if nothing orders them: the messages come in the order
/// in which they were posted, so these tasks explain the race.
fn unordered_posters(
    trace: &Trace,
    order: &dyn HappensBefore,
    tasks: &Tasks,
    (a, b): (EventId, EventId),
) -> Option<(EventId, EventId)> {
    let is_message = |event| Source::of(trace, tasks, event) == Source::Message;
    if a == b || !is_message(a) || !is_message(b) || event_name(trace, a) != event_name(trace, b) {
        return None;
    }
    let posts = (trace.event(a).enqueue?, trace.event(b).enqueue?);
    let posters = (poster(trace, tasks, a)?, poster(trace, tasks, b)?);
    // A message is posted before it is delivered, so that the search for the first posters ends.
    let are_unordered = !order.before(posts.0, posts.1) && !order.before(posts.1, posts.0);
    (posters.0 != posters.1 && are_unordered).then_some(posters)
}

/// Returns the noun phrase for an event of a page.
fn named(trace: &Trace, event: EventId) -> String {
    noun(Platform::Page, event_type(trace, event).as_deref(), &event_name(trace, event))
}

/// Returns nouns that refer back to two events. They are short, unless the short ones are equal or
/// unknown.
fn short_names(trace: &Trace, (a, b): (EventId, EventId)) -> (String, String) {
    let short = |event| {
        let kind = event_type(trace, event)?;
        short_noun(&kind, &event_name(trace, event))
    };
    match (short(a), short(b)) {
        (Some(a), Some(b)) if a != b => (a.to_owned(), b.to_owned()),
        _ => (named(trace, a), named(trace, b)),
    }
}

/// Explains a race between two responses of servers.
fn two_requests(
    trace: &Trace,
    order: &dyn HappensBefore,
    tasks: &Tasks,
    (a, b): (EventId, EventId),
) -> String {
    let (mut first, mut second) = (request(trace, tasks, a), request(trace, tasks, b));
    let sent = |event: EventId| trace.event(event).enqueue;
    let precedes = |x: EventId, y: EventId| match (sent(x), sent(y)) {
        (Some(x), Some(y)) => order.before(x, y),
        _ => false,
    };
    if precedes(second, first) || !precedes(first, second) && sent(second) < sent(first) {
        (first, second) = (second, first);
    }
    let (name_first, name_second) = (event_name(trace, first), event_name(trace, second));
    let sentence = if name_first == name_second {
        format!("The page sent two requests to {name_first}.")
    } else {
        format!("The page sent two requests, {name_first} and {name_second}.")
    };
    let which = if precedes(first, second) {
        "Nothing guarantees that the first one sent is answered first."
    } else if sent(first).is_some() && sent(second).is_some() {
        "Nothing guarantees which one is sent first, nor which one is answered first."
    } else {
        "Nothing guarantees which one is answered first."
    };
    format!("{sentence} {which}")
}

/// Returns the first event of the response to which `event` belongs. Reading the body of a response
/// is a separate event, which the response's first event requests.
fn request(trace: &Trace, tasks: &Tasks, event: EventId) -> EventId {
    let name = event_name(trace, event);
    let mut at = event;
    while let Some(poster) = poster(trace, tasks, at)
        && poster != at
        && Source::of(trace, tasks, poster) == Source::Request
        && event_name(trace, poster) == name
    {
        at = poster;
    }
    at
}

/// Returns the task that requested `event`.
fn poster(trace: &Trace, tasks: &Tasks, event: EventId) -> Option<EventId> {
    let post = trace.event(event).enqueue?;
    trace.event_of(post).map(|event| tasks.head(event))
}

/// Returns whether the recorder took `name` from a request. Only the first event of an
/// `XMLHttpRequest` has a post; the others are named by its address too.
fn is_url(name: &str) -> bool {
    name.starts_with('/') || name.starts_with("http://") || name.starts_with("https://")
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A server's response.
    Request,
    /// The user.
    User,
    /// A script of the page's HTML that the parser does not wait for.
    AsyncScript,
    /// A script that another script inserted.
    InsertedScript,
    /// A script that the HTML parser runs.
    ParserScript,
    /// The HTML parser.
    Parser,
    /// A timer with its delay in milliseconds.
    Timer(i64),
    /// The browser's next frame.
    Frame,
    /// The browser, when it draws the page for the first time.
    Autofocus,
    /// An idle browser.
    Idle,
    /// Another sender.
    Message,
    /// A module that `import()` loads.
    Import,
    /// A resource of an element.
    Resource,
    /// The document and everything that belongs to it.
    Document,
    /// The end of the visit.
    Leaving,
    /// Something that the recorder did not record.
    Other,
}

impl Source {
    fn of(trace: &Trace, tasks: &Tasks, event: EventId) -> Self {
        let Some(kind) = event_type(trace, event) else { return Self::Other };
        let name = event_name(trace, event);
        let enqueue = trace.posting_of(event);
        let in_queue = |queue: &[u8]| {
            enqueue.is_some_and(|enqueue| trace.names().queues.get(enqueue.queue) == queue)
        };
        match &*kind {
            "response" => Self::Request,
            _ if in_queue(b"network") || is_url(&name) => Self::Request,
            "script" => match poster(trace, tasks, event) {
                None => Self::ParserScript,
                Some(by) if event_type(trace, by).as_deref() == Some("parse") => Self::AsyncScript,
                Some(_) => Self::InsertedScript,
            },
            "parse" => Self::Parser,
            "timer" => match enqueue.map(|enqueue| enqueue.posting) {
                Some(Posting::Delayed(delay)) => Self::Timer(delay),
                _ => Self::Other,
            },
            "frame" => Self::Frame,
            "autofocus" => Self::Autofocus,
            "idle" => Self::Idle,
            "message" => Self::Message,
            "import" => Self::Import,
            "document" | "DOMContentLoaded" => Self::Document,
            "load" | "error" if is_window_event(&kind, &name) => Self::Document,
            "load" | "error" => Self::Resource,
            "unload" | "pagehide" | "beforeunload" => Self::Leaving,
            _ if enqueue.is_some_and(|enqueue| enqueue.posting == Posting::Input) => Self::User,
            kind if is_input(kind) => Self::User,
            _ => Self::Other,
        }
    }

    fn is_script(self) -> bool {
        matches!(self, Self::AsyncScript | Self::InsertedScript | Self::ParserScript)
    }

    /// Returns a clause that states what `event` waits for.
    fn clause(self, trace: &Trace, event: EventId) -> String {
        let what = named(trace, event);
        let name = event_name(trace, event);
        match self {
            Self::Request => format!("{what} comes when the server answers"),
            Self::User => format!("{what} comes from the user"),
            Self::AsyncScript => format!("`{name}` is an async script"),
            Self::InsertedScript => format!("`{name}` is a script that another script inserted"),
            Self::ParserScript => format!("`{name}` runs when the HTML parser has reached it"),
            Self::Parser => format!("`{name}` exists when the HTML parser has inserted it"),
            Self::Timer(delay) => format!("{what} runs at least {delay} ms after it was set"),
            Self::Frame => format!("{what} runs before the browser draws the next frame"),
            Self::Autofocus => format!("{what} comes when the browser first draws the page"),
            Self::Idle => format!("{what} runs when the browser is idle"),
            Self::Message => format!("{what} comes when it is delivered"),
            Self::Import => format!("{what} comes when the module has loaded"),
            Self::Resource => format!("{what} comes when the resource has loaded"),
            Self::Document => format!("{what} comes when the page has loaded that far"),
            Self::Leaving => format!("{what} comes whenever the user leaves the page"),
            Self::Other => format!("{what} comes from a source of its own"),
        }
    }
}
