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
use races::stream::{Accessed, Context, Detector, Found};
use races::{PairMode, detect};
use testkit::generate::{Profile, page, sample};
use trace::{Attributes, EventId, Id, LocationId, Op, OpId, Trace, TraceBuilder};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

/// The trace with the ends of the events that it leaves open.
fn ended(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new();
    *builder.names() = trace.names().clone();
    let threads: Vec<_> = trace.names().threads.ids().collect();
    for &thread in &threads {
        builder.assign_process(thread, trace.thread(thread).process);
    }
    let mut open: Vec<Vec<EventId>> = vec![Vec::new(); threads.len()];
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        let attributes = trace.attributes(op);
        let at = Some(attributes.at.unwrap_or(u64::from(op.0) * 1000));
        builder.push(thread, trace.op(op), Attributes { at, ..attributes });
        let stack = &mut open[thread.index()];
        match trace.op(op) {
            Op::Begin(event) if trace.event(event).begin == Some(op) => stack.push(event),
            Op::End(event) if trace.event(event).end == Some(op) => {
                stack.pop();
            }
            _ => {}
        }
    }
    for thread in threads {
        while let Some(event) = open[thread.index()].pop() {
            builder.push(thread, Op::End(event), Attributes::default());
        }
    }
    builder.finish().0
}

/// The races that the pass finds; none if it had to decide something too early.
fn streamed(trace: &Trace, rules: &order::RuleSet) -> Option<(Vec<Found>, u64)> {
    let mut stream = Stream::new(rules).expect("the model streams");
    stream.drop_eagerly();
    let mut detector = Detector::default();
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
                detector.run(&mut stream, context, std::iter::once(access));
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
    }
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
        let trace = ended(&trace);
        let mut rules = model.default_rules();
        if seed % 3 == 2 {
            let length = [3_000, 10_000, 30_000][(seed / 3 % 3) as usize];
            rules.set_window(length).expect("the model has the rule");
        }
        let Some((found, late)) = streamed(&trace, &rules) else { continue };
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
