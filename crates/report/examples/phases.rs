//! Where the time goes on a native file: `cargo run --release -p report --example phases FILE…`.

use std::fs::File;
use std::time::Instant;

use codec::native;
use order::{Graph, Model};

fn main() {
    for path in std::env::args().skip(1) {
        let started = Instant::now();
        let file = File::open(&path).expect("a file");
        let skeleton = native::read_skeleton(file).expect("a native file").trace;
        let read = started.elapsed();
        let model = skeleton.model().and_then(Model::named).unwrap_or(&order::ANDROID);
        let started = Instant::now();
        let graph = Graph::new(&skeleton, &model.default_rules());
        let closed = started.elapsed();
        println!(
            "{path}: {} operations of the skeleton, read {read:.2?}, closed {closed:.2?}",
            skeleton.len()
        );
        println!("  {:?}", graph.stats());
        let told = graph.counters().iter().filter(|(_, n)| *n > 0);
        println!(
            "  {}",
            told.map(|(r, n)| format!("{} {n}", r.name)).collect::<Vec<_>>().join(", ")
        );
    }
}
