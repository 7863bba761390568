//! Late attachment of an event handler (EventRacer, §5.3).
//!
//! A read and a write of a list of event handlers race: the event may occur before its handler is
//! attached, and is then lost. Sites do this on purpose to show the page early, and users of a page
//! that is still loading tolerate it.
//!
//! In model `web` the filter does not apply to an input that must not be lost ([`crate::lost`]), nor to one that a
//! step of a test gives: a test fails where a user would click again.
//!
//! May miss: a handler that must not be late while the page loads. Cost: one call of
//! [`RacyLocation::racing_writes_before`] for each read.

use std::collections::HashMap;

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lost;

pub(super) static FILTER: Filter = Filter {
    label: Label::LateHandler,
    reference: "EventRacer, §5.3",
    definition: "the race is between a read and a write of a list of event handlers; in model web, \
                 unless an event may be lost that must not be, or a test gives the event",
    page: include_str!("../../../../docs/labels/late-handler.md"),
    scope: Scope::Location,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    if location.evidence.trace.location_kind(location.id) != Some(LocationKind::Handler) {
        return Vec::new();
    }
    let mut known: HashMap<OpId, bool> = HashMap::new();
    let mut may_be_empty =
        |read| *known.entry(read).or_insert_with(|| lost::may_be_empty(location, read));
    let mut matters = |race: &Race| {
        let evidence = location.evidence;
        let (read, _) = lost::read_and_write(location, race);
        let is_tested =
            || evidence.trace.event_of(read).is_some_and(|read| evidence.page.is_tested(read));
        evidence.in_browser() && (is_tested() || lost::matters(location, race, &mut may_be_empty))
    };
    let races = location.races.iter().filter(|race| !location.is_write_write(race));
    races.filter(|race| !matters(race)).map(|race| race.id).collect()
}
