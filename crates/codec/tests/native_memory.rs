//! Reading a file in batches takes the same memory however long the file is.
//!
//! Each length is read by a process of its own, whose peak the kernel counts. The lengths in
//! docs/benchmarks.md: `INTERLOPER_MEMORY_ACCESSES=10000000 cargo test --release -p codec --test
//! native_memory -- --nocapture`.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use codec::native::{Batches, Options, Writer};
use trace::{Attributes, EventId, LocationId, Op, ThreadId};

/// The environment variable with the file that the reading process reads.
const READ: &str = "INTERLOPER_MEMORY_FILE";

/// Writes events of 1,000 accesses each on 10,000 locations. All events have the same message,
/// because memory grows with the number of names.
fn record(path: &Path, accesses: u32) {
    let sink = File::create(path).expect("writable");
    let mut writer = Writer::new(sink, Options::default()).expect("writable");
    let thread = ThreadId(0);
    writer.names().threads.intern(b"t");
    writer.names().events.intern(b"m");
    for location in 0..10_000 {
        writer.names().locations.intern(format!("x{location}").as_bytes());
    }
    for access in 0..accesses {
        if access.is_multiple_of(1000) {
            let op = if access == 0 { Op::Begin(EventId(0)) } else { Op::Init };
            writer.push(thread, op, Attributes::default()).expect("writable");
        }
        let location = LocationId(access.wrapping_mul(2_654_435_761) % 10_000);
        writer.access(thread, location, access % 4 == 0).expect("writable");
    }
    writer.finish().expect("writable");
}

/// The most memory this process ever had, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The body of the other process. It is no test of its own.
#[test]
fn read_the_file() {
    let Some(path) = std::env::var_os(READ) else { return };
    let file = File::open(path).expect("there");
    let accesses: usize = Batches::new(file)
        .expect("memory")
        .map(|batch| batch.expect("own output").accesses.len())
        .sum();
    println!("peak {} accesses {accesses}", peak());
}

fn peak_of_reading(path: &Path, accesses: u32) -> u64 {
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["read_the_file", "--exact", "--nocapture"])
        .env(READ, path)
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let words: Vec<&str> = said.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().position(|w| *w == word).unwrap_or_else(|| panic!("{said}"));
        words[at + 1].parse::<u64>().expect("a number")
    };
    assert_eq!(after("accesses"), u64::from(accesses));
    after("peak")
}

#[test]
fn ten_times_the_file_takes_the_same_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.ilt");
    let asked = std::env::var("INTERLOPER_MEMORY_ACCESSES").ok();
    let accesses = asked.map_or(1_000_000, |text| text.parse().expect("a number"));
    let [short, long] = [accesses, 10 * accesses].map(|accesses| {
        record(&path, accesses);
        let bytes = std::fs::metadata(&path).expect("written").len();
        let peak = peak_of_reading(&path, accesses);
        println!("{accesses} accesses, {bytes} bytes: peak {peak} kB");
        peak
    });
    assert!(long < short + 4096, "{short} kB became {long} kB");
}
