//! Access before definition (`InitRacer`, §3).
//!
//! A read and a write of something that only code sees race, or of the lookup of an element. The read does
//! more than test what it finds. Either it found a value, and no write that is ordered before it leaves
//! one: in another run it finds `undefined`, and the code goes on to use that. Or it came first in this
//! run, and found nothing. An element of an array, a map or a set is left out if the event read its length
//! before, since it then asks only for elements that are there, and so is an entry under a name that is no
//! identifier: a program that looks something up expects that it may be missing.
//!
//! Cost: order queries for at most [`WRITES_ASKED`] writes before each read.

use std::collections::BTreeMap;

use races::RaceId;
use trace::{LocationKind, OpId};

use crate::evidence::{EMPTY, RacyLocation, WRITES_ASKED};
use crate::hint::Hint;
use crate::lost::read_and_write;
use crate::name::text_of;
use crate::visibility::{Visibility, is_lookup, unnumbered, visibility};

pub(super) static HINT: Hint = Hint {
    name: "access-before-definition",
    definition: "model web; only code sees the location, the read does more than test it, and no write \
                 that is ordered before the read leaves a value; the location is no entry under a name that is \
                 no identifier, and no element of a collection whose size the event has read",
    fix: "Wait for what defines it: a promise, the order of scripts (`defer`), or a test before the use.",
    page: include_str!("../../../../docs/hints/access-before-definition.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let evidence = location.evidence;
    let is_internal = visibility(evidence.trace, location.id) == Visibility::Internal;
    if !evidence.in_browser()
        || !is_internal
        || is_part_of_page(location)
        || location.is_initialised()
        || is_entry(evidence.trace.names().locations.get(location.id))
    {
        return Vec::new();
    }
    let name = text_of(unnumbered(evidence.trace.names().locations.get(location.id)));
    let mut decided: BTreeMap<OpId, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for race in location.races.iter().filter(|race| !location.is_write_write(race)) {
        let (read, write) = read_and_write(location, race);
        let applies = if write < read {
            *decided.entry(read).or_insert_with(|| may_find_nothing(location, read))
        } else {
            is_empty(location, read) && !is_empty(location, write)
        };
        if applies && !evidence.is_test(read) && !location.is_bounded(read) {
            let message = if write < read {
                format!("{name} may be `undefined` when it is used, which mostly throws an error.")
            } else {
                format!("{name} was not there yet when it was used in this run.")
            };
            found.push((race.id, message));
        }
    }
    found
}

/// Returns whether a location is an entry of an object under a name that is no identifier.
fn is_entry(name: &[u8]) -> bool {
    let name = unnumbered(name);
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_$#".contains(byte) || !byte.is_ascii();
    let key_after = |at: usize| {
        let digits = name[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        name[at + 1 + digits..].strip_prefix(b".").filter(|_| digits > 0)
    };
    let mut marks = (0..name.len()).filter(|&at| name[at] == b'@');
    marks.find_map(key_after).is_some_and(|key| !key.iter().all(is_part))
}

/// Returns whether a location is a list of handlers or a part of the document, but no lookup of an element.
fn is_part_of_page(location: &RacyLocation<'_>) -> bool {
    let trace = location.evidence.trace;
    match trace.location_kind(location.id) {
        Some(LocationKind::Handler) => true,
        Some(LocationKind::Dom) => !is_lookup(trace, location.id),
        _ => false,
    }
}

/// Returns whether an access found or left nothing.
fn is_empty(location: &RacyLocation<'_>, op: OpId) -> bool {
    location.value(op).is_some_and(|value| EMPTY.contains(&value))
}

/// Returns whether a read found something that no write ordered before it has left.
fn may_find_nothing(location: &RacyLocation<'_>, read: OpId) -> bool {
    let before = &location.accesses[..location.accesses.partition_point(|a| a.op < read)];
    let mut writes = before.iter().rev().filter(|access| access.is_write);
    let is_certain =
        |write: OpId| !is_empty(location, write) && location.evidence.order.before(write, read);
    let asked: Vec<OpId> = writes.by_ref().take(WRITES_ASKED).map(|write| write.op).collect();
    location.value(read).is_some()
        && !is_empty(location, read)
        && writes.next().is_none()
        && !asked.into_iter().any(is_certain)
}
