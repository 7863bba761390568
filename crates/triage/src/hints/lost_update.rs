//! Lost update: a read-modify-write that is split over events.
//!
//! Two writes race. One of them runs in an event u that did not read the location before the write.
//! An event that led to u by posts did read it, at r, and nothing orders r and the other write. The
//! write in u was computed from the value that r read. If the other write runs between r and u, it
//! is overwritten unseen.
//!
//! In model `web` events stand for their tasks, and a race between r and the other write has the hint, too:
//! it may cover that of the writes. The search follows at most [`ANCESTORS_ASKED`] posts back.
//!
//! [`ANCESTORS_ASKED`]: crate::evidence::ANCESTORS_ASKED

use std::collections::{BTreeSet, HashMap};

use races::{Race, RaceId};
use trace::{EventId, OpId};

use crate::evidence::RacyLocation;
use crate::hint::{Hint, place};

pub(super) static HINT: Hint = Hint {
    name: "lost-update",
    definition: "an event read the location and led to one that writes it; the other write may \
                 fall in between; in model web the race may be with that read, which is no test and stands \
                 before the write in the same file",
    fix: "Read the value again after the wait, or let one update wait for the other.",
    page: include_str!("../../../../docs/hints/lost-update.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let mut first_reads: HashMap<EventId, OpId> = HashMap::new();
    for read in location.reads() {
        if let Some(event) = read.event {
            first_reads.entry(location.evidence.head(event)).or_insert(read.op);
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
            "The {} access writes what was computed before a wait, from the value at operation {}: \
             if the {} access falls in between, its update is lost.",
            place(race, write),
            location.evidence.trace.number(read),
            place(race, other)
        );
        Some((race.id, message))
    };
    let splits: BTreeSet<OpId> = location
        .writes()
        .filter_map(|write| split_read(location, &first_reads, write.op))
        .filter(|_| location.evidence.in_browser())
        .collect();
    let of_read = |race: &&Race| {
        let read = [race.first, race.second].into_iter().find(|op| splits.contains(op))?;
        let other = if read == race.first { race.second } else { race.first };
        let message = format!(
            "The {} access reads what a later event writes back changed: if the {} access falls in \
             between, its update is lost.",
            place(race, read),
            place(race, other)
        );
        Some((race.id, message))
    };
    let found = |race: &&Race| {
        if location.is_write_write(race) { given(race) } else { of_read(race) }
    };
    location.races.iter().copied().filter_map(|race| found(&race)).collect()
}

/// Returns the first read in the nearest event that read the location and led to the event of
/// `write`, unless the latter event read it itself before the write.
fn split_read(
    location: &RacyLocation<'_>,
    first_reads: &HashMap<EventId, OpId>,
    write: OpId,
) -> Option<OpId> {
    let evidence = location.evidence;
    let mut tasks = evidence.ancestors(evidence.trace.event_of(write)?);
    if tasks.next().and_then(|task| first_reads.get(&task)).is_some_and(|&read| read < write) {
        return None;
    }
    tasks
        .filter_map(|task| first_reads.get(&task).copied())
        .find(|&read| read < write)
        .filter(|&read| may_compute(location, read, write))
}

/// Returns whether what a read found may be what a write is computed from: in model `web`, the read is no test,
/// and the write stands after it in the same file or on the same line, as in `n = count; await …; count = n + 1`.
fn may_compute(location: &RacyLocation<'_>, read: OpId, write: OpId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    if !evidence.in_browser() {
        return true;
    }
    let place = |op| trace.attributes(op).source.map(|source| trace.source(source));
    let follows = match (place(read), place(write)) {
        (Some(read), Some(write)) => read.file == write.file && read.line <= write.line,
        _ => true,
    };
    follows && !evidence.is_test(read)
}
