//! Why nothing orders the two accesses of a race, in a sentence.

use order::{HappensBefore, Tasks};
use races::Race;
use trace::{EventId, Trace};

use crate::entries::{event_name, posting, thread};

/// The sentence for a race; without an `order`, only threads and locks count, and with `tasks`, these.
pub(crate) fn why(
    trace: &Trace,
    order: Option<&dyn HappensBefore>,
    tasks: Option<&Tasks>,
    race: &Race,
) -> String {
    let Some(order) = order else {
        return format!(
            "{} and {} run side by side: no fork, join, lock or notification leads from one access \
             to the other.",
            thread(trace, race.first),
            thread(trace, race.second)
        );
    };
    let (a, b) = (trace.event_of(race.first), trace.event_of(race.second));
    match (a, b) {
        (Some(a), Some(b)) => match tasks {
            Some(tasks) => why_tasks(trace, order, tasks, (a, b)),
            None => why_events(trace, order, a, b),
        },
        _ if trace.thread_of(race.first) == trace.thread_of(race.second) => {
            format!(
                "Both run on {}, but not both inside one event, and nothing the model knows leads \
                 from one to the other.",
                thread(trace, race.first)
            )
        }
        _ => format!(
            "{} and {} run side by side: no fork, join, message or notification leads from one \
             access to the other.",
            thread(trace, race.first),
            thread(trace, race.second)
        ),
    }
}

fn why_events(trace: &Trace, order: &dyn HappensBefore, a: EventId, b: EventId) -> String {
    let (name_a, name_b) = (event_name(trace, a), event_name(trace, b));
    let (posted_a, posted_b) = (trace.event(a).enqueue, trace.event(b).enqueue);
    let (Some(post_a), Some(post_b)) = (posted_a, posted_b) else {
        let unposted = if posted_a.is_none() { &name_a } else { &name_b };
        return format!(
            "The trace does not show what posted {unposted}, and nothing else orders {name_a} and \
             {name_b}."
        );
    };
    if !order.before(post_a, post_b) && !order.before(post_b, post_a) {
        return format!(
            "{name_a} is posted on {} (operation {}) and {name_b} on {} (operation {}); nothing \
             orders these posts, so the events may run in either order.",
            thread(trace, post_a),
            trace.number(post_a),
            thread(trace, post_b),
            trace.number(post_b)
        );
    }
    if trace.looper_of(a).is_none() || trace.looper_of(a) != trace.looper_of(b) {
        return format!(
            "{name_a} and {name_b} are posted in order, but not to one Looper, so they may overlap."
        );
    }
    let kind = |event| trace.posting_of(event).map_or_else(String::new, |e| posting(e.posting));
    format!(
        "{name_a} ({}) and {name_b} ({}) are posted in order, but messages of these kinds need not \
         run in the order of their posts.",
        kind(a),
        kind(b)
    )
}

/// The tasks of a page do not overlap; what orders them is where they come from.
fn why_tasks(
    trace: &Trace,
    order: &dyn HappensBefore,
    tasks: &Tasks,
    (a, b): (EventId, EventId),
) -> String {
    let name = |event: EventId| match tasks.head(event) {
        head if head == event => event_name(trace, event),
        head => format!("{} (a part of {})", event_name(trace, event), event_name(trace, head)),
    };
    let queue =
        |event: EventId| trace.looper_of(event).filter(|_| trace.event(event).enqueue.is_some());
    let (name_a, name_b) = (name(a), name(b));
    let (head_a, head_b) = (tasks.head(a), tasks.head(b));
    let posts = (trace.event(head_a).enqueue, trace.event(head_b).enqueue);
    let (Some(post_a), Some(post_b)) = posts else {
        return format!(
            "Nothing that the page or the browser promises orders {name_a} and {name_b}."
        );
    };
    if !order.before(post_a, post_b) && !order.before(post_b, post_a) {
        return format!(
            "{name_a} is due to operation {} and {name_b} to operation {}; nothing orders these, so \
             the tasks may run in either order.",
            trace.number(post_a),
            trace.number(post_b)
        );
    }
    if queue(head_a).is_none() || queue(head_a) != queue(head_b) {
        return format!(
            "{name_a} and {name_b} are asked for in order, but not of one source that keeps order."
        );
    }
    let kind = |event| trace.posting_of(event).map_or_else(String::new, |e| posting(e.posting));
    format!(
        "{name_a} ({}) and {name_b} ({}) are asked for in order, but their source keeps no order of \
         these.",
        kind(head_a),
        kind(head_b)
    )
}
