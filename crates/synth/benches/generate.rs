//! Measures the speed and the memory of generating traces: `cargo bench -p synth`.
//!
//! Each row is measured in a process of its own, because peak memory is counted for a process. With
//! a profile and a scale as arguments, only that row is measured.

#![allow(clippy::cast_precision_loss, reason = "shown with two decimals")]

use std::fs::{self, File};
use std::io::BufWriter;
use std::process::Command;

use synth::Profile;

const ROWS: [(&str, &str); 9] = [
    ("asyncclock/AnyMemo", "0.01"),
    ("asyncclock/AnyMemo", "0.1"),
    ("asyncclock/AnyMemo", "1"),
    ("asyncclock/NPRNews", "0.1"),
    ("asyncclock/NPRNews", "1"),
    ("asyncclock/VLCPlayer", "1"),
    ("mix/delay", "1"),
    ("mix/delay", "64"),
    ("eventracer-web/max", "1"),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [profile, scale] = args.as_slice() {
        return row(profile, scale.parse().expect("a scale is a number"));
    }
    println!(
        "| profile | scale | operations | M operations/s | bytes/operation | peak MB | chains |"
    );
    println!("|---|---|---|---|---|---|---|");
    let program = std::env::current_exe().expect("the program has a path");
    for (profile, scale) in ROWS {
        // starts: own
        Command::new(&program).args([profile, scale]).status().expect("the program runs");
    }
}

fn row(name: &str, scale: f64) {
    let profile = Profile::named(name).expect("a profile of the catalogue");
    let path = std::env::temp_dir().join(format!("synth-bench-{}.ilt", std::process::id()));
    let sink = BufWriter::new(File::create(&path).expect("a writable directory"));
    let started = processor_seconds();
    let made = synth::generate(name, &profile, (scale, 1), sink, &mut |_, _| {});
    let took = processor_seconds() - started;
    let bytes = fs::metadata(&path).expect("the file is there").len();
    fs::remove_file(&path).expect("the file is ours");
    let (summary, _) = made.expect("there is room on the disk");
    let operations = summary.operations as f64;
    println!(
        "| `{name}` | {scale} | {} | {:.1} | {:.2} | {} | {} |",
        summary.operations,
        operations / took / 1e6,
        bytes as f64 / operations,
        peak_megabytes(),
        summary.chains,
    );
}

/// The processor time of this thread so far, which other work on the machine does not change.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds: u64 =
        stat.split(' ').next().and_then(|word| word.parse().ok()).expect("the first is a number");
    nanoseconds as f64 / 1e9
}

/// The peak memory of this process.
fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux reports VmHWM");
    let kilobytes = peak.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    kilobytes.expect("the first is a number") / 1024
}
