//! Every baseline orders the nodes as the graph engine does, on random traces.
//!
//! `INTERLOPER_TRACES` sets the number of traces; CI uses the default.

use baselines::{
    Algorithm1, BitVectors, BreadthFirst, Clocks, Node, Options, Relation, Skeleton, Sweeps,
};
use eventracer::connectivity::Connectivity;
use eventracer::ids::OpId;
use order::{ANDROID, Graph, HappensBefore};
use testkit::generate::{Profile, sample};
use trace::Trace;

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// A trace of up to 300 operations; every second seed is realistic.
fn random_trace(seed: u64) -> Trace {
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(seed ^ 0xba5e_0000, profile, 1 + (seed as usize * 13) % 300)
}

fn assert_equal(
    what: &str,
    (seed, trace): (u64, &Trace),
    (graph, skeleton): (&Graph<'_>, &Skeleton),
    mut before: impl FnMut(Node, Node) -> bool,
) {
    for a in skeleton.nodes() {
        for b in skeleton.nodes() {
            let (first, second) = (skeleton.op(a), skeleton.op(b));
            assert_eq!(
                before(a, b),
                graph.before(first, second),
                "{what}, seed {seed}: {first:?} {:?} and {second:?} {:?}",
                trace.op(first),
                trace.op(second)
            );
        }
    }
}

fn check(
    what: &str,
    before: impl Fn(&Skeleton, &mut dyn FnMut(&mut dyn FnMut(Node, Node) -> bool)),
) {
    for seed in 0..traces() {
        let trace = random_trace(seed);
        let graph = Graph::new(&trace, &ANDROID.default_rules());
        let skeleton = Skeleton::new(&trace);
        before(&skeleton, &mut |before| {
            assert_equal(what, (seed, &trace), (&graph, &skeleton), before);
        });
    }
}

fn sweeps<R: Relation>(what: &str) {
    check(what, |skeleton, compare| {
        let closed = Sweeps::<R>::new(skeleton);
        compare(&mut |a, b| closed.before(a, b));
    });
}

#[test]
fn bit_vectors() {
    sweeps::<BitVectors>("bit vectors");
}

#[test]
fn plain_clocks() {
    sweeps::<Clocks>("plain clocks");
}

#[test]
fn breadth_first() {
    sweeps::<BreadthFirst>("breadth-first search");
}

#[test]
fn connectivity_of_the_closed_graph() {
    for algorithm in Connectivity::ALL {
        check(algorithm.name(), |skeleton, compare| {
            let order = algorithm.order(&Sweeps::<BitVectors>::new(skeleton).graph());
            let op = |node: Node| OpId::new(node.0 as usize);
            compare(&mut |a, b| a != b && order.le(op(a), op(b)));
        });
    }
}

#[test]
fn algorithm_1() {
    for (pruning, fast_queries) in [(true, true), (true, false), (false, true), (false, false)] {
        let options = Options { pruning, fast_queries };
        check(&format!("{options:?}"), |skeleton, compare| {
            let mut closed = Algorithm1::new(skeleton, options);
            compare(&mut |a, b| closed.before(a, b));
        });
    }
}
