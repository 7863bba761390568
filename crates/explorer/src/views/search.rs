//! Search over the names of a run.

use report::describe;
use serde::Serialize;
use trace::Id;

use crate::session::Run;

/// Something that was found.
#[derive(Serialize)]
pub(crate) struct Found {
    kind: &'static str,
    text: String,
    /// The number of the location, event or operation, or the id of the race.
    number: u32,
    /// How an address names a race.
    race: Option<Named>,
}

/// A race by its fingerprint and its number among those with it.
#[derive(Serialize)]
struct Named {
    fingerprint: String,
    nth: usize,
}

/// The largest number of results of each kind.
const MOST: usize = 50;

/// Returns the races, locations and events whose names contain `query`, without regard to case, and the
/// operation with that number.
pub(crate) fn find(run: &Run, query: &str) -> Vec<Found> {
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Vec::new();
    }
    let matches = |text: &str| text.to_lowercase().contains(&query);
    let mut found = Vec::new();
    let races = run.report.problems().into_iter().map(|problem| problem.lead);
    let races = races.filter(|race| {
        matches(&race.location)
            || matches(&race.headline)
            || race.fingerprint.starts_with(&query)
            || [&race.first, &race.second].iter().any(|access| {
                access.source.as_ref().is_some_and(|source| matches(&source.file))
                    || access.stack.iter().any(|frame| matches(&frame.function))
            })
    });
    found.extend(races.take(MOST).map(|race| Found {
        kind: "race",
        text: describe::title(race),
        number: race.id,
        race: Some(Named { fingerprint: race.fingerprint.clone(), nth: run.nth(race) }),
    }));
    let Some(trace) = run.trace() else { return found };
    if let Ok(number) = query.parse::<u32>()
        && let Some(op) = trace.numbered(number)
    {
        found.push(Found {
            kind: "operation",
            text: super::operations::line(trace, op),
            number,
            race: None,
        });
    }
    let locations = trace.names().locations.ids().filter_map(|location| {
        let text = report::name::text(trace.names().locations.get(location));
        matches(&text).then_some(Found { kind: "location", text, number: location.0, race: None })
    });
    found.extend(locations.take(MOST));
    let events = trace.events().filter(|(_, event)| event.begin.is_some());
    let events = events.filter_map(|(id, _)| {
        let text = describe::event_name(trace, id);
        matches(&text).then_some(Found {
            kind: "event",
            text,
            number: id.index() as u32,
            race: None,
        })
    });
    found.extend(events.take(MOST));
    found
}
