//! Compares pairs, locksets and coverage with the from-scratch definitions on random traces.
//!
//! `INTERLOPER_TRACES` sets the number of traces for each model; CI runs the default.

use order::{Graph, Model, Oracle, Order};
use races::{Covering, PairMode, Races};
use testkit::generate::{Knobs, Profile, generate, page};
use testkit::oracle::{self, Coverage, RuleSwitches};
use trace::{LocationId, Trace};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// A random trace with few locations and threads, so that many accesses race.
fn random_trace(seed: u64) -> Trace {
    if seed % 4 == 3 {
        return page(seed, 20 + (seed as usize * 7) % 100);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    let mut knobs = Knobs::drawn(seed, profile, 20 + (seed as usize * 7) % 100);
    knobs.locations = 1 + seed as usize % 4;
    generate(seed, &knobs)
}

/// Compares every result of `detect`. Returns how many races were covered, and how many of them by
/// several races.
fn compare(
    seed: u64,
    model: &'static Model,
    reference: oracle::Model,
    mode: PairMode,
) -> [usize; 2] {
    let trace = random_trace(seed);
    let order = oracle::happens_before(&trace, reference, &RuleSwitches::default());
    let expected = match mode {
        PairMode::All => oracle::races_all(&trace, reference, &order),
        PairMode::Candidates => oracle::races_candidates(&trace, reference, &order),
    };
    let rules = model.default_rules();
    let engine = if seed.is_multiple_of(3) {
        Order::Oracle(Oracle::new(&trace, &rules))
    } else {
        Order::Graph(Graph::new(&trace, &rules))
    };
    // In every fifth trace only every other location may cover others.
    let may_cover = |location: LocationId| seed % 5 != 2 || location.0.is_multiple_of(2);
    let Races { races, pairs } = races::detect_covered_by(&trace, &engine, model, mode, &may_cover);
    let context = format!("seed {seed}, model {}, {mode:?}", model.name);
    assert_eq!(pairs, expected.len(), "{context}");
    let found: Vec<_> = races.iter().map(|r| (r.second, r.first, r.lock_protected)).collect();
    let wanted: Vec<_> = expected.iter().map(|r| (r.second, r.first, r.lock_protected)).collect();
    assert_eq!(found, wanted, "{context}");
    let location_of = |op| trace.op(op).access().expect("a race is between accesses").0;
    let coverage = Coverage::new(&trace, reference, &order, &expected)
        .by(|race| may_cover(location_of(race.first)));
    let covering = Covering::new(&trace, &engine, model, &races, &|race| may_cover(race.location));
    for (race, &reference) in races.iter().zip(&expected) {
        if !coverage.eligible(reference) {
            assert!(!race.is_covered(), "{context}, race {:?} takes no part", race.id);
            continue;
        }
        let chain: Vec<_> = race.covered_by.iter().map(|r| expected[r.0 as usize]).collect();
        let wanted = coverage.covered_by_search(reference).unwrap_or_default();
        assert_eq!(chain, wanted, "{context}, race {:?}", race.id);
        let start = trace.event_of(race.first).expect("an eligible race lies in events");
        let reach = covering.starting_at(start).expect("a small trace takes few queries");
        let reached = reach.covers(race.second);
        assert_eq!(reached, race.is_covered(), "{context}, race {:?}", race.id);
        let alone = coverage.covered_by_one(reference).is_some();
        assert_eq!(race.covered_by.len() == 1, alone, "{context}, race {:?}", race.id);
        if expected.len() <= 10 {
            let wanted = coverage.covered_by(reference).unwrap_or_default();
            assert_eq!(chain, wanted, "{context}, race {:?}, all subsets", race.id);
        }
    }
    let covered = |by: usize| races.iter().filter(|r| r.covered_by.len() >= by).count();
    [covered(1), covered(2)]
}

fn compare_all(model: &'static Model, reference: oracle::Model) {
    let mut covered = [0, 0];
    for seed in 0..traces() {
        for mode in [PairMode::Candidates, PairMode::All] {
            let found = compare(seed, model, reference, mode);
            covered = [covered[0] + found[0], covered[1] + found[1]];
        }
    }
    assert!(covered.iter().all(|&n| n > 0), "nothing was covered: {covered:?}");
}

#[test]
fn eventracer_android() {
    compare_all(&order::EVENTRACER_ANDROID, oracle::Model::EventRacerAndroid);
}

#[test]
fn android() {
    compare_all(&order::ANDROID, oracle::Model::Android);
}

#[test]
fn asyncclock() {
    compare_all(&order::ASYNCCLOCK, oracle::Model::AsyncClock);
}

#[test]
fn event() {
    compare_all(&order::EVENT, oracle::Model::Event);
}

#[test]
fn web() {
    compare_all(&order::WEB, oracle::Model::Web);
}
