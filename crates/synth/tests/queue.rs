//! Every dispatch is one that Android's message queue could have made.
//!
//! The check is independent of the simulation: it keeps no sorted queue. The place of a message
//! follows from its due time and arrival, and each begin is checked against the messages that wait
//! at that moment.

mod common;

use std::collections::BTreeMap;

use synth::Profile;
use trace::{BarrierId, Enqueue, EventId, Id, Op, OpId, Posting, QueueId, QueueKind, Trace};

/// A place in a queue. Posts to the front come first, the last of them foremost.
type Place = (i64, i64);

#[derive(Clone, Copy)]
struct Waiting {
    enqueue: Enqueue,
    place: Place,
    op: OpId,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<EventId, Waiting>,
    barriers: BTreeMap<BarrierId, Place>,
    running: Option<EventId>,
    /// The begin of the last idle handlers, unless a message ran since.
    idle_since: Option<OpId>,
    message_since: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    front: u32,
    past_barrier: u32,
    idle: u32,
    native: u32,
    removed: u32,
    blocking: u32,
}

struct Replay<'t> {
    trace: &'t Trace,
    queues: Vec<Queue>,
    seen: Seen,
}

impl Replay<'_> {
    fn milliseconds(&self, op: OpId) -> i64 {
        let at = self.trace.attributes(op).at.expect("these operations carry their time");
        i64::try_from(at / 1_000_000).expect("no trace is that long")
    }

    fn enqueue(&mut self, op: OpId, enqueue: Enqueue) {
        let (arrival, now) = (i64::from(op.0), self.milliseconds(op));
        let place = match enqueue.posting {
            Posting::Front => (0, -arrival),
            Posting::Delayed(delay) => (now + delay, arrival),
            Posting::AtTime(time) => (time, arrival),
            Posting::Idle | Posting::Input | Posting::Display | Posting::Ipc => (0, arrival),
        };
        let waiting = Waiting { enqueue, place, op };
        self.queues[enqueue.queue.index()].waiting.insert(enqueue.event, waiting);
    }

    fn begin(&mut self, op: OpId, queue: QueueId, event: EventId) {
        let now = self.milliseconds(op);
        let looper = self.trace.queue(queue).kind == QueueKind::Looper;
        let state = &mut self.queues[queue.index()];
        let message = state.waiting.remove(&event).expect("it waits, and was not removed");
        if !looper {
            return;
        }
        assert_eq!(state.running.replace(event), None, "{op:?}: events of a looper do not overlap");
        let in_queue = |w: &&Waiting| is_in_queue(w.enqueue.posting);
        let native = |w: &Waiting| matches!(w.enqueue.posting, Posting::Input | Posting::Display);
        let head = state.waiting.values().filter(in_queue).map(|w| w.place);
        let head = head.chain(state.barriers.values().copied()).min();
        let natives = state.waiting.values().filter(|w| native(w));
        let first_native = natives.map(|w| w.op).min();
        match message.enqueue.posting {
            Posting::Input | Posting::Display => {
                assert!(first_native.is_none_or(|first| message.op < first), "{op:?}: in order");
                self.seen.native += 1;
            }
            Posting::Idle => {
                let goes_on = state.idle_since.is_some_and(|since| message.op < since)
                    && !state.message_since;
                if !goes_on {
                    assert!(state.message_since || state.idle_since.is_none(), "{op:?}: once");
                    assert!(head.is_none_or(|(when, _)| when >= now), "{op:?}: something is due");
                    state.idle_since = Some(op);
                    state.message_since = false;
                }
                let earlier = |w: &Waiting| w.enqueue.posting == Posting::Idle && w.op < message.op;
                assert!(!state.waiting.values().any(earlier), "{op:?}: handlers run in order");
                self.seen.idle += 1;
            }
            _ => {
                assert_eq!(first_native, None, "{op:?}: native code comes first");
                assert!(message.place.0 <= now, "{op:?} is not due");
                self.seen.front += u32::from(message.enqueue.posting == Posting::Front);
                self.seen.past_barrier += u32::from(may_go(state, &message, head, op));
                state.message_since = true;
            }
        }
    }
}

fn is_in_queue(posting: Posting) -> bool {
    matches!(posting, Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front)
}

/// Checks that no message should be dispatched before this one. Returns whether it passed a
/// barrier.
fn may_go(state: &Queue, message: &Waiting, head: Option<Place>, op: OpId) -> bool {
    if head.is_none_or(|head| message.place < head) {
        return false;
    }
    assert!(message.enqueue.is_async, "{op:?}: something stands before it");
    let barrier = state.barriers.values().any(|&place| Some(place) == head);
    assert!(barrier, "{op:?}: no barrier holds what stands before it");
    let ahead = |w: &&Waiting| is_in_queue(w.enqueue.posting) && w.place < message.place;
    assert!(!state.waiting.values().filter(ahead).any(|w| w.enqueue.is_async), "{op:?}");
    true
}

fn replay(trace: &Trace) -> Seen {
    let mut queues = Vec::new();
    queues.resize_with(trace.names().queues.len(), Queue::default);
    let mut replay = Replay { trace, queues, seen: Seen::default() };
    let mut posted = BTreeMap::new();
    let mut barriers = BTreeMap::new();
    let mut calls: BTreeMap<trace::ThreadId, EventId> = BTreeMap::new();
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        if let Some(called) = calls.remove(&thread) {
            assert_eq!(trace.op(op), Op::EnqueueEnd(called), "{op:?}: the caller waits");
            assert!(trace.event(called).end.is_some_and(|end| end < op), "{op:?}: it was handled");
            replay.seen.blocking += 1;
        }
        match trace.op(op) {
            Op::Enqueue(enqueue) => {
                posted.insert(enqueue.event, enqueue.queue);
                replay.enqueue(op, enqueue);
                if enqueue.sync {
                    calls.insert(thread, enqueue.event);
                }
            }
            Op::Begin(event) => replay.begin(op, posted[&event], event),
            Op::End(event) => replay.queues[posted[&event].index()].running = None,
            Op::Remove(event) => {
                let queue = &mut replay.queues[posted[&event].index()];
                replay.seen.removed += u32::from(queue.waiting.remove(&event).is_some());
            }
            Op::PostBarrier(barrier, queue) => {
                let place = (replay.milliseconds(op), i64::from(op.0));
                replay.queues[queue.index()].barriers.insert(barrier, place);
                barriers.insert(barrier, queue);
            }
            Op::RemoveBarrier(barrier) => {
                replay.queues[barriers[&barrier].index()].barriers.remove(&barrier);
            }
            _ => {}
        }
    }
    let left =
        |queue: &Queue| queue.waiting.values().filter(|w| is_in_queue(w.enqueue.posting)).count();
    assert_eq!(replay.queues.iter().map(left).sum::<usize>(), 0, "everything due was dispatched");
    replay.seen
}

#[test]
fn every_dispatch_is_legal() {
    let mut profile = common::small();
    profile.mix.asynchronous = 0.08;
    profile.mix.level1 = 0.48;
    for seed in 0..20 {
        profile.stretch = if seed % 2 == 0 { 1 } else { 7 };
        let (trace, ..) = common::trace(&profile, 4.0, seed);
        let seen = replay(&trace);
        let Seen { front, past_barrier, idle, native, removed, blocking } = seen;
        let all = [front, past_barrier, idle, native, removed, blocking];
        assert!(all.iter().all(|&n| n > 0), "seed {seed} shows too little: {seen:?}");
    }
    for mix in ["mix/fifo", "mix/delay", "mix/at-time", "mix/front"] {
        let profile = Profile::named(mix).expect("a profile of ours");
        replay(&common::trace(&profile, 0.2, 3).0);
    }
}

/// A stretch changes times only, and all of them alike.
#[test]
fn a_stretch_changes_only_times() {
    for (model, scale) in [(common::small(), 1.0), (common::page(), 1.0)] {
        let (plain, ..) = common::trace(&model, scale, 5);
        let (stretched, ..) = common::trace(&Profile { stretch: 7, ..model }, scale, 5);
        assert_eq!(plain.len(), stretched.len());
        let mut times = 0;
        for op in plain.ops() {
            let (before, after) = (plain.op(op), stretched.op(op));
            let expected = match before {
                Op::Enqueue(enqueue) => Op::Enqueue(Enqueue {
                    posting: match enqueue.posting {
                        Posting::Delayed(delay) => Posting::Delayed(7 * delay),
                        Posting::AtTime(time) => Posting::AtTime(7 * time),
                        posting => posting,
                    },
                    ..enqueue
                }),
                other => other,
            };
            assert_eq!((plain.thread_of(op), expected), (stretched.thread_of(op), after));
            let [before, after] = [&plain, &stretched].map(|trace| trace.attributes(op));
            let at = before.at.map(|at| at / 1_000_000 * 7_000_000 + at % 1_000_000);
            times += usize::from(at.is_some());
            assert_eq!(trace::Attributes { at, ..before }, after, "{op:?}");
        }
        assert!(times > 100, "{times} times");
    }
}
