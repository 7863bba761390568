//! Speed of reading STD into a trace: `cargo bench -p codec --bench rapid`. `script/bench-std`
//! measures the whole way from a log to its report.

use std::hint::black_box;
use std::time::Duration;

use codec::rapid;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use fastrand::Rng;

const EVENTS: usize = 2_000_000;

criterion_main!(benches);
criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_secs(1));
    targets = rapid
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

fn rapid(criterion: &mut Criterion) {
    let text = workload(EVENTS);
    println!("{EVENTS} events, {} bytes", text.len());
    let mut group = criterion.benchmark_group("STD");
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(EVENTS as u64));
    group.bench_function("read into a trace", |bencher| {
        bencher.iter(|| rapid::read(&text).expect("STD").trace.len());
    });
    group.bench_function("copy", |bencher| bencher.iter(|| black_box(text.clone()).len()));
    group.finish();
}
