//! How fast sources are rewritten: `cargo run --release -p rewrite --example throughput -- FILE...`.
//! Prints, for each file, the median of nine turns, and how much longer the code is.

#![allow(clippy::cast_precision_loss, reason = "sizes of files")]

use std::time::Instant;

use rewrite::{Kind, Options, rewrite};

fn main() -> std::io::Result<()> {
    println!("| source | MB | MB/s | times longer |\n|---|---|---|---|");
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        let megabytes = source.len() as f64 / 1e6;
        let mut length = 0;
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let start = Instant::now();
                match rewrite(&source, Options::new(Kind::Script, &path)) {
                    Ok(done) => length = done.code.len(),
                    Err(error) => eprintln!("{path}:{error}"),
                }
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let longer = length as f64 / source.len() as f64;
        let name = path.rsplit('/').next().unwrap_or(&path);
        println!("| {name} | {megabytes:.1} | {:.1} | {longer:.1} |", megabytes / times[4]);
    }
    Ok(())
}
