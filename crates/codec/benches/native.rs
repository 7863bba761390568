//! Speed and size of the native format on a synthetic trace of event handlers.
//!
//! `cargo bench -p codec --bench native [-- ACCESSES]`. Every figure is the median of five turns
//! in processor time of one thread (elapsed time where two threads work), and is set against
//! copying the decoded columns once, measured in the same run.

mod clock;

use std::hint::black_box;
use std::io::Cursor;
use std::time::{Duration, Instant};

use clock::{median, rate};
use codec::native::{self, Batches, Compression, Options, Writer};
use fastrand::Rng;
use trace::{Attributes, EventId, LocationId, Op, Source, SourceId, ThreadId};

/// Fields an object has.
const FIELDS: u32 = 16;
const OBJECTS: u32 = 50_000;
const GLOBALS: u32 = 2_000;
/// Different handlers; each is a sequence of accesses that repeats with other objects.
const HANDLERS: usize = 300;

/// An access as a handler's code has it.
#[derive(Clone, Copy)]
enum Site {
    /// A field of the n-th object the event deals with.
    Field {
        object: usize,
        field: u32,
    },
    Global(u32),
}

struct Access {
    location: LocationId,
    write: bool,
    source: SourceId,
}

struct Event {
    thread: ThreadId,
    accesses: Vec<Access>,
}

/// Handlers of 50 to 650 accesses to 8 objects and some globals, a tenth of them data-dependent.
fn workload(total: usize) -> Vec<Event> {
    let mut rng = Rng::with_seed(1);
    let mut sites = 0;
    let handlers: Vec<Vec<(Site, bool, u32)>> = (0..HANDLERS)
        .map(|_| {
            (0..rng.usize(50..650))
                .map(|_| {
                    sites += 1;
                    let site = if rng.u8(0..5) == 0 {
                        Site::Global(rng.u32(0..GLOBALS))
                    } else {
                        Site::Field { object: rng.usize(0..8), field: rng.u32(0..FIELDS) }
                    };
                    (site, rng.u8(0..4) == 0, sites - 1)
                })
                .collect()
        })
        .collect();
    let mut events = Vec::new();
    let mut made = 0;
    while made < total {
        let code = &handlers[rng.usize(0..HANDLERS) * rng.usize(0..HANDLERS) / HANDLERS];
        let objects: Vec<u32> = (0..8).map(|_| rng.u32(0..OBJECTS)).collect();
        let accesses: Vec<Access> = code
            .iter()
            .map(|&(site, write, source)| {
                let location = match site {
                    _ if rng.u8(0..10) == 0 => rng.u32(0..GLOBALS + OBJECTS * FIELDS),
                    Site::Field { object, field } => GLOBALS + objects[object] * FIELDS + field,
                    Site::Global(global) => global,
                };
                Access { location: LocationId(location), write, source: SourceId(source) }
            })
            .collect();
        made += accesses.len();
        events.push(Event { thread: ThreadId(rng.u32(0..4)), accesses });
    }
    events
}

fn write(events: &[Event], options: Options, with_sources: bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).expect("memory takes all");
    declare(&mut writer, events, with_sources);
    let none = Attributes::default();
    for (i, event) in events.iter().enumerate() {
        let id = EventId(i as u32);
        writer.push(event.thread, Op::Begin(id), none).expect("memory takes all");
        for access in &event.accesses {
            let pushed = if with_sources {
                let attributes = Attributes { source: Some(access.source), ..none };
                let at = access.location;
                let op = if access.write { Op::Write(at) } else { Op::Read(at) };
                writer.push(event.thread, op, attributes)
            } else {
                writer.access(event.thread, access.location, access.write)
            };
            pushed.expect("memory takes all");
        }
        writer.push(event.thread, Op::End(id), none).expect("memory takes all");
    }
    writer.finish().expect("memory takes all")
}

fn declare(writer: &mut Writer<Vec<u8>>, events: &[Event], with_sources: bool) {
    for thread in 0..4 {
        writer.names().threads.intern(format!("T{thread}").as_bytes());
    }
    for global in 0..GLOBALS {
        writer.names().locations.intern(format!("global{global}").as_bytes());
    }
    for object in 0..OBJECTS {
        for field in 0..FIELDS {
            writer.names().locations.intern(format!("o{object}.f{field}").as_bytes());
        }
    }
    for event in 0..events.len() {
        writer.names().events.intern(format!("m{event}").as_bytes());
    }
    if with_sources {
        let file = writer.text(b"handlers.js");
        let last = events.iter().flat_map(|e| &e.accesses).map(|a| a.source.0).max();
        for line in 0..=last.unwrap_or(0) {
            writer.source(Source { file, line, column: None });
        }
    }
}

/// The shortest of five elapsed times.
fn elapsed<T, R>(prepare: impl Fn() -> T, work: impl Fn(T) -> R) -> Duration {
    let turn = || {
        let input = prepare();
        let start = Instant::now();
        black_box(work(input));
        start.elapsed()
    };
    (0..5).map(|_| turn()).min().expect("five turns")
}

fn consume(batches: Batches) -> u64 {
    let mut sum = 0;
    for batch in batches {
        let batch = batch.expect("own output");
        sum += batch.accesses.len() as u64 + batch.runs.len() as u64;
        black_box(&batch.accesses.locations);
    }
    sum
}

/// Copies as many columns as decoding fills: a location and a flag an access.
fn copy_time(accesses: usize) -> Duration {
    let locations = vec![1_u32; accesses];
    let writes = vec![true; accesses];
    median(5, || black_box((locations.clone(), writes.clone())).0.len())
}

fn main() {
    let total = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(10_000_000);
    let events = workload(total);
    let accesses: usize = events.iter().map(|e| e.accesses.len()).sum();
    let rate = |time: Duration| rate(accesses, time);
    let copy = copy_time(accesses);
    println!("{accesses} accesses in {} events; copying the columns: {copy:.1?}", events.len());
    println!(
        "| rows | stored | bytes/access | tables | write M/s | read M/s | read 2 threads M/s | read ÷ copy | to Trace M/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for with_sources in [false, true] {
        for compression in [Compression::Zstd(3), Compression::None] {
            let options = Options { compression, ..Options::default() };
            let bytes = write(&events, options, with_sources);
            let empty = write(&empty_like(&events), options, with_sources);
            let write_time = median(5, || write(&events, options, with_sources).len());
            let tables_time =
                median(5, || write(&empty_like(&events), options, with_sources).len());
            let read_time = median(5, || consume(Batches::new(&bytes[..]).expect("memory")));
            let parallel = elapsed(
                || Cursor::new(bytes.clone()),
                |source| consume(Batches::parallel(source, 2).expect("memory")),
            );
            let loading = median(5, || native::read(&bytes[..]).expect("own output").trace.len());
            println!(
                "| {} | {} | {:.2} | {:.1} MB | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
                if with_sources { "with source" } else { "plain" },
                if compression == Compression::None { "as is" } else { "zstd 3" },
                ratio(bytes.len() - empty.len(), accesses),
                ratio(empty.len(), 1_000_000),
                rate(write_time.saturating_sub(tables_time)),
                rate(read_time),
                rate(parallel),
                read_time.as_secs_f64() / copy.as_secs_f64(),
                rate(loading),
            );
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// The same events without their accesses: what names and events cost.
fn empty_like(events: &[Event]) -> Vec<Event> {
    events.iter().map(|e| Event { thread: e.thread, accesses: Vec::new() }).collect()
}
