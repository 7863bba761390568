//! What checks cost on programs of the paper's shape. Prints one line a program: sharing, seed,
//! verdicts, seconds.

use robust::{Criterion, Options, Verdict, check};
use testkit::evp::{Sharing, paper_shape};

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(3);
    for sharing in [Sharing::Everything, Sharing::Handlers, Sharing::Nothing] {
        for seed in 0..seeds {
            for size in [(1, 4, 130, 12), (2, 4, 130, 12), (3, 6, 200, 12), (6, 12, 400, 12)] {
                let source = paper_shape(&mut fastrand::Rng::with_seed(seed), sharing, size);
                print!("{sharing:?} seed {seed} {size:?}:");
                for criterion in [Criterion::Determinism, Criterion::Serializability] {
                    let options = Options { criteria: vec![criterion], ..Options::default() };
                    let start = std::time::Instant::now();
                    let report = check("generated", &source, &options).expect("it is valid");
                    let verdict = match &report.verdicts[0].1 {
                        Verdict::Proved { by } => format!("proved {by}"),
                        Verdict::Violated(_) => "violated".into(),
                        Verdict::Unknown { reason } => format!("unknown, {reason}"),
                        Verdict::Unchecked => "unchecked".into(),
                    };
                    let seconds = start.elapsed().as_secs_f64();
                    print!(" {} {verdict} {seconds:.2} s;", criterion.name());
                }
                println!();
            }
        }
    }
}
