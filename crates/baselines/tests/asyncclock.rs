//! AsyncClock orders the operations as the graph engine does, on random traces.
//!
//! `INTERLOPER_TRACES` sets the number of traces; CI uses the default.

use std::collections::BTreeSet;

use baselines::asyncclock::{AsyncClock, Epoch, Options, Row, Stats, VectorClock};
use order::{ASYNCCLOCK, Graph, HappensBefore};
use testkit::generate::{Profile, sample};
use trace::{Attributes, LocationId, Op, OpId, Trace, TraceBuilder};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(600)
}

/// A trace of up to 300 operations; every second seed is realistic.
fn random_trace(seed: u64) -> Trace {
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(seed ^ 0xa5c1_0000, profile, 1 + (seed as usize * 13) % 300)
}

/// The result of a pass: where each operation that synchronises stands, and what happens before it.
struct Passed {
    moments: Vec<(OpId, Epoch, VectorClock)>,
    racy: Vec<LocationId>,
    stats: Stats,
}

impl Passed {
    fn new(trace: &Trace, options: Options) -> Self {
        let mut clock = AsyncClock::new(options);
        for queue in trace.names().queues.ids() {
            clock.declare(queue, trace.queue(queue).kind);
        }
        for op in trace.ops() {
            if let Op::Attach(queue) = trace.op(op) {
                clock.attach(trace.thread_of(op), queue);
            }
        }
        for thread in trace.names().threads.ids() {
            clock.assign_process(thread, trace.thread(thread).process);
        }
        let mut moments = Vec::new();
        for id in trace.ops() {
            let (thread, event, op) = (trace.thread_of(id), trace.event_of(id), trace.op(id));
            match op {
                Op::Enter(_) | Op::Leave => {}
                Op::Read(location) | Op::Write(location) => {
                    clock.access((thread, event), location, matches!(op, Op::Write(_)));
                }
                _ => {
                    let at = trace.attributes(id).at;
                    let row = Row { number: u64::from(id.0), thread, event, op, at };
                    let (epoch, vector) = clock.pass(&row);
                    moments.push((id, epoch, vector));
                }
            }
        }
        let mut racy = clock.racy().to_vec();
        racy.sort_unstable();
        Self { moments, racy, stats: clock.stats() }
    }

    /// Compares all pairs of operations with what `expected` says.
    fn compare(&self, mut differs: impl FnMut(OpId, OpId, bool)) {
        for (i, (b, _, vector)) in self.moments.iter().enumerate() {
            for (a, epoch, _) in &self.moments[..i] {
                differs(*a, *b, vector.covers(*epoch));
            }
        }
    }
}

/// Compares the order and the racy locations of random traces, and returns the sum of the counts.
fn graph_agrees(options: Options) -> Stats {
    let (mut compared, mut racy, mut sum) = (0, 0, Stats::default());
    let long = (0..traces().div_ceil(60)).map(|seed| sample(seed, Profile::Realistic, 1500));
    for (seed, trace) in (0_u64..).zip((0..traces()).map(random_trace).chain(long)) {
        let passed = Passed::new(&trace, options);
        if passed.stats.contradictions > 0 {
            continue;
        }
        compared += 1;
        let graph = Graph::new(&trace, &ASYNCCLOCK.default_rules());
        passed.compare(|a, b, before| {
            assert_eq!(
                before,
                graph.before(a, b),
                "{options:?}, seed {seed}: {a:?} {:?} and {b:?} {:?}",
                trace.op(a),
                trace.op(b)
            );
        });
        if seed.is_multiple_of(2) {
            let expected = racy_locations(&trace, &graph);
            assert_eq!(passed.racy, expected, "{options:?}, seed {seed}");
            racy += expected.len();
        }
        sum.multi_path += passed.stats.multi_path;
        sum.in_cycles += passed.stats.in_cycles;
    }
    assert!(compared > traces() / 2 && racy as u64 > traces(), "{compared} compared, {racy} racy");
    sum
}

/// The locations with two accesses, at least one of them a write, that are not ordered.
fn racy_locations(trace: &Trace, graph: &Graph<'_>) -> Vec<LocationId> {
    let accesses: Vec<(OpId, LocationId, bool)> = trace
        .ops()
        .filter_map(|op| trace.op(op).access().map(|(location, write)| (op, location, write)))
        .collect();
    let races = |&(b, at, writes): &(OpId, LocationId, bool)| {
        accesses
            .iter()
            .take_while(|(a, ..)| *a < b)
            .any(|&(a, other, wrote)| other == at && (writes || wrote) && !graph.before(a, b))
    };
    let racy: BTreeSet<LocationId> =
        accesses.iter().filter(|access| races(access)).map(|&(_, at, _)| at).collect();
    racy.into_iter().collect()
}

#[test]
fn without_reclaiming() {
    graph_agrees(Options { reclaim: false, ..Options::default() });
}

#[test]
fn with_greedy_chains() {
    graph_agrees(Options { reclaim: false, fifo_chains: false, ..Options::default() });
}

#[test]
fn with_reference_counting() {
    let options = Options { multi_path: false, ..Options::default() };
    graph_agrees(options);
    let sum = graph_agrees(Options { collect_after: 1, ..options });
    assert!(sum.in_cycles > 0, "{sum:?}");
}

#[test]
fn with_multi_path_reduction() {
    let sum = graph_agrees(Options { collect_after: 1, ..Options::default() });
    assert!(sum.multi_path > 0, "{sum:?}");
}

/// A window orders more than the rules do without rule WINDOW, and less than they do with it.
#[test]
fn a_window_orders_what_is_old() {
    const LENGTH: u64 = 400;
    let (mut old, mut more, mut less) = (0, 0, 0);
    // An event that began before another one of its looper was old may still ask for that one's end, if
    // events overlap: only realistic traces are compared.
    for seed in (0..traces()).step_by(2) {
        let trace = timed(&random_trace(seed));
        let options = Options { window: Some(LENGTH), collect_after: 1, ..Options::default() };
        let passed = Passed::new(&trace, options);
        if passed.stats.contradictions > 0 {
            continue;
        }
        old += passed.stats.old;
        let mut rules = ASYNCCLOCK.default_rules();
        let without = Graph::new(&trace, &rules);
        rules.set_window(LENGTH).expect("the model has the rule");
        let with = Graph::new(&trace, &rules);
        passed.compare(|a, b, before| {
            let context =
                || format!("seed {seed}: {a:?} {:?}, {b:?} {:?}", trace.op(a), trace.op(b));
            assert!(before || !without.before(a, b), "{}: no longer ordered", context());
            assert!(!before || with.before(a, b), "{}: ordered", context());
            more += u64::from(before && !without.before(a, b));
            less += u64::from(!before && with.before(a, b));
        });
    }
    assert!(old.min(more).min(less) > traces(), "{old} {more} {less}");
}

/// The trace with ten nanoseconds from each operation to the next.
fn timed(trace: &Trace) -> Trace {
    let mut builder = TraceBuilder::new();
    *builder.names() = trace.names().clone();
    for op in trace.ops() {
        let attributes = Attributes { at: Some(10 * u64::from(op.0)), ..Attributes::default() };
        builder.push(trace.thread_of(op), trace.op(op), attributes);
    }
    builder.finish().0
}

/// Passes over a trace, and returns whether AsyncClock and the graph engine order two operations.
fn both(text: &str, (a, b): (u32, u32), options: Options) -> (bool, bool) {
    let trace = codec::text::read(text.as_bytes()).expect("a trace").trace;
    let graph = Graph::new(&trace, &ASYNCCLOCK.default_rules());
    let passed = Passed::new(&trace, options);
    let mut ours = false;
    passed.compare(|first, second, before| ours |= (first, second) == (OpId(a), OpId(b)) && before);
    (ours, graph.before(OpId(a), OpId(b)))
}

/// While B runs inside of which C begins, its end is not known. B's send had removed A from the AsyncClock.
const NESTED: &str = "\
interloper-trace 1
model asyncclock
t0 attach q
t1 enqueue a q
t1 enqueue b q
t1 enqueue c q
t0 begin a
t0 end a
t0 begin b
t0 begin c
t0 end c
t0 end b
";

#[test]
fn as_printed_an_event_inside_another_misses_its_predecessors() {
    let as_printed = Options { as_printed: true, ..Options::default() };
    assert_eq!(both(NESTED, (5, 7), as_printed), (false, true));
    assert_eq!(both(NESTED, (5, 7), Options::default()), (true, true));
}

/// The premise of PRIORITY, that A was sent before B, comes after its conclusion, that A ends before B begins.
const LATE: &str = "\
interloper-trace 1
model asyncclock
t0 attach q
t1 enqueue a q
t0 begin a
t0 end a
t0 begin b
t1 enqueue b q
t0 end b
";

#[test]
fn one_pass_misses_a_message_that_begins_before_it_is_posted() {
    assert_eq!(both(LATE, (3, 4), Options::default()), (false, true));
}

/// E is sent before F, and is in the AsyncClock at the end of F. The sender has sent another message to E's
/// queue since, so nothing else refers to E. Multi-path reduction concludes that E is heirless, because
/// whatever follows F by its send also follows that message. But `joiner` follows F by LOOPEND.
const JOINED: &str = "\
interloper-trace 1
model asyncclock
looper attach q
other attach r
poster enqueue e r
poster enqueue f q
poster enqueue e2 r
other begin e
other end e
other begin e2
other end e2
looper begin f
looper end f
looper exit
joiner join looper
joiner enqueue g r
other begin g
";

#[test]
fn as_printed_multi_path_reduction_forgets_what_the_end_of_a_looper_needs() {
    let as_printed = Options { as_printed: true, ..Options::default() };
    assert_eq!(both(JOINED, (6, 14), as_printed), (false, true));
    assert_eq!(both(JOINED, (6, 14), Options::default()), (true, true));
    let without = Options { multi_path: false, ..as_printed };
    assert_eq!(both(JOINED, (6, 14), without), (true, true));
}
