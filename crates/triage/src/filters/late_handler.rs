//! Late attachment of an event handler (EventRacer, §5.3).
//!
//! A read and a write of a list of event handlers race: the event may come before its handler is
//! attached and is then lost. Sites do so on purpose, to show the page early.
//!
//! May miss: a handler that must not be late, such as that of an event that comes only once.

use races::RaceId;
use trace::LocationKind;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::LateHandler,
    reference: "EventRacer, §5.3",
    definition: "the race is between a read and a write of a list of event handlers",
    page: include_str!("../../../../docs/labels/late-handler.md"),
    scope: Scope::Location,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    if location.evidence.trace.location_kind(location.id) != Some(LocationKind::Handler) {
        return Vec::new();
    }
    location.races_where(|race| !location.is_write_write(race))
}
