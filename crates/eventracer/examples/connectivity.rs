//! The paper's Table 3 for one log: time and memory of each connectivity algorithm.
//!
//! `cargo run --release -p eventracer --example connectivity -- LOG [RUNS]`
//!
//! Every algorithm must find the same races; the median of the runs is shown.

use std::time::{Duration, Instant};

use eventracer::access::AccessTable;
use eventracer::compat::CompatCoverage;
use eventracer::connectivity::{ChainClocks, Connectivity};
use eventracer::coverage::{Candidate, Covered, cover};
use eventracer::detect::detect;
use eventracer::{Analysis, LoggedArcs, prepare, read};

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
    for connectivity in Connectivity::ALL {
        let build = median(runs, || drop(connectivity.order(&prepared.graph)));
        let order = connectivity.order(&prepared.graph);
        let mut races = 0;
        let find = median(runs, || {
            let found = detect(&table, &*order);
            races = found.races.len();
            drop(CompatCoverage::of(&found.races, &*order));
        });
        let name = connectivity.name();
        println!("{name:<20} {build:>12.1?} {find:>12.1?} {:>12} {races:>7}", order.bytes());
    }

    let order = ChainClocks::of_graph(&prepared.graph);
    println!("\n{} chains; with {}:", order.chain_count(), Connectivity::ChainClocks.name());
    let detection = detect(&table, &order);
    let candidates: Vec<Candidate> = detection.races.iter().map(Candidate::from).collect();
    let open = |state: &&Covered| **state == Covered::Uncovered;
    let uncovered = cover(&order, &candidates).states().iter().filter(open).count();
    let step = |name: &str, time: Duration| println!("  {name:<28} {time:>10.1?}");
    step("read", median(runs, || drop(read(&bytes))));
    step("copy of the log", median(runs, || drop(log.clone())));
    step("prepare, with a copy", median(runs, || drop(prepare(log.clone(), LoggedArcs::All))));
    step("order", median(runs, || drop(ChainClocks::of_graph(&prepared.graph))));
    step("accesses", median(runs, || drop(AccessTable::of(&prepared.log))));
    step("races", median(runs, || drop(detect(&table, &order))));
    step("coverage, by the definition", median(runs, || drop(cover(&order, &candidates))));
    step("analysis, order given", median(runs, || drop(Analysis::new(&prepared, &order))));
    let whole = median(runs, || {
        let bytes = std::fs::read(&path).expect("read before");
        let (log, _) = read(&bytes).expect("read before");
        let prepared = prepare(log, LoggedArcs::All);
        let order = ChainClocks::of_graph(&prepared.graph);
        drop(Analysis::new(&prepared, &order));
    });
    step("all, from the file", whole);
    println!("  {} races, {uncovered} uncovered by the definition", candidates.len());
}
