//! Compares the races of engine `stream` with those of engine `graph`, and with the definition: every
//! pair is an unordered conflicting one, and the racy locations, the second accesses and the
//! unprotected second accesses are the same.
//!
//! `INTERLOPER_TRACES` sets how many traces a model gets; the default is what CI runs.

use std::collections::BTreeSet;

use order::{
    ANDROID, ASYNCCLOCK, EVENT, EVENTRACER_ANDROID, Graph, HappensBefore, Model, Row, Stream, WEB,
    Word,
};
use races::stream::{Accessed, Accesses, Context, Detector, Found};
use races::{PairMode, detect};
use testkit::completed::timed;
use testkit::generate::{Profile, page, sample};
use trace::{Id, LocationId, Op, OpId, Trace};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

/// The accesses of a batch, each a run of its own.
#[derive(Default)]
struct OneEach(Vec<Accessed>);

impl Accesses for OneEach {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn locations(&self, run: usize) -> &[LocationId] {
        std::slice::from_ref(&self.0[run].location)
    }

    fn get(&self, run: usize, _: usize) -> Accessed {
        self.0[run]
    }
}

/// The races that the pass finds, in batches of some operations and on some lanes; none if it had to decide something too early.
fn streamed(trace: &Trace, rules: &order::RuleSet, seed: u64) -> Option<(Vec<Found>, u64)> {
    let mut stream = Stream::new(rules).expect("the model streams");
    stream.drop_eagerly();
    let mut detector = Detector::new(1 + seed as usize / 2 % 3);
    let batch_length = [1, 2, 7, 40, usize::MAX][seed as usize / 3 % 5];
    let mut batch = OneEach::default();
    for thread in trace.names().threads.ids() {
        stream.assign_process(thread, trace.thread(thread).process);
    }
    let mut found = Vec::new();
    for op in trace.ops() {
        let (thread, event, number) = (trace.thread_of(op), trace.event_of(op), u64::from(op.0));
        match trace.op(op) {
            Op::Enter(_) | Op::Leave => {}
            Op::Read(location) | Op::Write(location) => {
                let is_write = matches!(trace.op(op), Op::Write(_));
                let access = Accessed { number, location, is_write, value: None, source: None };
                let context = Context { thread, event, stack: None };
                detector.enter(&mut stream, context);
                batch.0.push(access);
            }
            operation => {
                let attributes = trace.attributes(op);
                let word = Word::of(attributes.event_type.map(|text| trace.text(text)));
                let row = Row { number, thread, event, op: operation, at: attributes.at, word };
                detector.pass(&row);
                stream.pass(&row);
                detector.settle(&mut stream);
                found.extend(detector.take());
            }
        }
        if (op.0 as usize + 1).is_multiple_of(batch_length) {
            detector.compare(&mut stream, &std::mem::take(&mut batch));
            found.extend(detector.take());
        }
    }
    detector.compare(&mut stream, &batch);
    stream.finish();
    detector.settle(&mut stream);
    found.extend(detector.take());
    assert_eq!(detector.pending(), 0, "every verdict is final after the end");
    (stream.approximations() == 0).then_some((found, detector.withdrawn()))
}

type Seconds = BTreeSet<(LocationId, u64)>;

fn compare(model: &'static Model) {
    let (mut compared, mut pairs, mut withdrawn) = (0, 0, 0);
    for seed in 0..traces() {
        let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
        let length = 20 + (seed as usize * 13) % 250;
        let trace = if model.orders_events() && !seed.is_multiple_of(5) {
            page(seed ^ 0x5ca1_ab1e, length)
        } else {
            sample(seed ^ 0x5ca1_ab1e, profile, length)
        };
        let trace = timed(&trace, &|_| false);
        let mut rules = model.default_rules();
        if seed % 3 == 2 {
            let length = [3_000, 10_000, 30_000][(seed / 3 % 3) as usize];
            rules.set_window(length).expect("the model has the rule");
        }
        let Some((found, late)) = streamed(&trace, &rules, seed) else { continue };
        let graph = Graph::new(&trace, &rules);
        let what = format!("seed {seed}, model {}", model.name);
        for found in &found {
            let op = |number: u64| OpId::new(number as usize);
            let (first, second) = (op(found.first.number), op(found.second.number));
            assert!(graph.unordered(first, second), "{what}: {first:?} {second:?}");
            assert!(found.first_writes || found.second_writes, "{what}");
        }
        let ours = |filter: fn(&&Found) -> bool| -> Seconds {
            let found = found.iter().filter(filter);
            found.map(|found| (found.location, found.second.number)).collect()
        };
        let listed = detect(&trace, &graph, model, PairMode::Candidates).races;
        let theirs = |filter: fn(&&races::Race) -> bool| -> Seconds {
            let races = listed.iter().filter(filter);
            races.map(|race| (race.location, u64::from(race.second.0))).collect()
        };
        assert_eq!(ours(|_| true), theirs(|_| true), "{what}");
        assert_eq!(ours(|f| !f.lock_protected), theirs(|r| !r.lock_protected), "{what}");
        (compared, pairs, withdrawn) = (compared + 1, pairs + found.len(), withdrawn + late);
    }
    assert!(compared > traces() / 3 && pairs > 1000, "{compared} traces, {pairs} pairs");
    eprintln!("{}: {compared} traces, {pairs} pairs, {withdrawn} withdrawn", model.name);
}

#[test]
fn asyncclock() {
    compare(&ASYNCCLOCK);
}

#[test]
fn android() {
    compare(&ANDROID);
}

#[test]
fn eventracer_android() {
    compare(&EVENTRACER_ANDROID);
}

#[test]
fn event() {
    compare(&EVENT);
}

#[test]
fn web() {
    compare(&WEB);
}
