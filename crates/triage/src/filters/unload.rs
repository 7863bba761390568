//! Race with page unload (EventRacer, §5.3).
//!
//! Every race on the location, covered or not, has an access in an event of type `unload`: the
//! effects appear only while the page disappears. In model `web`, events of type `pagehide`, which
//! current pages use instead, count as well. Events of type `beforeunload` do not count, because
//! the page may stay.
//!
//! May miss: a handler of `unload` that stores or sends something.

use races::{Race, RaceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Unload,
    reference: "EventRacer, §5.3",
    definition: "every race on the location has an access in an event of type unload; in model web, or pagehide",
    page: include_str!("../../../../docs/labels/unload.md"),
    scope: Scope::Location,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let leaves = |op| {
        location.in_event_of_type(op, b"unload")
            || location.evidence.in_browser() && location.in_event_of_type(op, b"pagehide")
    };
    let with_unload = |race: &&Race| leaves(race.first) || leaves(race.second);
    location.all_if(location.races.iter().all(with_unload))
}
