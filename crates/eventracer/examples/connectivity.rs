//! The paper's Table 3 for one log: time and memory of each connectivity algorithm.
//!
//! `cargo run --release -p eventracer --example connectivity -- LOG [RUNS]`
//!
//! Every algorithm must find the same races. Times are the median of the runs.

use std::time::{Duration, Instant};

use eventracer::access::AccessTable;
use eventracer::compat::CompatCoverage;
use eventracer::connectivity::{Connectivity, Order};
use eventracer::detect::{Race, detect};
use eventracer::graph::Graph;
use eventracer::ids::OpId;
use eventracer::{Analysis, LoggedArcs, prepare, read};
use races::coverage::{Candidate, ChainClocks, Covered, NodeId, cover};

/// The order that this project's coverage uses, over the live ops of a graph and its forward arcs.
struct Ours(ChainClocks);

impl Ours {
    fn of(graph: &Graph) -> Self {
        let ops = (0..graph.len()).map(OpId::new);
        Self(ChainClocks::of_predecessors(ops.map(|op| {
            let forward = move |&before: &OpId| !graph.is_deleted(op) && before < op;
            graph.predecessors(op).filter(forward).map(node)
        })))
    }
}

impl Order for Ours {
    fn le(&self, a: OpId, b: OpId) -> bool {
        self.0.le(node(a), node(b))
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

fn node(op: OpId) -> NodeId {
    NodeId::new(op.index())
}

fn candidate(race: &Race) -> Candidate {
    let (first, second) = (race.first, race.second);
    // Commands of one op stay below 2³², and ops follow each other in the trace.
    let position = (second.op().index() as u64) << 32 | second.command() as u64;
    Candidate { first: node(first.op()), second: node(second.op()), position, may_cover: true }
}

fn order_by(algorithm: Option<Connectivity>, graph: &Graph) -> Box<dyn Order> {
    algorithm.map_or_else(|| Box::new(Ours::of(graph)) as Box<dyn Order>, |it| it.order(graph))
}

fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[runs / 2]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: connectivity LOG [RUNS]");
        std::process::exit(2);
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(20);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (log, _) = read(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    let prepared = prepare(log.clone(), LoggedArcs::All);
    let table = AccessTable::of(&prepared.log);
    println!("{} nodes, {} arcs, {runs} runs", prepared.graph.len(), prepared.graph.arc_count());

    println!("{:<20} {:>12} {:>12} {:>12} {:>7}", "algorithm", "build", "races", "bytes", "count");
    for algorithm in Connectivity::ALL.into_iter().map(Some).chain([None]) {
        let build = median(runs, || drop(order_by(algorithm, &prepared.graph)));
        let order = order_by(algorithm, &prepared.graph);
        let mut races = 0;
        let find = median(runs, || {
            let found = detect(&table, &*order);
            races = found.races.len();
            drop(CompatCoverage::of(&found.races, &*order));
        });
        let name = algorithm.map_or("chain-clocks", Connectivity::name);
        println!("{name:<20} {build:>12.1?} {find:>12.1?} {:>12} {races:>7}", order.bytes());
    }

    let order = Ours::of(&prepared.graph);
    println!("\n{} chains; with chain-clocks:", order.0.chain_count());
    let detection = detect(&table, &order);
    let candidates: Vec<Candidate> = detection.races.iter().map(candidate).collect();
    let open = |state: &&Covered| **state == Covered::Uncovered;
    let uncovered = cover(&order.0, &candidates).states().iter().filter(open).count();
    let row = |name: &str, time: Duration| println!("  {name:<28} {time:>10.1?}");
    row("read", median(runs, || drop(read(&bytes))));
    row("copy of the log", median(runs, || drop(log.clone())));
    row("prepare, with a copy", median(runs, || drop(prepare(log.clone(), LoggedArcs::All))));
    row("order", median(runs, || drop(Ours::of(&prepared.graph))));
    row("accesses", median(runs, || drop(AccessTable::of(&prepared.log))));
    row("races", median(runs, || drop(detect(&table, &order))));
    row("coverage, by the definition", median(runs, || drop(cover(&order.0, &candidates))));
    row("analysis, order given", median(runs, || drop(Analysis::new(&prepared, &order))));
    let whole = median(runs, || {
        let bytes = std::fs::read(&path).expect("read before");
        let (log, _) = read(&bytes).expect("read before");
        let prepared = prepare(log, LoggedArcs::All);
        let order = Ours::of(&prepared.graph);
        drop(Analysis::new(&prepared, &order));
    });
    row("all, from the file", whole);
    println!("  {} races, {uncovered} uncovered by the definition", candidates.len());
}
