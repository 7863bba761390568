//! The engine against the from-scratch oracle, matrix for matrix, on random traces.
//!
//! `INTERLOPER_TRACES` sets how many traces a model gets; the default is what CI runs.

use order::{HappensBefore, Model, Oracle, RuleSet};
use testkit::generate::{Profile, page, sample};
use testkit::oracle::{self, RuleSwitches};
use trace::Trace;

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

/// A trace of 1 to 120 operations; of three seeds one is realistic, and one a page.
fn random_trace(seed: u64) -> Trace {
    if seed % 3 == 2 {
        return page(seed, 1 + (seed as usize * 7) % 120);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(seed, profile, 1 + (seed as usize * 7) % 120)
}

fn assert_equal(seed: u64, trace: &Trace, rules: &RuleSet, expected: &oracle::Order) {
    let actual = Oracle::new(trace, rules);
    for a in trace.ops() {
        for b in trace.ops() {
            assert_eq!(
                actual.before(a, b),
                expected.holds(a, b),
                "seed {seed}, model {}: {:?} and {:?} of\n{}",
                rules.model().name,
                (a, trace.op(a)),
                (b, trace.op(b)),
                listing(trace)
            );
        }
    }
}

fn listing(trace: &Trace) -> String {
    let line = |op| {
        let (thread, event) = (trace.thread_of(op), trace.event_of(op));
        format!("{op:?} {thread:?} {event:?} {:?}", trace.op(op))
    };
    trace.ops().map(line).collect::<Vec<_>>().join("\n")
}

fn compare(model: &'static Model, reference: oracle::Model) {
    for seed in 0..traces() {
        let trace = random_trace(seed);
        let expected = oracle::happens_before(&trace, reference, &RuleSwitches::default());
        assert_equal(seed, &trace, &model.default_rules(), &expected);
    }
}

/// Compares the engine with the oracle with rules switched at random, so that no rule's conclusions
/// hide behind another's.
fn compare_switched(model: &'static Model, reference: oracle::Model) {
    for seed in 0..traces() {
        let trace = random_trace(seed ^ 0x5eed_0000);
        let mut rules = model.default_rules();
        let mut switches = RuleSwitches::default();
        for (i, (name, _)) in reference.rules().into_iter().enumerate() {
            let draw = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i + 8)) & 3;
            rules.switch(name, draw != 0).expect("both know the rule");
            switches = switches.set(name, draw != 0);
        }
        if rules.window().is_some() {
            let length = [500, 3_000, 10_000, 30_000][(seed % 4) as usize];
            rules.set_window(length).expect("it is on");
            switches = switches.window(length);
        }
        let expected = oracle::happens_before(&trace, reference, &switches);
        assert_equal(seed, &trace, &rules, &expected);
    }
}

macro_rules! models {
    ($($name:ident: $model:expr, $reference:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn by_default() {
                compare($model, $reference);
            }

            #[test]
            fn with_rules_switched() {
                compare_switched($model, $reference);
            }
        }
    )*};
}

models! {
    eventracer_android: &order::EVENTRACER_ANDROID, oracle::Model::EventRacerAndroid;
    android: &order::ANDROID, oracle::Model::Android;
    asyncclock: &order::ASYNCCLOCK, oracle::Model::AsyncClock;
    event: &order::EVENT, oracle::Model::Event;
    web: &order::WEB, oracle::Model::Web;
    threads: &order::THREADS, oracle::Model::Threads;
    droidracer: &order::DROIDRACER, oracle::Model::DroidRacer;
}

/// Without its refinements `android` is `eventracer-android`.
#[test]
fn android_without_refinements_is_as_printed() {
    let mut rules = order::ANDROID.default_rules();
    for name in ["NORMAL-FORM", "FRONT-PASSES-BARRIER", "REMOVE-ON-LOOPER", "REMOVE-BARRIER"] {
        rules.switch(name, false).expect("a rule of the model");
    }
    for seed in 0..traces() / 4 {
        let trace = random_trace(seed);
        let reference = oracle::Model::EventRacerAndroid;
        let expected = oracle::happens_before(&trace, reference, &RuleSwitches::default());
        assert_equal(seed, &trace, &rules, &expected);
    }
}

/// Switching off any one rule changes the order of some random trace: no rule is idle in these
/// comparisons. Some rules are implied by others while those are on, and are tried without them;
/// those that only a log of DroidRacer can show are tried by that tool's crate.
#[test]
fn every_rule_matters() {
    let shadowed_by = |name: &str| match name {
        "IPC-ASYNC" => Some("IPC-HANDLE"),
        "USER-THREAD-OP" => Some("THREAD-OP"),
        "PARENT" => Some("NOPRE"),
        _ => None,
    };
    for model in order::MODELS {
        for &(rule, _) in model.rules.iter().filter(|(rule, _)| !rule.needs_log()) {
            let mut with = model.default_rules();
            if let Some(other) = shadowed_by(rule.name) {
                with.switch(other, false).expect("a rule of the model");
            }
            with.switch(rule.name, true).expect("a rule of the model");
            if rule.name == "WINDOW" {
                with.set_window(3_000).expect("a rule of the model");
            }
            let mut without = with.clone();
            without.switch(rule.name, false).expect("a rule of the model");
            let killed = (0..2000).find(|&seed| {
                let trace = random_trace(seed);
                let (with, without) = (Oracle::new(&trace, &with), Oracle::new(&trace, &without));
                trace.ops().any(|a| trace.ops().any(|b| with.before(a, b) != without.before(a, b)))
            });
            assert!(killed.is_some(), "{} is idle in {}", rule.name, model.name);
        }
    }
}
