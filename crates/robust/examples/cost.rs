//! What checks cost on programs of the paper's shape. Prints one line a program: sharing, seed,
//! verdicts, seconds.

#[path = "../tests/support/paper_shape.rs"]
mod paper_shape;
#[path = "../tests/support/random.rs"]
mod random;

use paper_shape::{Sharing, paper_shape};
use robust::{Options, Verdict, check};

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(3);
    for sharing in [Sharing::Everything, Sharing::Handlers, Sharing::Nothing] {
        for seed in 0..seeds {
            for size in [(1, 4, 130, 12), (2, 4, 130, 12), (3, 6, 200, 12), (6, 12, 400, 12)] {
                let source = paper_shape(&mut random::Rng::new(seed), sharing, size);
                let start = std::time::Instant::now();
                let report = check("generated", &source, &Options::default()).expect("it is valid");
                let verdicts: Vec<&str> = report
                    .verdicts
                    .iter()
                    .map(|(_, verdict)| match verdict {
                        Verdict::Proved { .. } => "proved",
                        Verdict::Violated(_) => "violated",
                        Verdict::Unknown { .. } => "unknown",
                        Verdict::Unchecked => "unchecked",
                    })
                    .collect();
                let seconds = start.elapsed().as_secs_f64();
                println!("{sharing:?} seed {seed} {size:?}: {} {seconds:.2} s", verdicts.join(" "));
            }
        }
    }
}
