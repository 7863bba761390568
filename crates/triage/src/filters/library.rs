//! Races entirely inside libraries.
//!
//! Only code sees the location, and both accesses run in code of libraries: files below `node_modules` or
//! a folder for vendors, the development server's own client, files that the source map tells a debugger
//! to ignore, and what else the lists name (`data/library.list`, and the user's own). Minified code counts
//! as well: an access beyond column [`MINIFIED`] of its line. Its names are not those of the source, so
//! nobody can read a race on its variables; what it shows in the page is judged like everything else.
//!
//! One of the accesses may be the browser's own, without any code. A race between the application's own
//! code and a library stays, and so does every race on something that a person sees, on storage, or between
//! a handler and its event.
//!
//! May miss: a bug of a library that no person sees; the application's own bugs in minified code without a
//! source map, unless they show in the page.

use races::{Race, RaceId};
use trace::{LocationKind, OpId, Provenance};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::lists;
use crate::visibility::{Visibility, visibility};

pub(super) static FILTER: Filter = Filter {
    label: Label::Library,
    reference: "real applications",
    definition: "model web; only code sees the location, and both accesses are in code of libraries or in \
                 minified code, or one of them and the other in no code",
    page: include_str!("../../../../docs/labels/library.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

/// The column beyond which a line is taken for minified code.
const MINIFIED: u32 = 500;

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let trace = location.evidence.trace;
    let is_list = trace.location_kind(location.id) == Some(LocationKind::Handler);
    let is_internal = visibility(trace, location.id) == Visibility::Internal;
    if !is_internal || !location.evidence.in_browser() {
        return Vec::new();
    }
    let inside = |op| is_inside(location, op);
    let aside = |op| inside(op) || is_without_code(location, op);
    location.races_where(|race: &Race| {
        let (one, two) = (race.first, race.second);
        let in_libraries = inside(one) && aside(two) || aside(one) && inside(two);
        in_libraries && (!is_list || location.is_write_write(race))
    })
}

/// Returns whether the browser itself makes an access.
fn is_without_code(location: &RacyLocation<'_>, op: OpId) -> bool {
    let evidence = location.evidence;
    evidence.trace.attributes(op).source.is_none() && evidence.code.frames(op).next().is_none()
}

/// Returns whether an access runs in code of a library.
pub(super) fn is_inside(location: &RacyLocation<'_>, op: OpId) -> bool {
    let evidence = location.evidence;
    let trace = evidence.trace;
    let frame = evidence.code.frames(op).next();
    let is_ignored = frame.is_some_and(|frame| frame.provenance == Some(Provenance::Framework));
    let source = trace.attributes(op).source.map(|source| trace.source(source));
    is_ignored
        || source.is_some_and(|source| {
            source.column.is_some_and(|column| column > MINIFIED)
                || lists::any_file(&evidence.lists.library, trace.text(source.file))
        })
}
