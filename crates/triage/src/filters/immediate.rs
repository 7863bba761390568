//! Scripts directly after their element (after `InitRacer`, §3).
//!
//! An input races with a write that gives its target a handler or a form value. The write is in the code
//! of an inline script, or in the code of the parser itself (a handler attribute), and since the target
//! was created the parser did nothing but insert elements and run inline scripts: no request, timer or
//! input came in between. The parser may pause there in another run, but nothing makes it wait.
//!
//! May miss: a server that sends the element and the script far apart.

use races::{Race, RaceId};
use trace::{EventId, LocationKind, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::page::is_input;
use crate::visibility::is_form_value;

pub(super) static FILTER: Filter = Filter {
    label: Label::Immediate,
    reference: "InitRacer, §3",
    definition: "model web; an input races with the handler or the form value that its target gets, and only \
                 parsing and inline scripts lie between the creation of the target and the write",
    page: include_str!("../../../../docs/labels/immediate.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let is_list = evidence.trace.location_kind(location.id) == Some(LocationKind::Handler);
    if !evidence.in_browser() || !is_list && !is_form_value(evidence.trace, location.id) {
        return Vec::new();
    }
    let is_input = |op: OpId| evidence.event_type(op).is_some_and(is_input);
    location.races_where(|race: &Race| {
        let orders = [(race.first, race.second), (race.second, race.first)];
        orders.into_iter().any(|(input, write)| {
            // Of a list of handlers, every event is one that may come too early.
            (is_list && !location.access(input).is_write || !is_list && is_input(input))
                && location.access(write).is_write
                && is_immediate(location, input, write)
        })
    })
}

fn is_immediate(location: &RacyLocation<'_>, read: OpId, write: OpId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let dispatch = trace.event_of(read).map(|event| evidence.head(event));
    let Some(made) = dispatch.and_then(|dispatch| evidence.page.made(dispatch)) else {
        return false;
    };
    let (Some(from), Some(attach)) = (trace.event(made).begin, trace.event_of(write)) else {
        return false;
    };
    trace.thread_of(from) == trace.thread_of(write)
        && is_local(location, made)
        && is_local(location, attach)
        && evidence.page.between(trace, from, write).all(|event| is_local(location, event))
}

/// Returns whether an event is a step of the parser or an inline script: one whose accesses are in the
/// document's own file.
fn is_local(location: &RacyLocation<'_>, event: EventId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let name = trace.event(event).begin.and_then(|begin| trace.attributes(begin).event_name);
    match evidence.type_of(event).map(|text| trace.text(text)) {
        Some(b"parse") => true,
        Some(b"script") => name.is_some_and(|name| !is_file(trace.text(name))),
        _ => false,
    }
}

/// Returns whether the name of a script event is that of a file of scripts.
fn is_file(name: &[u8]) -> bool {
    let end = name.iter().position(|byte| b"?#".contains(byte)).unwrap_or(name.len());
    [&b".js"[..], b".mjs", b".cjs", b".ts"].iter().any(|suffix| name[..end].ends_with(suffix))
}
