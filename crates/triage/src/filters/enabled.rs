//! Inputs on controls that became usable.
//!
//! A control that is disabled or hidden receives no input. If an event makes it usable, and an input on it
//! follows, then the input can only come after that event, and after what came before it: *disable until
//! ready* and *show when ready* are the usual repairs of late handlers. The race still covers others.
//!
//! The event writes `null` to the attribute `disabled` or `hidden` of the target of the input or of an element
//! around it that the name of the target states. The attribute was there before: the access before that write, if any, had another value.
//!
//! Of a form that a click submits, the target of the click counts.
//!
//! May miss: an input before the control was disabled, if that was done late.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;
use crate::page::is_input;

pub(super) static FILTER: Filter = Filter {
    label: Label::Enabled,
    reference: "real applications",
    definition: "model web; the second access is in the task of an input, and the first is in or before an \
                 event that makes the target of the input usable",
    page: include_str!("../../../../docs/labels/enabled.md"),
    scope: Scope::Race,
    one_pass: false,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let evidence = location.evidence;
    if !evidence.in_browser() || evidence.page.usable().is_empty() {
        return Vec::new();
    }
    location.races_where(|race: &Race| {
        let (early, late) = (race.first.min(race.second), race.first.max(race.second));
        let is_of_input = evidence.event_type(late).is_some_and(is_input);
        is_of_input && is_enabled(location, early, late)
    })
}

/// Returns whether the task of an input can only follow an earlier access.
fn is_enabled(location: &RacyLocation<'_>, early: OpId, late: OpId) -> bool {
    let (evidence, trace) = (location.evidence, location.evidence.trace);
    let (Some(first), Some(second)) = (trace.event_of(early), trace.event_of(late)) else {
        return false;
    };
    let dispatch = evidence.page.clicked(evidence.head(second));
    let Some(begin) = trace.event(dispatch).begin else { return false };
    let elements = evidence.page.path(trace, dispatch);
    evidence.page.usable().iter().any(|usable| {
        usable.at < begin
            && elements.contains(&&usable.element[..])
            && (evidence.head(usable.event) == evidence.head(first)
                || evidence.order.event_before(first, usable.event))
    })
}
