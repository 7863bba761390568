//! Compares the reductions with brute force on random programs.
//!
//! `cargo run --release -p robust --example agree -- det 50000` (or `ser`, with an optional first
//! seed). Prints the counts; exits with status 1 and the program at the first disagreement.

#[path = "../tests/robust/comparison.rs"]
mod comparison;

use comparison::{Tally, compare};
use robust::Criterion;

fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    let criterion = match args.next().as_deref() {
        Some("det") => Criterion::Determinism,
        Some("ser") => Criterion::Serializability,
        _ => {
            eprintln!("usage: agree det|ser COUNT [SEED]");
            return std::process::ExitCode::from(2);
        }
    };
    let count: u64 = args.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let first: u64 = args.next().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    let mut seed = first;
    while tally.decided() < count {
        if let Err(disagreement) = compare(seed, criterion, &mut tally) {
            eprintln!("seed {seed}: {disagreement}");
            return std::process::ExitCode::FAILURE;
        }
        seed += 1;
    }
    println!("{criterion:?}: {tally}");
    std::process::ExitCode::SUCCESS
}
