//! Code that asks for the focus.
//!
//! Code reads `document.activeElement` while the user may move the focus at any time. Frameworks read it
//! around every change of the document, to restore the focus. Nobody sees such a read; what the code then
//! writes is judged by itself. A read that only tests the focus is [tested-only](super::tested_only), which
//! may be what keeps the code from taking the focus away.
//!
//! May miss: code that goes on to use the element that it found, and shows it nowhere.

use races::{Race, RaceId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::visibility::unnumbered;

pub(super) static FILTER: Filter = Filter {
    label: Label::FocusRead,
    reference: "real applications",
    definition: "model web; the location is document.activeElement, and one access is a read that is no test",
    page: include_str!("../../../../docs/labels/focus-read.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let name = evidence.trace.names().locations.get(location.id);
    if !evidence.in_browser() || unnumbered(name) != b"document.activeElement" {
        return Vec::new();
    }
    let asks = |op| !location.access(op).is_write && !evidence.is_test(op);
    location.races_where(|race: &Race| asks(race.first) || asks(race.second))
}
