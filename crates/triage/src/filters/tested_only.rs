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
//! writing event does not test the location itself, and a task that led to it by posts made the same test
//! and did not write the location.
//!
//! Nor does it apply if a script tests what another script left, found it, and goes on to show or send something: if it
//! runs first, the test fails once and for all, as in `if (window.Chart) draw()`.
//!
//! May miss: a test whose other outcome is wrong, if nothing that a person sees races as well.

use std::collections::HashSet;

use races::{Race, RaceId};
use trace::{EventId, OpId, SourceId};

use crate::evidence::{Access, EMPTY, RacyLocation};
use crate::filter::{Filter, Scope};
use crate::filters::library;
use crate::label::Label;
use crate::lost::read_and_write;
use crate::visibility::{Visibility, is_form_value, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::TestedOnly,
    reference: "real applications",
    definition: "model web; one access is a read that only tests the value, or a write whose event \
                 tested the location before it; unless the write is not tested, and a task that led to \
                 it by posts made the same test without writing; or a script tests what another script \
                 has left, and shows or sends something",
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
    let left = Tests::of(location);
    location.races_where(|race: &Race| {
        location.is_atomic(race)
            && (guarded(race.first) || guarded(race.second))
            && !left.waits_after_test(location, race)
            && !skips_a_start(location, race)
    })
}

/// The tasks that test the location and do not write it, each with the place of a test.
struct Tests(HashSet<(EventId, SourceId)>);

impl Tests {
    fn of(location: &RacyLocation<'_>) -> Self {
        let evidence = location.evidence;
        let task = |access: &Access| access.event.map(|event| evidence.head(event));
        let writers: HashSet<EventId> = location.writes().filter_map(task).collect();
        let tests = location
            .reads()
            .filter(|read| evidence.is_test(read.op))
            .filter_map(|read| Some((task(read)?, evidence.trace.attributes(read.op).source?)));
        Self(tests.filter(|(task, _)| !writers.contains(task)).collect())
    }

    /// Returns whether the write of a race between a read and a write is not guarded itself, and a task that
    /// led to it by posts made the same test as the read and did not write the location.
    fn waits_after_test(&self, location: &RacyLocation<'_>, race: &Race) -> bool {
        if location.is_write_write(race) {
            return false;
        }
        let evidence = location.evidence;
        let event = |op| evidence.trace.event_of(op);
        let (read, write) = read_and_write(location, race);
        let source = evidence.trace.attributes(read).source;
        let (Some(reader), Some(writer), Some(source)) = (event(read), event(write), source) else {
            return false;
        };
        !is_guarded(location, write)
            && evidence
                .ancestors(writer)
                .skip(1)
                .any(|task| task != evidence.head(reader) && self.0.contains(&(task, source)))
    }
}

/// Returns whether a script asks whether another script has run, and shows or sends something since it has. If it
/// runs first, it never does that.
fn skips_a_start(location: &RacyLocation<'_>, race: &Race) -> bool {
    if location.is_write_write(race) {
        return false;
    }
    let evidence = location.evidence;
    let (read, write) = read_and_write(location, race);
    let is_script = |op| location.in_event_of_type(op, b"script");
    let event = evidence.trace.event_of(read);
    let shows = event.is_some_and(|event| evidence.page.shows_after(evidence.head(event), read));
    let found = location.value(read).is_some_and(|value| !EMPTY.contains(&value));
    let mut own = location.writes().filter(|write| write.event == event);
    write < read && is_script(read) && is_script(write) && found && shows && own.next().is_none()
}

/// Returns whether an access is a test, or a write that acts on a test of its own event. What a person sees
/// is not protected by a test of a library that writes it itself, such as React, which writes if the value differs. A script that reads
/// a form's value before it writes it knows what it overwrites.
fn is_guarded(location: &RacyLocation<'_>, op: OpId) -> bool {
    let access = location.access(op);
    let trace = location.evidence.trace;
    let is_test = |read: OpId| location.evidence.is_test(read);
    let is_seen = visibility(trace, location.id) == Visibility::Shown;
    if !access.is_write {
        let writes = || location.writes().any(|write| write.event == access.event);
        return is_test(op) && !(is_seen && library::is_inside(location, op) && writes());
    }
    let is_form_value = is_form_value(trace, location.id);
    let guards = |read: OpId| {
        let is_of_library = is_seen && library::is_inside(location, read);
        if is_test(read) { !is_of_library } else { is_form_value }
    };
    let before = location.accesses.partition_point(|other| other.op < op);
    let own = location.accesses[..before].iter().rev();
    own.take(NEAR).any(|other| !other.is_write && other.event == access.event && guards(other.op))
}

/// How many accesses of the location before a write are examined. A recorder states one read and one
/// write of a location in each event, so the test is the access just before the write, unless another
/// event runs inside the writing one.
const NEAR: usize = 4;
