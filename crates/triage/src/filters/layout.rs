//! Layout in animation frames.
//!
//! The location is the style of an element, one of the accesses is in an animation frame, and both leave or
//! find the element shown alike: the same `display` and `visibility`. What differs is where the element is
//! and how large: a program that animates or measures computes that anew in every frame. A style that is
//! shown by one and hidden by the other stays.
//!
//! May miss: an animation that ends at the wrong place, if nothing else that a person sees races.

use races::{Race, RaceId};
use trace::{LocationKind, OpId};

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::visibility::unnumbered;

pub(super) static FILTER: Filter = Filter {
    label: Label::Layout,
    reference: "real applications",
    definition: "model web; the location is the style of an element, one access is in an animation frame, and \
                 the styles have the same display and visibility",
    page: include_str!("../../../../docs/labels/layout.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    let name = evidence.trace.names().locations.get(location.id);
    let is_style = unnumbered(name).ends_with(b".style");
    let is_dom = evidence.trace.location_kind(location.id) == Some(LocationKind::Dom);
    if !evidence.in_browser() || !is_style || !is_dom {
        return Vec::new();
    }
    let in_frame = |op: OpId| location.in_event_of_type(op, b"frame");
    location.races_where(|race: &Race| {
        let shown = |op| location.value(op).and_then(shown);
        (in_frame(race.first) || in_frame(race.second))
            && shown(race.first).is_some()
            && shown(race.first) == shown(race.second)
    })
}

/// Returns the `display` and the `visibility` of a style, or `None` if it was cut before both are known.
fn shown(style: &[u8]) -> Option<[Option<&str>; 2]> {
    let style = std::str::from_utf8(style).ok()?;
    let found = ["display:", "visibility:"].map(|property| {
        let (_, rest) = style.split_once(property)?;
        Some(rest.split([';', '"']).next().unwrap_or_default().trim())
    });
    let is_cut = style.ends_with('…');
    (!is_cut || found[0].is_some()).then_some(found)
}
