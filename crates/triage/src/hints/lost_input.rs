//! Lost input (`InitRacer`, §3): an event that must not be lost may come before its handler.
//!
//! [`crate::lost`] defines which events must not be lost.

use races::{Race, RaceId};
use trace::LocationKind;

use crate::evidence::RacyLocation;
use crate::hint::Hint;
use crate::lost;
use crate::name::text_of;
use crate::visibility::unnumbered;

pub(super) static HINT: Hint = Hint {
    name: "lost-input",
    definition: "model web; an event that must not be lost may come before its handler is attached",
    fix: "Attach the handler in an inline script or an attribute, or show the control only when it is \
          ready.",
    page: include_str!("../../../../docs/hints/lost-input.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let evidence = location.evidence;
    let is_list = evidence.trace.location_kind(location.id) == Some(LocationKind::Handler);
    if !evidence.in_browser() || !is_list {
        return Vec::new();
    }
    let name = text_of(unnumbered(evidence.trace.names().locations.get(location.id)));
    let target = name.split(".handlers(").next().unwrap_or_default().to_owned();
    let given = |race: &&Race| {
        let (read, _) = lost::read_and_write(location, race);
        let may_be_lost = !location.is_write_write(race)
            && lost::matters(location, race, &mut |read| lost::may_be_empty(location, read));
        let event_type = text_of(evidence.event_type(read).unwrap_or_default());
        let consequence = match event_type.as_str() {
            "submit" => "the browser submits the form itself, and leaves the page".to_owned(),
            "load" | "error" | "DOMContentLoaded" => {
                format!(
                    "the `{event_type}` event of {target} has passed, and the handler never runs"
                )
            }
            _ if target.starts_with("a#") || target == "a" => {
                "the browser follows the link".to_owned()
            }
            _ => format!("the `{event_type}` event does nothing, and the user has to repeat it"),
        };
        let message = format!("If the input comes before its handler, {consequence}.");
        may_be_lost.then_some((race.id, message))
    };
    location.races.iter().filter_map(given).collect()
}
