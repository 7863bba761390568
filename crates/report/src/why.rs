//! Why nothing orders the two accesses of a race, in a sentence.

use order::HappensBefore;
use races::Race;
use trace::{EventId, Trace};

use crate::entries::{event_name, posting, thread};

/// The sentence for a race; without an `order`, only threads and locks count.
pub(crate) fn why(trace: &Trace, order: Option<&dyn HappensBefore>, race: &Race) -> String {
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
        (Some(a), Some(b)) => why_events(trace, order, a, b),
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
