//! Double submit (`AjaxRacer`): one control sends its request twice.
//!
//! Two writes of something that a person sees, or that outlives the page, race. Both belong to answers of
//! requests, and the inputs that led to the two are commands of one type on one target: the user pressed
//! the button again before the first answer came.

use races::{Race, RaceId};
use trace::{EventId, OpId, TextId};

use crate::evidence::RacyLocation;
use crate::hint::Hint;
use crate::hints::stale_response::is_response;
use crate::name::text_of;
use crate::visibility::{Visibility, visibility};

pub(super) static HINT: Hint = Hint {
    name: "double-submit",
    definition: "model web; answers to two requests write what a person sees or what is kept, and the same \
                 control sent both",
    fix: "Disable the control, or ignore further inputs, until the answer is there.",
    page: include_str!("../../../../docs/hints/double-submit.md"),
    find,
};

/// Types of input that send something.
const SENDING: [&[u8]; 4] = [b"click", b"keydown", b"keypress", b"submit"];

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let given = |race: &&Race| {
        let target = control(location, race)?;
        let message = format!(
            "If the user presses {target} again before the answer comes, the request is sent twice."
        );
        Some((race.id, message))
    };
    location.races.iter().filter_map(given).collect()
}

/// Returns the control that sent both requests, if one did.
pub(super) fn control(location: &RacyLocation<'_>, race: &Race) -> Option<String> {
    let evidence = location.evidence;
    let is_seen = visibility(evidence.trace, location.id) > Visibility::Internal;
    let both = [race.first, race.second];
    if !evidence.in_browser()
        || !is_seen
        || !location.is_write_write(race)
        || !both.iter().all(|&op| is_response(location, op))
    {
        return None;
    }
    let [one, two] = both.map(|op| root(location, op));
    let (one, two) = (one?, two?);
    let (of_type, name) = described(location, one)?;
    (one != two
        && described(location, two) == Some((of_type, name))
        && SENDING.contains(&evidence.trace.text(of_type)))
    .then(|| text_of(evidence.trace.text(name)))
}

/// Returns the first task on the way to an operation.
fn root(location: &RacyLocation<'_>, op: OpId) -> Option<EventId> {
    let event = location.evidence.trace.event_of(op)?;
    location.evidence.ancestors(event).last()
}

/// Returns the type and the name of an event.
fn described(location: &RacyLocation<'_>, event: EventId) -> Option<(TextId, TextId)> {
    let trace = location.evidence.trace;
    let attributes = trace.attributes(trace.event(event).begin?);
    attributes.event_type.zip(attributes.event_name)
}
