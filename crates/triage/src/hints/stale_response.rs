//! Stale response: two responses to one kind of request write one location.
//!
//! Two writes race. The same functions make them in two events that are both responses: of type
//! `readystatechange`, `response`, `load` or `message`, or posted from another thread than they run
//! on. The two are not known to write the same value. Responses arrive in any order, so the
//! response to the older request may arrive last and stay.

use races::{Race, RaceId};
use trace::{FunctionId, OpId};

use crate::evidence::RacyLocation;
use crate::hint::Hint;

pub(super) static HINT: Hint = Hint {
    name: "stale-response",
    definition: "the same functions write the location in two events that are both responses",
    page: include_str!("../../../../docs/hints/stale-response.md"),
    find,
};

const RESPONSES: [&[u8]; 4] = [b"readystatechange", b"response", b"load", b"message"];

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let applies = |race: &&&Race| {
        let (first, second) = (race.first, race.second);
        let equal =
            location.value(first).is_some() && location.value(first) == location.value(second);
        location.is_write_write(race)
            && !equal
            && same_functions(location, first, second)
            && is_response(location, first)
            && is_response(location, second)
    };
    let message = "Both accesses are the same code in two responses: the older request may be \
                   answered last, and its answer stays.";
    location.races.iter().filter(applies).map(|race| (race.id, message.to_owned())).collect()
}

fn same_functions(location: &RacyLocation<'_>, first: OpId, second: OpId) -> bool {
    let functions = |op| location.evidence.code.frames(op).map(|frame| frame.function);
    let mut functions_of_first = functions(first).peekable();
    let some: Option<&FunctionId> = functions_of_first.peek();
    some.is_some() && functions_of_first.eq(functions(second))
}

fn is_response(location: &RacyLocation<'_>, op: OpId) -> bool {
    let evidence = location.evidence;
    let typed = evidence.event_type(op).is_some_and(|t| RESPONSES.contains(&t));
    let enqueue = evidence.trace.event_of(op).and_then(|e| evidence.trace.event(e).enqueue);
    let thread = evidence.trace.thread_of(op);
    typed || enqueue.is_some_and(|enqueue| evidence.trace.thread_of(enqueue) != thread)
}
