//! Runs one pass over a native file by itself, and prints its processor time and peak memory:
//! `passes decode|stats|convert|doctor|outline FILE`.
//!
//! `decode` only decodes, and is what the others are compared with. `outline` is the reading that
//! `interloper order` does for operations 0 and 1. All decode on one thread, besides the one that
//! takes the rows; `doctor` has no other thread.

use std::fs::File;
use std::io;

use codec::native::{self, Batches, Options};

fn main() {
    let mut args = std::env::args().skip(1);
    let pass = args.next().expect("decode, stats, convert, doctor or outline");
    let file = File::open(args.next().expect("a native file")).expect("a readable file");
    let found = match pass.as_str() {
        "decode" => {
            let batches = Batches::parallel(file, 1).expect("memory and threads");
            let accesses: usize =
                batches.map(|batch| batch.expect("a whole file").accesses.len()).sum();
            format!("{accesses} accesses")
        }
        "stats" => {
            let census = native::count(file, 1).expect("a native file").census;
            let seconds = census.duration().unwrap_or(0) / 1_000_000_000;
            format!("{} operations, {seconds} s long", census.total())
        }
        "convert" => {
            let read = native::convert(file, 1, io::sink(), Options::default());
            format!("{:?}", read.expect("a native file").extent())
        }
        "doctor" => {
            let report = native::doctor(file).expect("a readable file");
            format!("{} operations", report.readable)
        }
        "outline" => {
            let trace = native::read_outline(file, 1, [0, 1]).expect("a native file").trace;
            format!("{} operations kept", trace.len())
        }
        other => panic!("there is no pass {other}: decode, stats, convert, doctor, outline"),
    };
    println!("{pass}: {found}; {:.2} s of processor time, peak {} MB", seconds(), peak_megabytes());
}

/// The processor time of this process so far, which the kernel counts in hundredths of a second.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit(')').next().expect("a name in parentheses");
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.map(|word| word.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}
