//! Accesses that a later one repeats in either order.
//!
//! Both accesses write, and a later write is ordered after both: whichever of the two comes last, its value does
//! not stay. What a person sees must be repeated promptly, in an animation frame, by an observer or in a timer
//! without delay, because a person notices what stays for longer. Or one access reads, and after the write the
//! same place of the program reads again: the task of the write, or one that follows from it, computes anew what
//! the racing read computed. Programs that draw, lay out or save what they hold do so: every change requests another
//! frame, and every key press starts the timer of a search again.
//!
//! A read that is not certain to find something is left out: the program may fail before it reads again.
//!
//! May miss: a read whose effect cannot be repeated, such as a request with an old value.
//!
//! Cost: order queries for at most [`REPEATS_ASKED`] accesses after each race.

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::{EMPTY, RacyLocation, WRITES_ASKED};
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lost::read_and_write;
use crate::visibility::{Visibility, is_lookup, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Settled,
    reference: "real applications",
    definition: "model web; both accesses write, and a later write, which is prompt if a person sees the \
                 location, is ordered after both; or one reads something that is certainly there, and a read \
                 at the same place is ordered after the write",
    page: include_str!("../../../../docs/labels/settled.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

/// How many accesses after a race are asked whether they repeat it.
const REPEATS_ASKED: usize = 256;

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let trace = location.evidence.trace;
    let is_list = trace.location_kind(location.id) == Some(LocationKind::Handler);
    if !location.evidence.in_browser() || is_list || is_lookup(trace, location.id) {
        return Vec::new();
    }
    location.races_where(|race: &Race| {
        location.is_atomic(race)
            && if location.is_write_write(race) {
                is_overwritten(location, race)
            } else {
                is_read_again(location, race)
            }
    })
}

/// Returns whether a later write is ordered after both writes of a race.
fn is_overwritten(location: &RacyLocation<'_>, race: &Race) -> bool {
    let evidence = location.evidence;
    let (a, b) = (race.first.min(race.second), race.first.max(race.second));
    let is_seen = visibility(evidence.trace, location.id) > Visibility::Internal;
    let from = location.accesses.partition_point(|access| access.op <= b);
    location.accesses[from..].iter().take(REPEATS_ASKED).any(|later| {
        later.is_write
            && evidence.order.before(b, later.op)
            && evidence.order.before(a, later.op)
            && (!is_seen || later.event.is_some_and(|event| evidence.is_prompt(event)))
    })
}

/// Returns whether a read at the same place is ordered after the write of a race.
fn is_read_again(location: &RacyLocation<'_>, race: &Race) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let (read, write) = read_and_write(location, race);
    let Some(place) = trace.attributes(read).source else { return false };
    let from = location.accesses.partition_point(|access| access.op <= write);
    is_certain(location, read)
        && location.accesses[from..].iter().take(REPEATS_ASKED).any(|later| {
            !later.is_write
                && !later.is_local_read
                && later.op != read
                && trace.attributes(later.op).source == Some(place)
                && evidence.order.before(write, later.op)
        })
}

/// Returns whether a read is certain to find something.
fn is_certain(location: &RacyLocation<'_>, read: OpId) -> bool {
    let before = &location.accesses[..location.accesses.partition_point(|a| a.op < read)];
    let is_empty = |op| location.value(op).is_none_or(|value| EMPTY.contains(&value));
    let mut writes = before.iter().rev().filter(|access| access.is_write).take(WRITES_ASKED);
    location.is_initialised()
        || writes.any(|write| !is_empty(write.op) && location.evidence.order.before(write.op, read))
}
