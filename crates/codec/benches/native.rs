//! Speed and size of the native format on a synthetic trace of event handlers:
//! `cargo bench -p codec --bench native`.
//!
//! Throughput is in accesses; `copy` copies the decoded columns once, a location and a flag an
//! access. The size of each file is printed before its group: bytes an access are what the file
//! grows by over the same file without accesses.

mod workload;

use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use codec::native::{self, Batches, Compression, Options, Writer};
use criterion::{BatchSize, BenchmarkGroup, Criterion, SamplingMode, Throughput};
use criterion::{criterion_group, criterion_main, measurement::WallTime};
use workload::{Event, declared, finished, workload};

const ACCESSES: usize = 10_000_000;

criterion_main!(benches);
criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    targets = native
}

fn native(criterion: &mut Criterion) {
    let events = workload(ACCESSES);
    let accesses: usize = events.iter().map(|e| e.accesses.len()).sum();
    println!("{accesses} accesses in {} events", events.len());
    copy(criterion, accesses);
    for with_sources in [false, true] {
        for compression in [Compression::Zstd(3), Compression::None] {
            let rows = if with_sources { "with source" } else { "plain" };
            let stored = if compression == Compression::None { "as is" } else { "zstd 3" };
            let mut group = criterion.benchmark_group(format!("{rows}, {stored}"));
            group
                .sampling_mode(SamplingMode::Flat)
                .throughput(Throughput::Elements(accesses as u64));
            let options = Options { compression, ..Options::default() };
            measure(&mut group, &events, &|| declared(&events, options, with_sources));
            group.finish();
        }
    }
}

/// Copies as many columns as decoding fills.
fn copy(criterion: &mut Criterion, accesses: usize) {
    let locations = vec![1_u32; accesses];
    let writes = vec![true; accesses];
    let mut group = criterion.benchmark_group("decoded columns");
    group.throughput(Throughput::Elements(accesses as u64));
    group.bench_function("copy", |bencher| {
        let (mut to_locations, mut to_writes) = (locations.clone(), writes.clone());
        bencher.iter(|| {
            to_locations.copy_from_slice(black_box(&locations));
            to_writes.copy_from_slice(black_box(&writes));
            black_box((&to_locations, &to_writes));
        });
    });
    group.finish();
}

fn measure(
    group: &mut BenchmarkGroup<WallTime>,
    events: &[Event],
    writer: &dyn Fn() -> Writer<Vec<u8>>,
) {
    let file: Arc<[u8]> = finished(writer(), events).into();
    let accesses: usize = events.iter().map(|e| e.accesses.len()).sum();
    let empty: Vec<Event> = events.iter().map(Event::without_accesses).collect();
    let tables = finished(writer(), &empty).len();
    println!("{} bytes, {:.2} an access", file.len(), ratio(file.len() - tables, accesses));
    group.bench_function("write", |bencher| {
        bencher.iter_batched(writer, |writer| finished(writer, events), BatchSize::PerIteration);
    });
    group.bench_function("read", |bencher| {
        bencher.iter(|| consume(Batches::new(&file[..])));
    });
    group.bench_function("read, 2 decoding threads", |bencher| {
        bencher.iter(|| consume(Batches::parallel(Cursor::new(Arc::clone(&file)), 2)));
    });
    group.bench_function("read, skeleton only", |bencher| {
        bencher.iter(|| consume(Batches::seeking_skeleton(Cursor::new(&file[..]))));
    });
    group.bench_function("read into a trace", |bencher| {
        bencher.iter(|| native::read(&file[..]).expect("own output").trace.len());
    });
}

fn consume(batches: std::io::Result<Batches<'_>>) -> usize {
    batches
        .expect("memory")
        .map(|batch| {
            let batch = batch.expect("own output");
            black_box(&batch.accesses.locations);
            batch.accesses.len() + batch.runs.len()
        })
        .sum()
}

#[allow(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
