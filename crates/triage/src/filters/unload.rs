//! Race with page unload (EventRacer, §5.3).
//!
//! Every race on the location, covered or not, has an access in an event of type `unload`: what
//! goes wrong, goes wrong while the page disappears. Events of type `beforeunload` and `pagehide`
//! do not count: the page may stay, or come back.
//!
//! May miss: a handler of `unload` that stores or sends something.

use races::{Race, RaceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Unload,
    reference: "EventRacer, §5.3",
    definition: "every race on the location has an access in an event of type unload",
    page: include_str!("../../../../docs/labels/unload.md"),
    scope: Scope::Location,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let with_unload = |race: &&Race| {
        [race.first, race.second].iter().any(|&op| location.in_event_of_type(op, b"unload"))
    };
    location.all_if(location.races.iter().all(with_unload))
}
