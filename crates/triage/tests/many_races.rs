//! Checks that each of a hundred thousand races is judged with a bounded number of order queries.
//!
//! The test measures no time. Triage would be slow only if it compared pairs of races or accesses,
//! and every such comparison is an order query.

use std::sync::atomic::{AtomicUsize, Ordering};

use order::HappensBefore;
use races::{Class, QUERIES, Race, RaceId, Races};
use trace::{Attributes, EventId, LocationId, Op, OpId, Trace, TraceBuilder};
use triage::{Lists, triage};

const EVENTS: usize = 2000;
const LOCATIONS: usize = 50_000;

/// An order without any ordered events, which counts its queries.
struct Unordered<'a> {
    trace: &'a Trace,
    queries: AtomicUsize,
}

impl HappensBefore for Unordered<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.trace.event_of(a) == self.trace.event_of(b) && a < b
    }

    fn event_before(&self, _: EventId, _: EventId) -> bool {
        self.queries.fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// Which event touches which location how: most are written twice and read once, each by another
/// event; all events write the first location, and every second one reads it.
fn accesses(event: usize) -> Vec<(usize, bool)> {
    let per_event = 3 * LOCATIONS / EVENTS;
    let mut accesses =
        if event.is_multiple_of(2) { vec![(0, false), (0, true)] } else { vec![(0, true)] };
    accesses.extend((0..per_event).map(|i| {
        let number = event * per_event + i;
        (1 + number % LOCATIONS, number / LOCATIONS != 2)
    }));
    accesses
}

fn many() -> Trace {
    let mut builder = TraceBuilder::new();
    let thread = builder.names().threads.intern(b"page");
    for number in 0..EVENTS {
        let event = builder.names().events.intern(format!("m{number}").as_bytes());
        let function = builder.names().functions.intern(format!("f{}", number % 50).as_bytes());
        builder.push(thread, Op::Begin(event), Attributes::default());
        builder.push(thread, Op::Enter(function), Attributes::default());
        for (location, is_write) in accesses(number) {
            let name = format!("Object@{location}.field");
            let location = builder.names().locations.intern(name.as_bytes());
            let op = if is_write { Op::Write(location) } else { Op::Read(location) };
            builder.push(thread, op, Attributes::default());
        }
        builder.push(thread, Op::Leave, Attributes::default());
        builder.push(thread, Op::End(event), Attributes::default());
    }
    builder.finish().0
}

/// Returns the candidates of every location: conflicting accesses of two events with no write in
/// between.
fn races(trace: &Trace) -> Races {
    let mut since_write: Vec<Vec<(OpId, bool)>> = vec![Vec::new(); trace.names().locations.len()];
    let mut races = Vec::new();
    for second in trace.ops() {
        let Some((location, writes)) = trace.op(second).access() else { continue };
        let recent = &mut since_write[location.0 as usize];
        let conflicting = recent.iter().filter(|&&(_, wrote)| writes || wrote);
        let unordered = conflicting.filter(|(op, _)| trace.event_of(*op) != trace.event_of(second));
        let found: Vec<OpId> = unordered.map(|&(first, _)| first).collect();
        races.extend(found.into_iter().map(|first| race(location, first, second)));
        if writes {
            recent.clear();
        }
        recent.push((second, writes));
    }
    for (id, race) in (0..).zip(&mut races) {
        race.id = RaceId(id);
    }
    Races { pairs: races.len(), races }
}

fn race(location: LocationId, first: OpId, second: OpId) -> Race {
    Race {
        id: RaceId(0),
        location,
        first,
        second,
        class: Class::WriteWrite,
        lock_protected: false,
        separately_locked: false,
        covered_by: Vec::new(),
    }
}

#[test]
fn every_race_costs_a_bounded_number_of_queries() {
    let trace = many();
    let races = races(&trace);
    assert!(races.races.len() > 100_000, "{} races", races.races.len());
    let order = Unordered { trace: &trace, queries: AtomicUsize::new(0) };
    let triage = triage(&trace, &order, &order::EVENT, &races, &Lists::builtin());
    let queries = order.queries.load(Ordering::Relaxed);
    println!("{} races, {queries} queries, {} groups", races.races.len(), triage.groups.len());
    assert_eq!(triage.verdicts.len(), races.races.len());
    assert!(queries < 200 * races.races.len() + QUERIES, "{queries} queries");
}
