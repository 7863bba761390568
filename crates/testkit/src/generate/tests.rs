//! Tests of the generator: determinism, discipline, variety.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};

use trace::{Enqueue, EventId, Op, OpId, Posting, QueueKind, Severity, Trace, anomaly};

use super::world::World;
use super::{Knobs, Profile, generate, sample};

fn ops(trace: &Trace) -> Vec<Op> {
    trace.ops().map(|op| trace.op(op)).collect()
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    for profile in [Profile::Realistic, Profile::Wild] {
        assert_eq!(ops(&sample(7, profile, 200)), ops(&sample(7, profile, 200)));
        assert_ne!(ops(&sample(7, profile, 200)), ops(&sample(8, profile, 200)));
    }
}

#[test]
fn a_trace_has_as_many_operations_as_asked() {
    for n in [0, 1, 5, 120, 20_000] {
        assert_eq!(sample(n as u64, Profile::Realistic, n).len(), n);
        assert_eq!(sample(n as u64, Profile::Wild, n).len(), n);
    }
}

fn diagnosed(seed: u64, knobs: &Knobs) -> Vec<trace::Diagnostic> {
    let mut world = World::new(seed, knobs);
    while world.len() < knobs.operations {
        world.step();
    }
    world.finish().1
}

#[test]
fn realistic_traces_show_nothing_above_info() {
    for seed in 0..400 {
        let found = diagnosed(seed, &Knobs::drawn(seed, Profile::Realistic, 150));
        let worst = found.iter().find(|d| d.code.severity > Severity::Info);
        assert!(worst.is_none(), "seed {seed}: {worst:?}");
    }
}

#[test]
fn wild_traces_show_every_anomaly() {
    let seen: BTreeSet<&str> = (0..400)
        .flat_map(|seed| diagnosed(seed, &Knobs::drawn(seed, Profile::Wild, 150)))
        .map(|d| d.code.name)
        .collect();
    let missing: Vec<&str> =
        anomaly::CODES.iter().map(|code| code.name).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "never seen: {missing:?}");
}

#[test]
fn every_operation_and_every_posting_occurs_in_both_profiles() {
    for profile in [Profile::Realistic, Profile::Wild] {
        let mut kinds: Vec<Discriminant<Op>> = Vec::new();
        let mut postings: Vec<Discriminant<Posting>> = Vec::new();
        for op in (0..100).flat_map(|seed| ops(&sample(seed, profile, 120))) {
            if !kinds.contains(&discriminant(&op)) {
                kinds.push(discriminant(&op));
            }
            if let Op::Enqueue(Enqueue { posting, .. }) = op
                && !postings.contains(&discriminant(&posting))
            {
                postings.push(discriminant(&posting));
            }
        }
        assert_eq!((kinds.len(), postings.len()), (27, 7), "{profile:?}");
    }
}

/// Counts how often the premises of each rule occur in one trace.
fn premises(trace: &Trace) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    let mut count = |what| *counts.entry(what).or_insert(0) += 1;
    let dispatched: Vec<(Enqueue, OpId, OpId, Option<OpId>)> = trace
        .events()
        .filter_map(|(id, e)| Some((trace.posting_of(id)?, e.enqueue?, e.begin?, e.end)))
        .collect();
    let sender = |op: OpId| (trace.thread_of(op), trace.event_of(op));
    for &(first, first_at, first_begin, first_end) in &dispatched {
        let kind = trace.queue(first.queue).kind;
        for &(second, second_at, second_begin, _) in &dispatched {
            let same_sender = first_at < second_at && sender(first_at) == sender(second_at);
            if first.queue != second.queue || !same_sender {
                continue;
            }
            let in_order = first_end.is_some_and(|end| end < second_begin);
            match (kind, first.posting, second.posting) {
                (QueueKind::Looper, _, Posting::Front) if second_at < first_begin => {
                    count("front over pending");
                }
                (QueueKind::Looper, Posting::Delayed(d), Posting::Delayed(e))
                    if d <= e && in_order =>
                {
                    count("ordered delays");
                }
                (QueueKind::Looper, Posting::AtTime(s), Posting::AtTime(t))
                    if s <= t && in_order =>
                {
                    count("ordered times");
                }
                (QueueKind::Looper, Posting::Idle, Posting::Idle) if in_order => {
                    count("ordered idle handlers");
                }
                (QueueKind::Binder, ..) if in_order => count("ordered calls"),
                _ => {}
            }
        }
    }
    count_operations(trace, &mut count);
    counts
}

fn count_operations(trace: &Trace, count: &mut impl FnMut(&'static str)) {
    let begun_before = |m: EventId, op: OpId| trace.event(m).begin.is_some_and(|b| b < op);
    let mut barrier_posts = BTreeMap::new();
    for op in trace.ops() {
        match trace.op(op) {
            Op::Remove(m) if begun_before(m, op) => {
                let owner = trace.looper_of(m).and_then(|q| trace.queue(q).owner);
                count(if owner == Some(trace.thread_of(op)) {
                    "removed after dispatch, own looper"
                } else {
                    "removed after dispatch, elsewhere"
                });
            }
            Op::EnqueueEnd(m) if trace.event(m).end.is_some_and(|end| end < op) => {
                count("blocking call returned");
            }
            Op::PostBarrier(barrier, queue) => {
                barrier_posts.insert(barrier, (op, queue));
            }
            Op::RemoveBarrier(barrier) => {
                let Some(&(posted, queue)) = barrier_posts.get(&barrier) else { continue };
                let held = trace.events().filter(|(_, e)| {
                    e.queue == Some(queue)
                        && e.enqueue.is_some_and(|at| at > posted)
                        && e.begin.is_some_and(|at| at > op)
                });
                held.for_each(|_| count("held back by a barrier"));
            }
            Op::Join(_) => count("join"),
            Op::Arc(..) => count("arc"),
            _ => {}
        }
    }
}

#[test]
fn premises_of_rules_occur_often() {
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    let traces = 300;
    for seed in 0..traces {
        for (what, n) in premises(&sample(seed, Profile::Realistic, 120)) {
            *total.entry(what).or_default() += n;
        }
    }
    assert_eq!(total.len(), 11, "{total:?}");
    for (what, n) in total {
        assert!(n >= 20, "{what}: {n} times in {traces} traces");
    }
}

#[test]
fn a_lone_thread_is_enough() {
    let lone = Knobs { workers: 1, loopers: 0, binders: 0, pools: 0, processes: 1, ..knobs() };
    assert_eq!(generate(1, &lone).len(), 120);
}

fn knobs() -> Knobs {
    Knobs::new(Profile::Realistic, 120)
}
