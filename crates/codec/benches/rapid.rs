//! Speed of reading STD: `cargo bench -p codec --bench rapid [-- EVENTS]`, processor time.

mod clock;

use std::hint::black_box;

use clock::{median, rate};
use codec::rapid;
use fastrand::Rng;

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
    let events = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(20_000_000);
    let text = workload(events);
    let copying = median(3, || black_box(text.clone()).len());
    let reading = median(3, || rapid::read(&text).expect("STD").trace.len());
    let rate = rate(events, reading);
    println!("{events} events, {} bytes: {reading:.2?}, {rate:.1} M events/s", text.len());
    println!("{:.0} times a copy of the text", reading.as_secs_f64() / copying.as_secs_f64());
}
