//! Objects that the framework recycles (EventRacer Android, §8.2).
//!
//! The location belongs to an object of a listed class (`data/recycled.list`, and the user's own),
//! such as a message or a parcel: the platform gives the same object to different users, one after
//! the other. Views that a list reuses for another row are not included: there the reuse itself is
//! the bug (§3.1 of the same paper).
//!
//! May miss: a program that keeps such an object too long.

use races::RaceId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lists;

pub(super) static FILTER: Filter = Filter {
    label: Label::ObjectReuse,
    reference: "EventRacer Android, §8.2",
    definition: "the location belongs to a class of objects that the platform recycles",
    page: include_str!("../../../../docs/labels/object-reuse.md"),
    scope: Scope::Location,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let name = location.evidence.trace.names().locations.get(location.id);
    location.all_if(lists::any(&location.evidence.lists.recycled, name))
}
