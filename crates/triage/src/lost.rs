//! Decides whether an input may be lost because its handler comes late.
//!
//! A read and a write of a list of event handlers race: the event may find the list empty, and is lost
//! then. Users tolerate that while a page visibly loads. They do not tolerate it
//!
//! - if the page looks ready: the handler is not certain to be there when the page has been parsed
//!   (`DOMContentLoaded`) or has loaded, and is not attached by the task of either, or by a timer without
//!   delay that this task sets; `load` counts only if the page waits for nothing else, such as an image, once
//!   it has been parsed;
//! - if the input was lost in this very run: it came first, and no listener heard it;
//! - if the browser then does something else: a form is submitted, a link is followed, a field changes;
//! - if the event occurs only once, as the `load` of an image does, and the list is that of its target, or if it
//!   delivers a message to a window, or a script dispatches it while it is loaded.
//!
//! Only [`COMMANDS`] and events that occur once matter: of others, such as movements of the pointer,
//! another follows. A handler that an input attaches is not late.

use races::Race;
use trace::{EventId, OpId, Posting};

use crate::evidence::RacyLocation;
use crate::page::{COMMANDS, NO_DELAY, is_input};
use crate::visibility::unnumbered;

/// Types of events that occur once.
const ONCE: [&[u8]; 3] = [PARSED, b"error", b"load"];

/// The type of the event of a message.
const MESSAGE: &[u8] = b"message";

/// The type of the event of a document that has been parsed.
const PARSED: &[u8] = b"DOMContentLoaded";

/// The read of the list by a dispatch, and the write by which a handler is attached.
pub(crate) fn read_and_write(location: &RacyLocation<'_>, race: &Race) -> (OpId, OpId) {
    if location.access(race.first).is_write {
        (race.second, race.first)
    } else {
        (race.first, race.second)
    }
}

/// Returns whether an event that must not be lost may come before its handler, in a race between a read
/// and a write of a list of handlers. `may_be_empty` states whether the read may find an empty list.
pub(crate) fn matters(
    location: &RacyLocation<'_>,
    race: &Race,
    may_be_empty: &mut dyn FnMut(OpId) -> bool,
) -> bool {
    let evidence = location.evidence;
    let (read, write) = read_and_write(location, race);
    let (Some(dispatch), Some(attach)) =
        (evidence.trace.event_of(read), evidence.trace.event_of(write))
    else {
        return false;
    };
    let Some(event_type) = evidence.event_type(read) else { return false };
    // Events that occur once do not bubble, except to the window.
    let is_own =
        event_type == PARSED || evidence.page.is_of_target(evidence.trace, dispatch, location.id);
    let once = ONCE.contains(&event_type) && is_own
        || is_posted(location, event_type)
        || is_announced(location, event_type);
    if !once && !COMMANDS.contains(&event_type) || is_attached_by_input(location, attach) {
        return false;
    }
    let is_lost_here = read < write && !evidence.page.is_heard(evidence.head(dispatch));
    (once
        || is_lost_here
        || has_default(location, event_type, dispatch)
        || looks_ready(location, write, attach))
        && may_be_empty(read)
}

/// Returns whether the list is that of a window's messages. A message that nobody hears is lost.
fn is_posted(location: &RacyLocation<'_>, event_type: &[u8]) -> bool {
    let name = location.evidence.trace.names().locations.get(location.id);
    event_type == MESSAGE && unnumbered(name) == b"window.handlers(message)"
}

/// Returns whether a script dispatches an event of its own while it is loaded. A recorder states no dispatch for
/// it, but the read of the list by the script.
fn is_announced(location: &RacyLocation<'_>, event_type: &[u8]) -> bool {
    let name = location.evidence.trace.names().locations.get(location.id);
    event_type == b"script" && !name.ends_with(b"handlers(script)")
}

/// Returns whether no write of the list is certain to come before a read.
pub(crate) fn may_be_empty(location: &RacyLocation<'_>, read: OpId) -> bool {
    let written = location.writes().any(|first| first.op < read);
    !written || location.racing_writes_before(read).is_some()
}

fn is_attached_by_input(location: &RacyLocation<'_>, attach: EventId) -> bool {
    let evidence = location.evidence;
    let mut types = evidence.ancestors(attach).filter_map(|event| evidence.type_of(event));
    types.any(|text| is_input(evidence.trace.text(text)))
}

/// Returns whether the browser does something of its own if nobody listens: it submits a form, follows a
/// link, or changes a field.
fn has_default(location: &RacyLocation<'_>, event_type: &[u8], dispatch: EventId) -> bool {
    let (trace, page) = (location.evidence.trace, &location.evidence.page);
    let name = trace.names().locations.get(location.id);
    let element = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    let last = element.rsplit(|byte| b">/".contains(byte)).next().unwrap_or_default();
    let tag = last.split(|byte| b"#:(@".contains(byte)).next().unwrap_or_default();
    event_type == b"submit"
        || event_type == b"click" && (tag == b"a" || page.submits(name))
        || page.is_of_target(trace, dispatch, location.id) && page.changes_field(dispatch)
}

/// Returns whether the page may look ready, and the handler is still to come.
fn looks_ready(location: &RacyLocation<'_>, write: OpId, attach: EventId) -> bool {
    let evidence = location.evidence;
    // After a navigation, the last page that was parsed is another one, and the next one is the handler's.
    let [last, next] = evidence.page.parsed(evidence.trace, write);
    let parsed = last.or(next);
    let loaded = evidence.page.last_load(evidence.trace, write);
    let is_of = |milestone: EventId| is_promptly_after(location, milestone, attach);
    let waits = |loaded: EventId| parsed.is_some_and(|parsed| waits(location, parsed, loaded));
    if parsed.is_some_and(is_of) || loaded.is_some_and(|loaded| is_of(loaded) && !waits(loaded)) {
        return false;
    }
    let is_there = next.is_some_and(|next| evidence.order.event_before(attach, next));
    parsed.is_some() && !is_there
        || loaded.is_some_and(|loaded| evidence.order.event_before(loaded, attach))
}

/// Returns whether a page that has been parsed may wait for something until it has loaded: the latter follows
/// an event of type `load`, `error` or `script` that the former does not follow.
fn waits(location: &RacyLocation<'_>, parsed: EventId, loaded: EventId) -> bool {
    let evidence = location.evidence;
    let Some(end) = evidence.trace.event(loaded).begin else { return false };
    evidence.page.between(evidence.trace, OpId(0), end).any(|event| {
        let of_type = evidence.type_of(event).map(|text| evidence.trace.text(text));
        matches!(of_type, Some(b"load" | b"error" | b"script"))
            && evidence.head(event) == event
            && evidence.order.event_before(event, loaded)
            && !evidence.order.event_before(event, parsed)
    })
}

/// Returns whether an event belongs to the task of another, or to timers without delay that it set.
fn is_promptly_after(location: &RacyLocation<'_>, milestone: EventId, event: EventId) -> bool {
    let evidence = location.evidence;
    let mut task = evidence.head(event);
    for _ in 0..crate::evidence::ANCESTORS_ASKED {
        if task == evidence.head(milestone) {
            return true;
        }
        let is_timer = evidence.type_of(task).is_some_and(|of| evidence.trace.text(of) == b"timer");
        let is_short = evidence.trace.posting_of(task).is_some_and(
            |post| matches!(post.posting, Posting::Delayed(delay) if delay <= NO_DELAY),
        );
        let parent = evidence.trace.event(task).enqueue.and_then(|op| evidence.trace.event_of(op));
        let Some(parent) = parent.filter(|_| is_timer && is_short) else { return false };
        task = evidence.head(parent);
    }
    false
}
