//! Races of which nothing shows that a person would notice.
//!
//! No hint says what goes wrong. Only code sees the location or one of the accesses reads it, and what reads it goes
//! nowhere: the task of the racing read, and of two racing writes the task of every read that finds what another
//! event wrote, shows nothing and sends nothing after the read. A test that keeps its task from doing so counts as
//! well: the same test lets another task through that shows or sends something.
//!
//! May miss: what is read is kept in a variable, and shown by a later task.

use std::collections::BTreeSet;

use races::{Race, RaceId};
use trace::{LocationKind, OpId, SourceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::hints;
use crate::label::Label;
use crate::lost::read_and_write;
use crate::visibility::{Visibility, is_lookup, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Unseen,
    reference: "real applications",
    definition: "model web; no hint names what goes wrong, the location is neither a list of handlers nor a \
                 lookup, and the task of the read, or of two writes to what only code sees and something reads, \
                 the task of every read that finds what another event wrote, neither sends a request nor shows \
                 anything after it; nor does a task after the same test",
    page: include_str!("../../../../docs/labels/unseen.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let trace = evidence.trace;
    let is_list = trace.location_kind(location.id) == Some(LocationKind::Handler);
    if !evidence.in_browser() || is_list || is_lookup(trace, location.id) {
        return Vec::new();
    }
    let is_internal = visibility(trace, location.id) == Visibility::Internal;
    let named = hints::named(location);
    let reads: Vec<OpId> =
        location.reads().filter(|read| !read.is_local_read).map(|read| read.op).collect();
    // Nothing is known of who reads what only writes were recorded of.
    let is_read = location.reads().next().is_some();
    let are_unseen = is_internal && is_read && !reads.iter().any(|&read| shows(location, read));
    let tests: BTreeSet<SourceId> = reads
        .iter()
        .filter(|&&read| evidence.is_test(read) && shows(location, read))
        .filter_map(|&read| trace.attributes(read).source)
        .collect();
    let leads_on = |read: OpId| {
        let place = trace.attributes(read).source;
        shows(location, read) || place.is_some_and(|place| tests.contains(&place))
    };
    location.races_where(|race: &Race| {
        !named.contains(&race.id)
            && if location.is_write_write(race) {
                are_unseen
            } else {
                !leads_on(read_and_write(location, race).0)
            }
    })
}

/// Returns whether the task of a read shows or sends something after it.
fn shows(location: &RacyLocation<'_>, read: OpId) -> bool {
    let evidence = location.evidence;
    let task = evidence.trace.event_of(read).map(|event| evidence.head(event));
    task.is_none_or(|task| evidence.page.shows_after(task, read))
}
