//! Compares the pairs of model `droidracer` with the from-scratch definition on random traces.

use order::{Oracle, Order};
use races::PairMode;
use testkit::generate::{Knobs, Profile, generate, page};
use testkit::oracle::{self, RuleSwitches};
use trace::Trace;

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

/// DroidRacer has no coverage, and defines candidates in its own way.
#[test]
fn droidracer_all_pairs() {
    for seed in 0..traces() {
        let trace = random_trace(seed);
        let reference = oracle::Model::DroidRacer;
        let order = oracle::happens_before(&trace, reference, &RuleSwitches::default());
        let expected = oracle::races_all(&trace, reference, &order);
        let rules = order::DROIDRACER.default_rules();
        let engine = Order::Oracle(Oracle::new(&trace, &rules));
        let found = analysis::detect(&trace, &engine, &order::DROIDRACER, PairMode::All, &|_| true);
        let found: Vec<_> = found.races.iter().map(|race| (race.second, race.first)).collect();
        let wanted: Vec<_> = expected.iter().map(|race| (race.second, race.first)).collect();
        assert_eq!(found, wanted, "seed {seed}");
    }
}
