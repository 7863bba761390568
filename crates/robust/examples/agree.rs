//! Compares the verdicts of an engine, and the reductions, with brute force on random programs.
//!
//! `cargo run --release -p robust --features z3 --example agree -- summaries 100000` (or `chc`,
//! with an optional first seed). Prints the counts and every disagreement with its program; exits
//! with status 1 if there is one.

#[path = "../tests/robust/comparison.rs"]
mod comparison;

use comparison::{Tally, compare};
use robust::Engine;

/// The number of programs between two lines of progress.
const PROGRESS: u64 = 5_000;

fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    let engine = match args.next().as_deref() {
        Some("summaries") => Engine::Summaries,
        Some("chc") => Engine::Chc,
        _ => {
            eprintln!("usage: agree summaries|chc COUNT [SEED]");
            return std::process::ExitCode::from(2);
        }
    };
    let count: u64 = args.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let first: u64 = args.next().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    let mut disagreements = 0;
    for seed in first..first + count {
        if let Err(disagreement) = compare(seed, engine, &mut tally) {
            println!("seed {seed}: {disagreement}");
            disagreements += 1;
        }
        if (seed + 1 - first).is_multiple_of(PROGRESS) {
            eprintln!("{tally}; {disagreements} disagree");
        }
    }
    println!(
        "{engine:?}: {tally}; of {} answers {} are violations; {disagreements} disagree",
        tally.decided(),
        tally.violated(),
    );
    std::process::ExitCode::from(u8::from(disagreements > 0))
}
