//! Use after destroy: one access ends the life of an object that the other uses.
//!
//! One access writes. Either it writes nothing (`undefined`, `null`) and the other access reads
//! something, or it runs under a function that ends the life of objects (`data/destroys.list`, and
//! the user's own) and the other does not. In one of the two orders the use comes too late.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::hint::{Hint, place};

pub(super) static HINT: Hint = Hint {
    name: "use-after-destroy",
    definition: "one access clears the location or runs in a destructor, the other uses it",
    fix: "Cancel what is pending when the object ends, or ask whether it still lives.",
    page: include_str!("../../../../docs/hints/use-after-destroy.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let given = |race: &&Race| {
        let orders = [(race.first, race.second), (race.second, race.first)];
        let (end, usage) = orders.into_iter().find(|&(e, u)| destroys(location, e, u))?;
        let message = format!(
            "The {} access ends the life of what the {} access uses: the use may come too late.",
            place(race, end),
            place(race, usage)
        );
        Some((race.id, message))
    };
    location.races.iter().filter_map(given).collect()
}

fn destroys(location: &RacyLocation<'_>, end: OpId, usage: OpId) -> bool {
    let code = &location.evidence.code;
    let clears = location.is_nothing(end)
        && !location.access(usage).is_write
        && location.value(usage).is_some()
        && !location.is_nothing(usage);
    location.access(end).is_write && (clears || code.destroys(end) && !code.destroys(usage))
}
