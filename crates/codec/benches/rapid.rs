//! Speed of reading STD: `cargo bench -p codec --bench rapid [-- EVENTS]`, processor time.

use std::time::Duration;

use codec::rapid;
use fastrand::Rng;

fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = stat.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the first word is a number"))
}

/// Fifty threads that take turns of a few events, on 100,000 variables under 200 locks.
fn workload(events: usize) -> Vec<u8> {
    let mut rng = Rng::with_seed(1);
    let mut text = Vec::with_capacity(events * 20);
    let mut thread = 0;
    for _ in 0..events {
        if rng.u8(0..5) == 0 {
            thread = rng.u32(0..50);
        }
        let position = rng.u32(0..20_000);
        let line = match rng.u8(0..20) {
            0 => format!("T{thread}|acq(L{})|{position}\n", rng.u32(0..200)),
            1 => format!("T{thread}|rel(L{})|{position}\n", rng.u32(0..200)),
            2..7 => format!("T{thread}|w(V{})|{position}\n", rng.u32(0..100_000)),
            _ => format!("T{thread}|r(V{})|{position}\n", rng.u32(0..100_000)),
        };
        text.extend_from_slice(line.as_bytes());
    }
    text
}

fn main() {
    let events = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(20_000_000);
    let text = workload(events);
    let start = processor_time();
    let copy = std::hint::black_box(text.clone()).len();
    let copying = processor_time() - start;
    let mut times: Vec<Duration> = (0..3)
        .map(|_| {
            let start = processor_time();
            std::hint::black_box(rapid::read(&text).expect("STD").trace.len());
            processor_time() - start
        })
        .collect();
    times.sort();
    let rate = events as f64 / times[1].as_secs_f64() / 1e6;
    println!("{events} events, {copy} bytes: {:.2?}, {rate:.1} M events/s", times[1]);
    println!("{:.0} times a copy of the text", times[1].as_secs_f64() / copying.as_secs_f64());
}
