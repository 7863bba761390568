//! The definition of happens-before finds the planted conflicts, and no others.

#![allow(clippy::cast_precision_loss, reason = "a scale need not be exact")]

mod common;

use std::collections::BTreeMap;

use order::{Graph, HappensBefore, Model, Oracle};
use races::PairMode;
use synth::{Profile, Verdict};
use trace::{LocationId, Trace};

fn seeds() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(6)
}

/// Returns the verdict and the covering location for every location with an unordered conflict.
fn found(trace: &Trace, model: &'static Model) -> BTreeMap<String, (Verdict, Option<String>)> {
    let name = |location: LocationId| {
        String::from_utf8_lossy(trace.names().locations.get(location)).into_owned()
    };
    let of = |op| trace.op(op).access().map(|(location, _)| name(location)).expect("an access");
    let order = Oracle::new(trace, &model.default_rules());
    let races = races::detect(trace, &order, model, PairMode::Candidates).races;
    let mut found = BTreeMap::new();
    for race in &races {
        let by = race.covered_by.first().map(|id| of(races[id.0 as usize].first));
        let verdict = match (race.lock_protected, &by) {
            (true, _) => Verdict::LockProtected,
            (false, Some(_)) => Verdict::Covered,
            (false, None) => Verdict::Race,
        };
        let location = of(race.first);
        let before: Option<(Verdict, _)> = found.insert(location.clone(), (verdict, by));
        assert!(
            before.is_none_or(|(v, _)| v == verdict && v == Verdict::LockProtected),
            "{location} has one race at most"
        );
    }
    found
}

fn check(profile: &Profile, scale: f64, seed: u64) {
    let (trace, summary, answers) = common::trace(profile, scale, seed);
    assert_eq!(summary.operations, trace.len() as u64);
    let model = Model::named(answers.model.as_bytes()).expect("a model of ours");
    let mut found = found(&trace, model);
    for answer in &answers.answers {
        let context = format!("seed {seed}: {answer:?}");
        for &number in &answer.operations {
            let (location, _) =
                trace.op(trace::OpId(number as u32)).access().expect("an access is noted");
            assert_eq!(trace.names().locations.get(location), answer.location.as_bytes());
        }
        let verdict = found.remove(&answer.location);
        match answer.verdict {
            Verdict::Ordered => assert_eq!(verdict, None, "{context}"),
            expected => {
                assert_eq!(answer.operations.len(), 2, "{context}");
                assert_eq!(verdict, Some((expected, answer.covered_by.clone())), "{context}");
            }
        }
    }
    found.retain(|_, (verdict, _)| *verdict != Verdict::LockProtected);
    assert_eq!(found, BTreeMap::new(), "seed {seed}: races were invented");
}

#[test]
fn small_traces_have_the_planted_races_alone() {
    for seed in 0..seeds() {
        check(&common::small(), 1.0, seed);
    }
}

#[test]
fn pages_have_the_planted_races_alone() {
    for seed in 0..seeds() {
        for chains in [5, 60] {
            let profile = Profile {
                model: synth::Model::Event,
                event_actions: 250,
                edges: 310,
                chains,
                accesses: 1200,
                locations: 200,
                ..common::small()
            };
            check(&profile, 1.0, seed);
        }
    }
}

/// Every named profile with few accesses: each event has some.
#[test]
fn named_profiles_have_the_planted_races_alone() {
    for (name, mut profile) in Profile::catalogue() {
        let events = profile.looper_events + profile.binder_events + profile.event_actions;
        profile.accesses = events * 6;
        profile.planted = common::small().planted;
        for seed in 0..seeds().div_ceil(6) {
            println!("{name}");
            check(&profile, 300.0 / events as f64, seed);
        }
    }
}

/// Rule WINDOW orders the accesses of a planted race if the window is not longer than the answer states. A
/// window shorter than a scenario can also order them together with other rules.
#[test]
fn answers_state_which_races_a_window_loses() {
    let (mut lost, mut kept) = (0, 0);
    for seed in 0..seeds() {
        let (trace, _, answers) = common::trace(&common::small(), 1.0, seed);
        let longest = answers.answers.iter().filter_map(|answer| answer.longest_window).max();
        for share in [1, 3, 8, 40, 400] {
            let window = longest.expect("some races are far apart") / share;
            let mut rules = order::ANDROID.default_rules();
            rules.set_window(window).expect("the model has the rule");
            let order = Graph::new(&trace, &rules);
            for answer in &answers.answers {
                if !matches!(answer.verdict, Verdict::Race | Verdict::Covered) {
                    continue;
                }
                let [a, b] = [0, 1].map(|i| trace::OpId(answer.operations[i] as u32));
                let is_lost = answer.longest_window.is_some_and(|longest| window <= longest);
                let before = order.before(a, b);
                assert!(before || !is_lost, "seed {seed}, {window}: {answer:?}");
                let is_long = share < 8 || answer.location.contains("distant");
                assert!(!before || is_lost || !is_long, "seed {seed}, {window}: {answer:?}");
                *(if is_lost { &mut lost } else { &mut kept }) += 1;
            }
        }
    }
    assert!(lost > 40 && kept > 40, "{lost} {kept}");
}
