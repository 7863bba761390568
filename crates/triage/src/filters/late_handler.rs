//! Late attachment of an event handler (EventRacer, §5.3).
//!
//! A read and a write of a list of event handlers race: the event may occur before its handler is
//! attached, and is then lost. Sites do this on purpose to show the page early, and users of a page
//! that is still loading tolerate it.
//!
//! Users of a page that has loaded do not tolerate it. Recordings in model `web` show when the page
//! had loaded, so there the filter does not apply to a race in which an input may be lost after
//! loading:
//!
//! - the read belongs to the dispatch of one of [`COMMANDS`], which are not repeated by themselves
//!   as pointer movements are;
//! - no write before the read in the trace is ordered before it, so the list may be empty;
//! - the last `load` of the page before the write is ordered before it and belongs to another task,
//!   so every run has a time after the `load` and before the handler at which the input may occur.
//!
//! May miss: a handler that must not be late while the page loads, such as that of an event that
//! occurs only once. Cost: one call of [`RacyLocation::racing_writes_before`] for each read.

use std::collections::HashMap;

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

/// The types of input by which a user requests an action.
const COMMANDS: [&[u8]; 10] = [
    b"change",
    b"click",
    b"contextmenu",
    b"dblclick",
    b"drop",
    b"input",
    b"keydown",
    b"keypress",
    b"paste",
    b"submit",
];

pub(super) static FILTER: Filter = Filter {
    label: Label::LateHandler,
    reference: "EventRacer, §5.3",
    definition: "the race is between a read and a write of a list of event handlers; in model web, \
                 unless a command of the user may find the list empty after the page has loaded",
    page: include_str!("../../../../docs/labels/late-handler.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    if location.evidence.trace.location_kind(location.id) != Some(LocationKind::Handler) {
        return Vec::new();
    }
    let mut may_be_empty: HashMap<OpId, bool> = HashMap::new();
    let mut is_lost = |race: &Race| {
        let (read, write) = if location.access(race.first).is_write {
            (race.second, race.first)
        } else {
            (race.first, race.second)
        };
        location.evidence.in_browser()
            && COMMANDS.iter().any(|command| location.in_event_of_type(read, command))
            && is_after_loading(location, write)
            && *may_be_empty.entry(read).or_insert_with(|| {
                let written = location.writes().any(|first| first.op < read);
                !written || location.racing_writes_before(read).is_some()
            })
    };
    let races = location.races.iter().filter(|race| !location.is_write_write(race));
    races.filter(|race| !is_lost(race)).map(|race| race.id).collect()
}

/// Returns whether the page has loaded before an attachment in every order of events.
fn is_after_loading(location: &RacyLocation<'_>, write: OpId) -> bool {
    let evidence = location.evidence;
    let event = evidence.trace.event_of(write);
    event.zip(evidence.last_load(write)).is_some_and(|(event, load)| {
        !evidence.same_task(event, load) && evidence.order.event_before(load, event)
    })
}
