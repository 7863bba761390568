//! Form input overwritten (`InitRacer`, §3; `EventRaceCommander`).
//!
//! Two writes of a form's value, of a checkmark or of a choice race. One is the user's own: it belongs to
//! the dispatch of an input itself, not to a listener. The other is made by code that no input started
//! directly. If the code comes last, what the user has entered is gone.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::hint::Hint;
use crate::name::text_of;
use crate::page::is_input;
use crate::visibility::{is_form_value, unnumbered};

pub(super) static HINT: Hint = Hint {
    name: "form-overwritten",
    definition: "model web; the user and a script write one form value, and no input runs the script",
    fix: "Set the value before the page shows the field, or only if the user has not changed it.",
    page: include_str!("../../../../docs/hints/form-overwritten.md"),
    find,
};

fn find(location: &RacyLocation<'_>) -> Vec<(RaceId, String)> {
    let evidence = location.evidence;
    let name = unnumbered(evidence.trace.names().locations.get(location.id));
    if !evidence.in_browser() || !is_form_value(evidence.trace, location.id) {
        return Vec::new();
    }
    let field = text_of(&name[..name.iter().rposition(|&b| b == b'.').unwrap_or(name.len())]);
    let is_of_input = |op: OpId| evidence.event_type(op).is_some_and(is_input);
    let is_own = |op: OpId| {
        let event = evidence.trace.event_of(op);
        is_of_input(op) && event.is_some_and(|event| evidence.head(event) == event)
    };
    let applies = |race: &&&Race| {
        let by = |user: OpId, script: OpId| is_own(user) && !is_of_input(script);
        location.is_write_write(race)
            && (by(race.first, race.second) || by(race.second, race.first))
    };
    let message = format!("What the user enters in {field} disappears if the script comes later.");
    location.races.iter().filter(applies).map(|race| (race.id, message.clone())).collect()
}
