//! The graph engine against the oracle, matrix for matrix, on random traces of every model.
//!
//! `INTERLOPER_TRACES` sets how many traces a model gets; the default is what CI runs.

use order::{Explanation, Graph, HappensBefore, Model, Oracle, RuleSet, Step};
use testkit::generate::{Profile, page, sample};
use trace::Trace;

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000)
}

/// A trace of 1 to 200 operations; of three seeds one is realistic, and one a page.
fn random_trace(seed: u64) -> Trace {
    if seed % 3 == 2 {
        return page(seed, 1 + (seed as usize * 11) % 200);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(seed ^ 0x6ea9_0000, profile, 1 + (seed as usize * 11) % 200)
}

fn listing(trace: &Trace) -> String {
    let line = |op| {
        let (thread, event) = (trace.thread_of(op), trace.event_of(op));
        format!("{op:?} {thread:?} {event:?} {:?}", trace.op(op))
    };
    trace.ops().map(line).collect::<Vec<_>>().join("\n")
}

fn assert_equal(seed: u64, trace: &Trace, rules: &RuleSet) {
    let (graph, oracle) = (Graph::new(trace, rules), Oracle::new(trace, rules));
    let names: Vec<&str> = rules.iter().map(|r| r.name).collect();
    for a in trace.ops() {
        for b in trace.ops() {
            assert_eq!(
                graph.before(a, b),
                oracle.before(a, b),
                "seed {seed}, model {}, rules {names:?}: {:?} and {:?} of\n{}",
                rules.model().name,
                (a, trace.op(a)),
                (b, trace.op(b)),
                listing(trace)
            );
        }
    }
    for (t, _) in trace.events() {
        for (u, _) in trace.events() {
            let expected = oracle.event_before(t, u);
            assert_eq!(graph.event_before(t, u), expected, "seed {seed}: {t:?} {u:?}");
        }
    }
}

/// Every step of every path must hold by itself, and lead from one end to the other.
fn assert_explained(seed: u64, trace: &Trace, rules: &RuleSet) {
    let (graph, oracle) = (Graph::new(trace, rules), Oracle::new(trace, rules));
    let ops: Vec<_> = trace.ops().collect();
    for (i, &a) in ops.iter().enumerate().step_by(3) {
        for &b in ops[i..].iter().step_by(5) {
            match (graph.explain(a, b), oracle.explain(a, b)) {
                (Explanation::Before(steps), Explanation::Before(_)) => {
                    assert_eq!(steps.first().map(|s| s.from), Some(a), "seed {seed}");
                    assert_eq!(steps.last().map(|s| s.to), Some(b), "seed {seed}");
                    assert!(steps.windows(2).all(|w| w[0].to == w[1].from), "seed {seed}");
                    for Step { from, to, rule } in steps {
                        assert!(oracle.before(from, to), "seed {seed}: {from:?} {to:?} {rule:?}");
                        assert!(rules.contains(rule), "seed {seed}: {rule:?} is off");
                    }
                }
                (ours, theirs) => {
                    let model = rules.model().name;
                    assert_eq!(ours, theirs, "seed {seed} {model}: {a:?} {b:?}");
                }
            }
        }
    }
}

fn switched(model: &'static Model, seed: u64) -> RuleSet {
    let mut rules = model.default_rules();
    for (i, (rule, _)) in model.rules.iter().enumerate() {
        let draw = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i + 8)) & 3;
        rules.switch(rule.name, draw != 0).expect("a rule of the model");
    }
    shorten_window(&mut rules, seed);
    rules
}

/// Makes the window, if there is one, as short as the traces.
fn shorten_window(rules: &mut RuleSet, seed: u64) {
    if rules.window().is_some() {
        let length = [500, 3_000, 10_000, 30_000][(seed % 4) as usize];
        rules.set_window(length).expect("it is on");
    }
}

/// One rule switched off, so that the others are all there to show it.
fn without_one(model: &'static Model, seed: u64) -> RuleSet {
    let mut rules = model.default_rules();
    let (rule, on) = model.rules[seed as usize % model.rules.len()];
    rules.switch(rule.name, !on).expect("a rule of the model");
    shorten_window(&mut rules, seed);
    rules
}

macro_rules! models {
    ($($name:ident: $model:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn by_default() {
                for seed in 0..traces() {
                    assert_equal(seed, &random_trace(seed), &$model.default_rules());
                }
            }

            #[test]
            fn with_rules_switched() {
                for seed in 0..traces() {
                    let trace = random_trace(seed ^ 0x5eed_0000);
                    assert_equal(seed, &trace, &switched($model, seed));
                    assert_equal(seed, &trace, &without_one($model, seed));
                }
            }

        }
    )*};
}

/// Model `droidracer` explains itself, and what orders whole events has no path within them.
#[test]
fn explained() {
    let models = [&order::EVENTRACER_ANDROID, &order::ANDROID, &order::ASYNCCLOCK, &order::THREADS];
    for seed in 0..traces() / 10 {
        let trace = random_trace(seed);
        assert_explained(seed, &trace, &order::EVENT.default_rules());
        assert_explained(seed, &trace, &order::WEB.default_rules());
        for model in models {
            assert_explained(seed, &trace, &model.default_rules());
            assert_explained(seed, &trace, &without_one(model, seed));
        }
    }
}

models! {
    eventracer_android: &order::EVENTRACER_ANDROID;
    android: &order::ANDROID;
    asyncclock: &order::ASYNCCLOCK;
    event: &order::EVENT;
    web: &order::WEB;
    threads: &order::THREADS;
    droidracer: &order::DROIDRACER;
}
