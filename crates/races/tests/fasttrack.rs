//! Compares FastTrack with the definition on random traces.
//!
//! `INTERLOPER_TRACES` sets the number of traces; CI runs the default.

use std::collections::BTreeMap;

use races::fasttrack::{self, RacyLocation};
use testkit::generate::{Knobs, Profile, generate};
use testkit::oracle::{self, Order, RuleSwitches};
use testkit::threads;
use trace::{LocationId, OpId, Trace};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000)
}

/// Returns the first race and the number of racing accesses of every location that has a race, as
/// the documentation of `races::fasttrack` defines them.
fn by_definition(trace: &Trace, order: &Order) -> Vec<RacyLocation> {
    let mut racing: BTreeMap<LocationId, u64> = BTreeMap::new();
    for beta in trace.ops() {
        let Some((location, writes)) = trace.op(beta).access() else { continue };
        let earlier: Vec<(OpId, bool)> = trace
            .ops()
            .take_while(|&op| op < beta)
            .filter_map(|op| match trace.op(op).access() {
                Some((x, is_write)) if x == location => Some((op, is_write)),
                _ => None,
            })
            .collect();
        let last_write = earlier.iter().rposition(|&(_, is_write)| is_write);
        let since = &earlier[last_write.unwrap_or(0)..];
        let unordered =
            |&&(op, is_write): &&(OpId, bool)| (writes || is_write) && !order.holds(op, beta);
        *racing.entry(location).or_default() += u64::from(since.iter().any(|a| unordered(&a)));
    }
    let mut first: BTreeMap<LocationId, (OpId, OpId)> = BTreeMap::new();
    for race in oracle::races_all(trace, oracle::Model::Threads, order) {
        let (location, _) = trace.op(race.first).access().expect("races are accesses");
        let found = first.entry(location).or_insert((race.second, race.first));
        if found.0 == race.second {
            found.1 = found.1.max(race.first);
        }
    }
    let mut all: Vec<RacyLocation> = first
        .into_iter()
        .map(|(location, (second, first))| RacyLocation {
            location,
            first,
            second,
            racing_accesses: racing[&location],
        })
        .collect();
    all.sort_by_key(|found| found.second);
    all
}

/// Compares both results. Returns how many locations race and how many do not.
fn compare(context: &str, trace: &Trace) -> [usize; 2] {
    let model = oracle::Model::Threads;
    let order = oracle::happens_before(trace, model, &RuleSwitches::default());
    let expected = by_definition(trace, &order);
    let found = fasttrack::detect(trace);
    let listing: Vec<String> = trace.ops().map(|op| codec::text::line(trace, op)).collect();
    assert_eq!(found.locations, expected, "{context}\n{}", listing.join("\n"));
    let total: u64 = expected.iter().map(|l| l.racing_accesses).sum();
    assert_eq!(found.racing_accesses, total, "{context}");
    [expected.len(), trace.names().locations.len() - expected.len()]
}

fn compare_all(traces: impl Iterator<Item = (String, Trace)>) {
    let mut seen = [0, 0];
    for (context, trace) in traces {
        let [racy, quiet] = compare(&context, &trace);
        seen = [seen[0] + racy, seen[1] + quiet];
    }
    let [racy, quiet] = seen;
    assert!(racy * 20 > quiet && quiet * 20 > racy, "one-sided: {racy} racy, {quiet} not");
}

#[test]
fn on_traces_of_threads_and_locks() {
    compare_all((0..traces()).map(|seed| {
        let shape = threads::Shape::drawn(seed, 1 + (seed as usize * 7) % 120);
        (format!("seed {seed}"), threads::generate(seed, &shape))
    }));
}

#[test]
fn on_traces_of_everything() {
    compare_all((0..traces() / 4).map(|seed| {
        let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
        let mut knobs = Knobs::drawn(seed, profile, 20 + (seed as usize * 7) % 100);
        knobs.locations = 1 + seed as usize % 12;
        (format!("seed {seed}, {profile:?}"), generate(seed, &knobs))
    }));
}
