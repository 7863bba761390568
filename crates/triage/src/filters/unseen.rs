//! Races of which nothing shows that a person would notice.
//!
//! No hint says what goes wrong. Only code sees the location or one of the accesses reads it, and what reads it goes
//! nowhere: the task of the racing read, and of two racing writes the task of every read that finds what another
//! event wrote, shows nothing and sends nothing after the read.
//!
//! May miss: what is read is kept in a variable, and shown by a later task.

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

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
                 lookup, and the task of the read, or of two writes to what only code sees the task of every \
                 read that finds what another event wrote, neither sends a request nor shows anything after it",
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
    let are_unseen = is_internal && !reads.iter().any(|&read| shows(location, read));
    location.races_where(|race: &Race| {
        !named.contains(&race.id)
            && if location.is_write_write(race) {
                are_unseen
            } else {
                !shows(location, read_and_write(location, race).0)
            }
    })
}

/// Returns whether the task of a read shows or sends something after it.
fn shows(location: &RacyLocation<'_>, read: OpId) -> bool {
    let evidence = location.evidence;
    let task = evidence.trace.event_of(read).map(|event| evidence.head(event));
    task.is_none_or(|task| evidence.page.shows_after(task, read))
}
