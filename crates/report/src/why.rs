//! Explains why nothing orders the two accesses of a race, in one or two sentences for a developer.
//!
//! The sentences name things that a developer knows: requests, scripts, clicks, messages and
//! threads. They contain no operation numbers, because every access of the report states its own.

mod task;

use order::{HappensBefore, Tasks};
use races::Race;
use trace::{EventId, OpId, Posting, Trace};

use crate::entries::{event_name, event_type, posting, thread};
use crate::event::{Platform, capitalised, noun};

/// Returns the explanation of a race. Without an `order`, only threads and locks order accesses.
/// With `tasks`, the trace is a recorded page.
pub(crate) fn why(
    trace: &Trace,
    order: Option<&dyn HappensBefore>,
    tasks: Option<&Tasks>,
    race: &Race,
) -> String {
    let (first, second) = (race.first, race.second);
    let Some(order) = order else {
        return concurrent(trace, race, "fork, join, lock or notification");
    };
    match (trace.event_of(first), trace.event_of(second)) {
        (Some(a), Some(b)) => match tasks {
            Some(tasks) => task::why(trace, order, tasks, (a, b)),
            None => why_events(trace, order, (a, b)),
        },
        _ if trace.thread_of(first) == trace.thread_of(second) => format!(
            "Both accesses run on thread {}, but not inside one event. No rule of the model orders \
             them.",
            thread(trace, first)
        ),
        _ => concurrent(trace, race, "fork, join, message or notification"),
    }
}

/// Explains a race between two threads that run concurrently.
fn concurrent(trace: &Trace, race: &Race, what: &str) -> String {
    format!(
        "The threads {} and {} run concurrently. No {what} orders the two accesses.",
        thread(trace, race.first),
        thread(trace, race.second)
    )
}

/// Returns the noun phrase for an event of a program that is no page.
fn named(trace: &Trace, event: EventId) -> String {
    noun(Platform::Other, event_type(trace, event).as_deref(), &event_name(trace, event))
}

/// Explains a race between two events that are messages of queues.
fn why_events(trace: &Trace, order: &dyn HappensBefore, (a, b): (EventId, EventId)) -> String {
    let posts = (trace.event(a).enqueue, trace.event(b).enqueue);
    let (Some(post_a), Some(post_b)) = posts else {
        let unposted = if posts.0.is_none() { a } else { b };
        return format!(
            "The trace does not contain what posted {}. Nothing else orders {} and {}.",
            named(trace, unposted),
            named(trace, a),
            named(trace, b)
        );
    };
    let ((earlier, first_post), (later, second_post)) = if order.before(post_b, post_a) {
        ((b, post_b), (a, post_a))
    } else {
        ((a, post_a), (b, post_b))
    };
    let (name_earlier, name_later) = (named(trace, earlier), named(trace, later));
    if !order.before(first_post, second_post) {
        let sentence = format!(
            "{name_earlier} is posted {} and {name_later} {}. Nothing orders the two posts, so the \
             events may run in either order.",
            place(trace, first_post),
            place(trace, second_post)
        );
        return capitalised(&sentence);
    }
    if trace.looper_of(a).is_none() || trace.looper_of(a) != trace.looper_of(b) {
        let sentence = format!(
            "{name_earlier} is posted before {name_later}, but no queue runs both of them one at a \
             time, so they may overlap or run in either order."
        );
        return capitalised(&sentence);
    }
    let sentence = format!(
        "{name_earlier}{} is posted before {name_later}{}. Their queue does not guarantee that such \
         messages run in the order in which they are posted.",
        manner(trace, earlier),
        manner(trace, later)
    );
    capitalised(&sentence)
}

/// Returns the context of a post: the event in which it runs, and the thread if the trace has
/// several.
fn place(trace: &Trace, post: OpId) -> String {
    let on = format!("on thread {}", thread(trace, post));
    match trace.event_of(post) {
        Some(event) if trace.names().threads.len() == 1 => format!("in {}", named(trace, event)),
        Some(event) => format!("in {} {on}", named(trace, event)),
        None => on,
    }
}

/// Returns how a message asks to be dispatched, in parentheses; an empty text for an ordinary
/// message.
fn manner(trace: &Trace, event: EventId) -> String {
    match trace.posting_of(event).map(|enqueue| enqueue.posting) {
        None | Some(Posting::Delayed(0)) => String::new(),
        Some(kind) => format!(" ({})", posting(kind)),
    }
}
