//! Steps and misses against the oracle, on random traces of every model.

use order::{Graph, HappensBefore, MODELS, MissIndex, Model, Oracle, Premise, misses};
use testkit::generate::{Profile, page, sample};
use trace::{EventId, Id, OpId, Trace};

/// How many traces a model gets.
const TRACES: u64 = 400;

/// A trace of 1 to 120 operations; of three seeds one is realistic, and one a page.
fn random_trace(seed: u64) -> Trace {
    let length = 1 + (seed as usize * 11) % 120;
    if seed % 3 == 2 {
        return page(seed, length);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(seed ^ 0x57e9_0000, profile, length)
}

/// Pairs of vertices of which the first leads to the second.
struct Closure {
    count: usize,
    bits: Vec<bool>,
}

impl Closure {
    /// Closes steps, which are sorted by their targets, so that what leads to a source is complete.
    fn of(count: usize, steps: &[(u32, u32, &order::Rule)]) -> Self {
        let mut closed = Self { count, bits: vec![false; count * count] };
        for &(from, to, _) in steps {
            let (from, to) = (from as usize, to as usize);
            for earlier in
                (0..count).filter(|&v| v == from || closed.has(v, from)).collect::<Vec<_>>()
            {
                closed.bits[earlier * count + to] = true;
            }
        }
        closed
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.count + to]
    }
}

fn check_steps(seed: u64, trace: &Trace, model: &'static Model) {
    let rules = model.default_rules();
    let (graph, oracle) = (Graph::new(trace, &rules), Oracle::new(trace, &rules));
    let Some(found) = graph.steps(usize::MAX) else {
        assert!(graph.execution().is_some(), "seed {seed}, {model:?} has no steps");
        return;
    };
    assert_eq!(found.of_events, model.orders_events());
    let count = if found.of_events { trace.events().len() } else { trace.len() };
    let closed = Closure::of(count, &found.steps);
    for (t, u) in (0..count).flat_map(|t| (0..count).map(move |u| (t, u))) {
        let expected = if found.of_events {
            oracle.event_before(EventId::new(t), EventId::new(u))
        } else {
            oracle.before(OpId::new(t), OpId::new(u))
        };
        assert_eq!(closed.has(t, u), expected, "seed {seed}, {model:?}: {t} and {u}");
    }
    for &(from, to, rule) in &found.steps {
        assert!(rules.contains(rule), "seed {seed}, {model:?}: {rule:?} is off");
        let (from, to) = (from as usize, to as usize);
        let is_single = (0..count).all(|v| !(closed.has(from, v) && closed.has(v, to)));
        assert!(is_single, "seed {seed}, {model:?}: {from} to {to} is no single step");
    }
}

fn check_misses(seed: u64, trace: &Trace, model: &'static Model) {
    let rules = model.default_rules();
    let order = Oracle::new(trace, &rules);
    let index = MissIndex::new(trace);
    for a in trace.ops().step_by(3) {
        for b in trace.ops().step_by(5) {
            let found = misses(&order, (trace, &index), &rules, a, b);
            assert!(
                found.is_empty() || order.unordered(a, b),
                "seed {seed}, {model:?}: {a:?} {b:?}"
            );
            for miss in found {
                if let Premise::Before(x, y) = miss.premise {
                    let holds = x == y || order.before(x, y);
                    assert!(!holds, "seed {seed}, {model:?}, {a:?} {b:?}: {miss:?} holds");
                }
            }
        }
    }
}

#[test]
fn the_closure_of_steps_is_the_order() {
    for model in MODELS {
        for seed in 0..TRACES {
            check_steps(seed, &random_trace(seed), model);
        }
    }
}

#[test]
fn no_miss_names_a_premise_that_holds() {
    for model in MODELS {
        for seed in 0..TRACES / 4 {
            check_misses(seed, &random_trace(seed), model);
        }
    }
}
