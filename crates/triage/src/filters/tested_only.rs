//! Values that are only tested.
//!
//! The recorder states which reads only test what they find: conditions, operands of comparisons and of
//! `!`, `&&`, `??=`, objects of `?.` (`crates/rewrite/src/pass/tested.rs`). It records the first read of a
//! location in an event, so what follows a test in the same event is guarded by it. The race is between
//! such a read and a write; or one of its accesses is a write whose event tested the location before it,
//! and so acts on what it found: `if (!timer) timer = setTimeout(…)`, `if (busy) return; busy = true`,
//! `if (field.value === '') field.value = saved`.
//!
//! Whatever the test finds, the program has code for it. The race still covers others: a tested flag is
//! often what orders the data.
//!
//! A program that tests, waits, and only then writes does not guard anything: while it waits, the same
//! test lets another event through, such as a second click on *Order*. The label does not apply if the
//! writing event does not test the location itself, and follows an event that made the same test and did
//! not write the location.
//!
//! May miss: a test whose other outcome is wrong, if nothing that a person sees races as well.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::{Evidence, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lost::read_and_write;

pub(super) static FILTER: Filter = Filter {
    label: Label::TestedOnly,
    reference: "real applications",
    definition: "model web; one access is a read that only tests the value, or a write whose event \
                 tested the location before it; unless the write is not tested, and follows an event \
                 that made the same test without writing",
    page: include_str!("../../../../docs/labels/tested-only.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    if !location.evidence.in_browser() {
        return Vec::new();
    }
    let guarded = |op| is_guarded(location, op);
    location.races_where(|race: &Race| {
        location.is_atomic(race)
            && (guarded(race.first) || guarded(race.second))
            && !waits_after_test(location, race)
    })
}

/// Returns whether the write of a race between a read and a write is not guarded itself, and follows an
/// event that made the same test as the read and did not write the location.
fn waits_after_test(location: &RacyLocation<'_>, race: &Race) -> bool {
    if location.is_write_write(race) {
        return false;
    }
    let Evidence { trace, order, .. } = *location.evidence;
    let (read, write) = read_and_write(location, race);
    let (Some(reader), Some(writer)) = (trace.event_of(read), trace.event_of(write)) else {
        return false;
    };
    if is_guarded(location, write) {
        return false;
    }
    let source = |op| trace.attributes(op).source;
    let before = location.accesses.partition_point(|other| other.op < write);
    let is_same_test = |&at: &usize| {
        let other = &location.accesses[at];
        !other.is_write
            && source(other.op) == source(read)
            && location.evidence.is_test(other.op)
            && other.event != Some(reader)
    };
    (0..before).rev().filter(is_same_test).take(TESTS_ASKED).any(|at| {
        let event = location.accesses[at].event;
        let mut next = location.accesses[at + 1..].iter().take(NEAR);
        event.is_some_and(|event| event != writer && order.event_before(event, writer))
            && !next.any(|other| other.is_write && other.event == event)
    })
}

/// How many tests before a write are examined.
const TESTS_ASKED: usize = 8;

/// Returns whether an access is a test, or a write that acts on a test of its own event.
fn is_guarded(location: &RacyLocation<'_>, op: OpId) -> bool {
    let access = location.access(op);
    let is_test = |read: OpId| location.evidence.is_test(read);
    if !access.is_write {
        return is_test(op);
    }
    let before = location.accesses.partition_point(|other| other.op < op);
    let own = location.accesses[..before].iter().rev();
    own.take(NEAR).any(|other| !other.is_write && other.event == access.event && is_test(other.op))
}

/// How many accesses of the location before a write are examined. A recorder states one read and one
/// write of a location in each event, so the test is the access just before the write, unless another
/// event runs inside the writing one.
const NEAR: usize = 4;
