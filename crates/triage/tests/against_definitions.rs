//! Compares labels and hints with their definitions in `testkit::oracle` on random traces.
//!
//! `INTERLOPER_TRACES` sets the number of traces for each model; CI runs the default.

use std::collections::{BTreeMap, BTreeSet};

use order::{Model, Oracle};
use races::PairMode;
use testkit::generate::{Knobs, Profile, attachments, generate, habits, idioms, page};
use testkit::oracle::{self, Coverage, Hints, Labels, Listed, RuleSwitches};
use trace::{LocationKind, Op, Trace};
use triage::{FILTERS, HINTS, Lists, triage};

/// Counts the commands that may be lost after the page has loaded.
const LOST: &str = "lost commands";

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// One in three traces uses idioms, one in six is about handlers, and one in six uses the habits of web pages. The others have few
/// locations, so that many accesses race, and plain names, so that lists can name them.
fn random_trace(seed: u64) -> Trace {
    if seed.is_multiple_of(3) {
        return idioms(seed);
    }
    if seed % 6 == 1 {
        return attachments(seed);
    }
    if seed % 6 == 4 {
        return habits(seed);
    }
    if seed % 6 == 5 {
        return page(seed, 20 + (seed as usize * 7) % 80);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    let mut knobs = Knobs::drawn(seed, profile, 20 + (seed as usize * 7) % 80);
    knobs.locations = 1 + seed as usize % 5;
    knobs.odd_names = false;
    generate(seed, &knobs)
}

const LISTS: &str = "
    commutes f0
    commutes f1 f2
    commutes-location x3
    commutes-location div.className
    framework f2
    may-cover x0
    recycled x4
    destroys f1
    library lib.js
";

/// The same list entries, as input of the definitions.
fn listed() -> Listed<'static> {
    Listed {
        commutes: vec!["f0"],
        commuting_pairs: vec![("f1", "f2")],
        commuting_locations: vec!["x3", "div.className"],
        framework: vec!["f2"],
        recycled: vec!["x4"],
        library: vec!["lib.js"],
        may_cover: vec!["x0"],
    }
}

/// Compares the labels of all races, and counts how many races have each label.
fn compare(
    seed: u64,
    model: &'static Model,
    reference: oracle::Model,
    mode: PairMode,
    counts: &mut BTreeMap<&'static str, usize>,
) {
    let trace = random_trace(seed);
    let order = oracle::happens_before(&trace, reference, &RuleSwitches::default());
    let expected = match mode {
        PairMode::All => oracle::races_all(&trace, reference, &order),
        PairMode::Candidates => oracle::races_candidates(&trace, reference, &order),
    };
    let location_of = |op| trace.op(op).access().expect("a race is between accesses").0;
    let coverage = Coverage::new(&trace, reference, &order, &expected).by(|race| {
        let location = location_of(race.first);
        matches!(reference, oracle::Model::Event | oracle::Model::Web)
            || trace.location_kind(location) != Some(LocationKind::Framework)
            || trace.names().locations.get(location) == b"x0"
    });
    let (listed, mut lists) = (listed(), Lists::empty());
    lists.extend(LISTS).expect("entries");
    let definitions = Labels::new(&trace, reference, &order, &expected, coverage, &listed);
    let engine = Oracle::new(&trace, &model.default_rules());
    let mut races = races::find(&trace, &engine, model, mode);
    triage::cover(&trace, &engine, model, None, &mut races, &lists);
    let verdicts = triage(&trace, &engine, model, &races, &lists).verdicts;
    assert_eq!(verdicts.len(), expected.len());
    let covered: Vec<bool> = races.races.iter().map(races::Race::is_covered).collect();
    assert_eq!(covered, definitions.covered_races(), "seed {seed}, model {}, {mode:?}", model.name);
    let hints = Hints::new(&trace, reference, &order, &["f1"]);
    for ((verdict, race), wanted) in verdicts.iter().zip(&expected).zip(definitions.all()) {
        let given: BTreeSet<&str> = verdict.hints.iter().map(|given| given.hint.name).collect();
        let hinted = hints.of(*race, &definitions);
        assert_eq!(given, hinted, "seed {seed}, model {}, {mode:?}, {race:?}", model.name);
        for hint in hinted {
            *counts.entry(hint).or_default() += 1;
        }
        let found: BTreeSet<&str> = verdict.labels.iter().map(|label| label.name()).collect();
        assert_eq!(found, wanted, "seed {seed}, model {}, {mode:?}, {race:?}", model.name);
        let harmful = verdict.labels.iter().any(|label| label.is_harmful());
        assert!(!(harmful && verdict.hidden), "seed {seed}: what is hidden is not harmful");
        let of_list = trace.location_kind(location_of(race.first)) == Some(LocationKind::Handler);
        let reads = matches!(trace.op(race.first), Op::Read(_));
        if of_list && (reads || matches!(trace.op(race.second), Op::Read(_))) {
            *counts.entry(LOST).or_default() += usize::from(!wanted.contains("late-handler"));
        }
        for label in wanted {
            *counts.entry(label).or_default() += 1;
        }
    }
}

fn compare_all(model: &'static Model, reference: oracle::Model, impossible: &[&str]) {
    let mut counts = BTreeMap::new();
    for seed in 0..traces() {
        compare(seed, model, reference, PairMode::Candidates, &mut counts);
        // All pairs are many, and each examines the whole trace.
        if seed.is_multiple_of(4) {
            compare(seed, model, reference, PairMode::All, &mut counts);
        }
    }
    println!("{}: {counts:?}", model.name);
    let often = usize::try_from(traces() / 60).unwrap_or(usize::MAX);
    let lost = counts.get(LOST).copied().unwrap_or(0);
    assert_eq!(lost > 0, model.in_browser, "{LOST}: {counts:?}");
    let labels = FILTERS.iter().map(|filter| filter.label.name());
    for word in labels.chain(HINTS.iter().map(|hint| hint.name)) {
        let count = counts.get(word).copied().unwrap_or(0);
        let as_meant = if impossible.contains(&word) { count == 0 } else { count >= often };
        assert!(as_meant, "{word}: {counts:?}");
    }
}

/// The labels that models without overlapping events do not have.
const OF_THREADS: [&str; 2] = ["lock-protected", "inside-atomic-region"];

/// The labels that only model `web` has.
const OF_PAGES: [&str; 16] = [
    "immediate",
    "tested-only",
    "restored",
    "unchanged",
    "cancelled",
    "enabled",
    "layout",
    "focus-read",
    "brief",
    "settled",
    "unseen",
    "library",
    "form-overwritten",
    "lost-input",
    "access-before-definition",
    "double-submit",
];

#[test]
fn android() {
    compare_all(&order::ANDROID, oracle::Model::Android, &OF_PAGES);
}

#[test]
fn event() {
    let impossible = [&OF_THREADS[..], &OF_PAGES].concat();
    compare_all(&order::EVENT, oracle::Model::Event, &impossible);
}

#[test]
fn web() {
    let impossible = [&OF_THREADS[..], &["null-dereference"]].concat();
    compare_all(&order::WEB, oracle::Model::Web, &impossible);
}
