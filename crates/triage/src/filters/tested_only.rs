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
//! May miss: a test whose other outcome is wrong, if nothing that a person sees races as well.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::TestedOnly,
    reference: "real applications",
    definition: "model web; one access is a read that only tests the value, or a write whose event \
                 tested the location before it",
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
        location.is_atomic(race) && (guarded(race.first) || guarded(race.second))
    })
}

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
