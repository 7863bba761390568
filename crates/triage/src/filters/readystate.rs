//! Handlers of readyStateChange (EventRacer, §5.4).
//!
//! An uncovered race has an access in an event of type `readystatechange`: the response to a
//! request, which may take any time. The label applies only if no likely-harmless filter applies.
//!
//! May miss: responses that arrive in another way, such as those of `fetch`.

use races::{Race, RaceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::Readystate,
    reference: "EventRacer, §5.4",
    definition: "nothing covers the race, and an access runs in an event of type readystatechange",
    page: include_str!("../../../../docs/labels/readystate.md"),
    scope: Scope::Aside,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let in_handler = |op| location.in_event_of_type(op, b"readystatechange");
    let selected =
        |race: &Race| !race.is_covered() && (in_handler(race.first) || in_handler(race.second));
    location.races_where(selected)
}
