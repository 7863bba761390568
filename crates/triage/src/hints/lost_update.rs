//! Lost update: a read-modify-write that is split over events.
//!
//! Two writes race. One of them runs in an event u that did not read the location before the write.
//! An event that led to u by posts did read it, at r, and nothing orders r and the other write. The
//! write in u was computed from the value that r read. If the other write runs between r and u, it
//! is overwritten unseen.
//!
//! The search follows at most [`ANCESTORS_ASKED`] posts back.

use std::collections::HashMap;

use races::{Race, RaceId};
use trace::{EventId, OpId};

use crate::evidence::RacyLocation;
use crate::hint::{Hint, place};

pub(super) static HINT: Hint = Hint {
    name: "lost-update",
    definition: "an event read the location and led to one that writes it; the other write may \
                 fall in between",
    page: include_str!("../../../../docs/hints/lost-update.md"),
    find,
};

/// The largest number of posts that are followed back from a write.
const ANCESTORS_ASKED: usize = 16;

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let mut first_reads: HashMap<EventId, OpId> = HashMap::new();
    for read in location.reads() {
        if let Some(event) = read.event {
            first_reads.entry(event).or_insert(read.op);
        }
    }
    let given = |race: &&Race| {
        let orders = [(race.first, race.second), (race.second, race.first)];
        let (write, other, read) = orders.into_iter().find_map(|(write, other)| {
            let read = split_read(location, &first_reads, write)?;
            let free = location.evidence.order.unordered(read, other);
            free.then_some((write, other, read))
        })?;
        let message = format!(
            "The {} access writes what was computed from a read (operation {}) of an event that \
             led to it: if the {} access falls in between, its write is lost.",
            place(race, write),
            location.evidence.trace.number(read),
            place(race, other)
        );
        Some((race.id, message))
    };
    let between_writes = location.races.iter().filter(|race| location.is_write_write(race));
    between_writes.filter_map(given).collect()
}

/// Returns the first read in the nearest event that read the location and led to the event of
/// `write`, unless the latter event read it itself before the write.
fn split_read(
    location: &RacyLocation<'_>,
    first_reads: &HashMap<EventId, OpId>,
    write: OpId,
) -> Option<OpId> {
    let trace = location.evidence.trace;
    let event = trace.event_of(write)?;
    if first_reads.get(&event).is_some_and(|&read| read < write) {
        return None;
    }
    let parent = |&event: &EventId| trace.event_of(trace.event(event).enqueue?);
    let ancestors = std::iter::successors(parent(&event), parent).take(ANCESTORS_ASKED);
    ancestors.filter_map(|event| first_reads.get(&event).copied()).find(|&read| read < write)
}
