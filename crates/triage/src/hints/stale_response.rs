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
use crate::hints::double_submit;
use crate::visibility::{Visibility, visibility};

pub(super) static HINT: Hint = Hint {
    name: "stale-response",
    definition: "the same functions write the location in two events that are both responses; in model \
                 web also any functions, if the responses come from one path, unless one control sent both",
    fix: "Abort the older request, or compare a sequence number before the answer is used.",
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
            && (same_functions(location, first, second) || same_path(location, first, second))
            && is_response(location, first)
            && is_response(location, second)
            && double_submit::control(location, race).is_none()
    };
    let message = "If the older request is answered last, the user sees its answer and not the one \
                   asked for last.";
    location.races.iter().filter(applies).map(|race| (race.id, message.to_owned())).collect()
}

fn same_functions(location: &RacyLocation<'_>, first: OpId, second: OpId) -> bool {
    let functions = |op| location.evidence.code.frames(op).map(|frame| frame.function);
    let mut functions_of_first = functions(first).peekable();
    let some: Option<&FunctionId> = functions_of_first.peek();
    some.is_some() && functions_of_first.eq(functions(second))
}

/// Returns whether an event of type `load` is of a request, and one of type `message` brings something that
/// a person sees, in model `web`. Elements load as well, and workers answer in order.
fn is_of_server(location: &RacyLocation<'_>, op: OpId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let head = trace.event_of(op).map(|event| evidence.head(event));
    let begin = head.and_then(|head| trace.event(head).begin);
    let name = begin.and_then(|begin| trace.attributes(begin).event_name).map(|n| trace.text(n));
    let is_seen = visibility(trace, location.id) > Visibility::Internal;
    match evidence.event_type(op) {
        Some(b"load") => name.is_some_and(|n| n.starts_with(b"/") || n.starts_with(b"http")),
        Some(b"message") => is_seen,
        _ => true,
    }
}

/// Returns whether two responses come from one path of a server, in model `web`.
fn same_path(location: &RacyLocation<'_>, first: OpId, second: OpId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let path = |op| {
        let head = evidence.head(trace.event_of(op)?);
        let name = trace.text(trace.attributes(trace.event(head).begin?).event_name?);
        name.split(|&byte| byte == b'?').next()
    };
    evidence.in_browser() && path(first).is_some() && path(first) == path(second)
}

pub(super) fn is_response(location: &RacyLocation<'_>, op: OpId) -> bool {
    let evidence = location.evidence;
    let typed = evidence.event_type(op).is_some_and(|t| RESPONSES.contains(&t));
    if evidence.in_browser() {
        return typed && is_of_server(location, op);
    }
    let enqueue = evidence.trace.event_of(op).and_then(|e| evidence.trace.event(e).enqueue);
    let thread = evidence.trace.thread_of(op);
    typed || enqueue.is_some_and(|enqueue| evidence.trace.thread_of(enqueue) != thread)
}
