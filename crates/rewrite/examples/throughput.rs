//! Measures the speed of rewriting: `cargo run --release -p rewrite --example throughput --
//! FILE...`. Prints, for each file, megabytes a second of processor time, and how much longer the
//! code becomes.

#![allow(clippy::cast_precision_loss, reason = "sizes of files")]

use rewrite::{Kind, Options, rewrite};

/// Processor time of all threads of this process, in seconds; Linux counts in hundredths.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat.rsplit(')').next().expect("a name in parentheses").split_whitespace();
    fields.skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>()
        / 100.0
}

fn main() -> std::io::Result<()> {
    println!("| source | MB | MB/s | times longer |\n|---|---|---|---|");
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        let megabytes = source.len() as f64 / 1e6;
        let turns = (40_000_000 / source.len()).max(3);
        let mut length = 0;
        let start = processor_seconds();
        for _ in 0..turns {
            match rewrite(&source, Options::new(Kind::Script, &path)) {
                Ok(done) => length = done.code.len(),
                Err(error) => eprintln!("{path}:{error}"),
            }
        }
        let rate = megabytes * turns as f64 / (processor_seconds() - start);
        let longer = length as f64 / source.len() as f64;
        let name = path.rsplit('/').next().unwrap_or(&path);
        println!("| {name} | {megabytes:.1} | {rate:.1} | {longer:.1} |");
    }
    Ok(())
}
