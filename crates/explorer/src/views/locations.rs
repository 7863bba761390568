//! Locations, and the accesses of one.

use std::collections::HashMap;

use report::Report;
use report::describe;
use report::model::SourceEntry;
use serde::Serialize;
use trace::{LocationId, Op, OpId};

use crate::session::Analysed;

/// A location in the list.
#[derive(Serialize)]
pub(crate) struct LocationView {
    location: u32,
    name: String,
    kind: Option<&'static str>,
    reads: u32,
    writes: u32,
    races: u32,
    open: u32,
}

/// Returns the locations that are accessed; those with open races first, then those with races, then by name.
pub(crate) fn list(report: &Report, run: &Analysed) -> Vec<LocationView> {
    let trace = run.trace();
    let counts = |location| {
        let accesses = run.accesses(location);
        let is_write = |op: &&OpId| matches!(trace.op(**op), Op::Write(_));
        let writes = accesses.iter().filter(is_write).count() as u32;
        (accesses.len() as u32 - writes, writes)
    };
    let mut races: HashMap<&str, (u32, u32)> = HashMap::new();
    for race in &report.races {
        let (all, open) = races.entry(&race.location).or_default();
        *all += 1;
        *open += u32::from(race.is_open());
    }
    let view = |location: LocationId| {
        let (reads, writes) = counts(location);
        let name = report::name::text(trace.names().locations.get(location));
        let (races, open) = races.get(name.as_str()).copied().unwrap_or_default();
        let kind = trace.location_kind(location).and_then(trace::LocationKind::word);
        LocationView { location: location.0, name, kind, reads, writes, races, open }
    };
    let mut list: Vec<LocationView> = trace.names().locations.ids().map(view).collect();
    list.retain(|location| location.reads + location.writes > 0);
    list.sort_by(|a, b| {
        (b.open, b.races).cmp(&(a.open, a.races)).then_with(|| a.name.cmp(&b.name))
    });
    list
}

/// An access of a location.
#[derive(Serialize)]
pub(crate) struct AccessView {
    op: u32,
    kind: &'static str,
    event: Option<u32>,
    text: String,
    value: Option<String>,
    source: Option<SourceEntry>,
    /// How it is ordered with the selected access: `before`, `after`, `unordered` or `same`.
    relation: Option<&'static str>,
}

/// The largest number of accesses of an answer.
const MOST: usize = 5000;

/// Returns the accesses of a location, in the order of the trace, and how each is ordered with `selected`.
pub(crate) fn accesses(run: &Analysed, location: u32, selected: Option<u32>) -> Vec<AccessView> {
    let trace = run.trace();
    let order = run.order();
    let selected = selected.and_then(|number| trace.numbered(number));
    let of_location = run.accesses(LocationId(location)).iter().copied();
    let relation = |op| {
        let (order, selected) = (order.as_ref()?, selected?);
        Some(if op == selected {
            "same"
        } else if order.before(op, selected) {
            "before"
        } else if order.before(selected, op) {
            "after"
        } else {
            "unordered"
        })
    };
    let view = |op| {
        let event = trace.event_of(op);
        let outside = || {
            let thread = trace.names().threads.get(trace.thread_of(op));
            format!("thread {}", report::name::text(thread))
        };
        AccessView {
            op: trace.number(op),
            kind: if trace.op(op).access().is_some_and(|(_, write)| write) {
                "write"
            } else {
                "read"
            },
            event: event.map(|event| event.0),
            text: event.map_or_else(outside, |event| describe::event(trace, run.model(), event)),
            value: describe::value(trace, op),
            source: describe::position(trace, op),
            relation: relation(op),
        }
    };
    of_location.take(MOST).map(view).collect()
}
