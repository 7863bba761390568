//! Compares the one pass over all accesses with the definition: a location is a suspect exactly if
//! some pair of its accesses conflicts and is unordered, or one of its accesses has no task that
//! orders it.

use order::{Graph, HappensBefore, MODELS, Timeline};
use races::{Suspects, detect};
use testkit::generate::{Profile, sample};
use trace::{Id, Trace};

fn suspects(trace: &Trace, order: &dyn HappensBefore) -> Option<Vec<bool>> {
    let mut cursor = order.cursor()?;
    let view = cursor.view();
    let mut suspects = Suspects::new(trace.names().locations.len());
    for op in trace.ops() {
        if let Some(access) = trace.op(op).access() {
            let moment = cursor.moment(trace.thread_of(op), trace.event_of(op));
            suspects.add(&view, moment.as_ref(), [access].into_iter());
        } else {
            cursor.pass(op);
        }
    }
    Some(suspects.found())
}

#[test]
fn suspects_are_the_locations_with_unordered_pairs() {
    let mut counted = [0, 0];
    for model in MODELS {
        for seed in 0..1500 {
            let profile = if seed % 2 == 0 { Profile::Realistic } else { Profile::Wild };
            // Some traces are long enough for a location to have many readers at once.
            let length = if seed % 50 == 0 { 800 } else { 10 + (seed as usize * 7) % 150 };
            let trace = sample(seed ^ 0xacce_5500, profile, length);
            let order = Graph::new(&trace, &model.default_rules());
            let Some(found) = suspects(&trace, &order) else { continue };
            for (location, &suspect) in found.iter().enumerate() {
                let accesses: Vec<_> = trace
                    .ops()
                    .filter_map(|op| Some((op, trace.op(op).access()?)))
                    .filter(|(_, (l, _))| l.index() == location)
                    .collect();
                let races = accesses.iter().enumerate().any(|(i, &(a, (_, writes)))| {
                    let later = accesses[i + 1..].iter();
                    later.clone().any(|&(b, (_, also))| (writes || also) && order.unordered(a, b))
                });
                let outside = |op| model.orders_events() && trace.event_of(op).is_none();
                let expected = races || accesses.iter().any(|&(op, _)| outside(op));
                assert_eq!(suspect, expected, "{} {seed}: location {location}", model.name);
                counted[usize::from(suspect)] += 1;
            }
        }
    }
    assert!(counted.iter().all(|&n| n > 1000), "{counted:?}");
}

/// The search for pairs leaves out locations that are no suspects, and must miss no pair.
#[test]
fn the_search_among_suspects_finds_all_pairs() {
    for seed in 0..500 {
        let trace = sample(seed ^ 0x5059, Profile::Realistic, 150);
        for model in [&order::ANDROID, &order::ASYNCCLOCK, &order::EVENT, &order::THREADS] {
            let rules = model.default_rules();
            let (graph, oracle) = (Graph::new(&trace, &rules), order::Oracle::new(&trace, &rules));
            for mode in [races::PairMode::All, races::PairMode::Candidates] {
                let found = detect(&trace, &graph, model, mode);
                let expected = detect(&trace, &oracle, model, mode);
                assert_eq!(found.pairs, expected.pairs, "{} {seed}", model.name);
                assert_eq!(found.races, expected.races, "{} {seed}", model.name);
            }
        }
    }
}
