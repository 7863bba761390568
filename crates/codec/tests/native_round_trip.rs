//! A trace survives the native format, whatever its block boundaries and however it is read.

use std::io::{Cursor, Read};

use codec::native::{self, Batch, Batches, Compression, Options, Run, Step, Writer};
use codec::text;
use proptest::prelude::*;
use testkit::generate::{Profile, sample};
use testkit::spelled::spelled;
use trace::{LocationId, Op, Trace};

fn profile() -> impl Strategy<Value = Profile> {
    prop_oneof![Just(Profile::Realistic), Just(Profile::Wild)]
}

fn options() -> impl Strategy<Value = Options> {
    let compression = prop_oneof![Just(Compression::None), Just(Compression::Zstd(3))];
    (compression, prop_oneof![1..200_usize, Just(1 << 20)])
        .prop_map(|(compression, block_bytes)| Options { compression, block_bytes })
}

fn written(trace: &Trace, options: Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(trace, &mut bytes, options).expect("memory takes all");
    bytes
}

fn as_text(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    text::write(trace, &mut bytes).expect("memory takes all");
    bytes
}

/// Pushes a trace into a writer with ids of its own, flushing where `flush` says.
fn rewritten(trace: &Trace, options: Options, flush: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).expect("memory takes all");
    *writer.names() = trace.names().clone();
    let sources: Vec<_> = trace.sources().iter().map(|&source| writer.source(source)).collect();
    if let Some(model) = trace.model() {
        writer.set_model(model).expect("memory takes all");
    }
    for thread in trace.names().threads.ids() {
        writer.assign_process(thread, trace.thread(thread).process).expect("memory takes all");
    }
    for location in trace.names().locations.ids() {
        if let Some(kind) = trace.location_kind(location) {
            writer.set_location_kind(location, kind).expect("memory takes all");
        }
    }
    for op in trace.ops() {
        let mut attributes = trace.attributes(op);
        attributes.source = attributes.source.map(|source| sources[source.0 as usize]);
        writer.push(trace.thread_of(op), trace.op(op), attributes).expect("memory takes all");
        if flush(op.0 as usize) {
            writer.flush().expect("memory takes all");
        }
    }
    writer.finish().expect("memory takes all")
}

/// A source that returns one byte at a time.
struct Trickle<R>(R);

impl<R: Read> Read for Trickle<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

fn distinct_accesses_are_those_that_do_not_repeat(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let all = Batches::parallel(Cursor::new(bytes.clone()), 2).expect("memory");
    let distinct = Batches::parallel_distinct(Cursor::new(bytes), 2).expect("memory");
    for (all, distinct) in all.zip(distinct) {
        let (all, distinct) = (all.expect("own output"), distinct.expect("own output"));
        prop_assert!(distinct.accesses.are_plain());
        prop_assert_eq!(&all.sync, &distinct.sync);
        prop_assert_eq!(&all.calls, &distinct.calls);
        prop_assert_eq!(all.operations(), distinct.operations());
        prop_assert_eq!(all.runs.len(), distinct.runs.len());
        for (whole, run) in all.runs.iter().zip(&distinct.runs) {
            prop_assert_eq!(Run { start: run.start, kept: run.kept, ..*whole }, *run);
            let accesses = |batch: &Batch, run: &Run| -> Vec<_> {
                let row = |row| (batch.accesses.locations[row], batch.accesses.writes[row]);
                run.rows().map(row).collect()
            };
            let mut once: Vec<(LocationId, bool)> = Vec::new();
            for (location, write) in accesses(&all, whole) {
                if !once.contains(&(location, true)) && !once.contains(&(location, write)) {
                    once.push((location, write));
                }
            }
            // With so few locations, none displaces another in the table.
            prop_assert_eq!(once, accesses(&distinct, run));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_trace_survives(
        seed: u64,
        profile in profile(),
        operations in 0..400_usize,
        options in options(),
    ) {
        let trace = sample(seed, profile, operations);
        let bytes = written(&trace, options);
        let loaded = native::read(&bytes[..]).expect("own output");
        prop_assert_eq!(spelled(&trace), spelled(&loaded.trace));
        let native: Vec<_> = loaded
            .diagnostics
            .iter()
            .filter(|d| native::anomaly::CODES.contains(&d.code))
            .collect();
        prop_assert_eq!(native, Vec::<&trace::Diagnostic>::new());
    }

    #[test]
    fn text_and_native_agree(seed: u64, profile in profile(), operations in 0..200_usize) {
        let trace = sample(seed, profile, operations);
        let notation = as_text(&trace);
        let from_text = text::read(&notation).expect("own output");
        let bytes = written(&from_text.trace, Options::default());
        let back = native::read(&bytes[..]).expect("own output");
        prop_assert_eq!(as_text(&back.trace), notation);
    }

    #[test]
    fn block_boundaries_do_not_matter(
        seed: u64,
        profile in profile(),
        operations in 0..300_usize,
        options in options(),
        every in 1..40_usize,
    ) {
        let trace = sample(seed, profile, operations);
        let expected = spelled(&trace);
        let bytes = rewritten(&trace, options, |op| op % every == 0);
        prop_assert_eq!(&spelled(&native::read(&bytes[..]).expect("own output").trace), &expected);
        let trickled = native::read(Trickle(&bytes[..])).expect("own output");
        prop_assert_eq!(&spelled(&trickled.trace), &expected);
        let parallel = native::read_parallel(Cursor::new(bytes.clone()), 3).expect("own output");
        prop_assert_eq!(&spelled(&parallel.trace), &expected);
        distinct_accesses_are_those_that_do_not_repeat(bytes)?;
    }

    #[test]
    fn batches_say_what_the_trace_says(
        seed: u64,
        profile in profile(),
        operations in 0..300_usize,
        options in options(),
    ) {
        let trace = sample(seed, profile, operations);
        let bytes = written(&trace, options);
        let mut next = 0_u32;
        let mut batches = Batches::new(&bytes[..]).expect("memory is there");
        for batch in &mut batches {
            let batch = batch.expect("own output");
            for step in batch.steps() {
                let op = trace::OpId(next);
                match step {
                    Step::Sync(row) => {
                        prop_assert_eq!(row.number, u64::from(next));
                        prop_assert_eq!(row.thread, trace.thread_of(op));
                        prop_assert_eq!(row.op, trace.op(op));
                        prop_assert_eq!(row.event, trace.event_of(op));
                        next += 1;
                    }
                    Step::Call(row) => {
                        prop_assert_eq!(row.number, u64::from(next));
                        prop_assert_eq!(row.thread, trace.thread_of(op));
                        next += 1;
                    }
                    Step::Run(run) => {
                        prop_assert_eq!(run.first, u64::from(next));
                        for row in run.rows() {
                            let op = trace::OpId(next);
                            let access = (batch.accesses.locations[row], batch.accesses.writes[row]);
                            prop_assert_eq!(Some(access), trace.op(op).access());
                            prop_assert_eq!(run.thread, trace.thread_of(op));
                            prop_assert_eq!(run.event, trace.event_of(op));
                            prop_assert_eq!(run.stack, trace.stack_of(op));
                            prop_assert_eq!(batch.accesses.attributes(row), trace.attributes(op));
                            next += 1;
                        }
                    }
                }
            }
        }
        prop_assert!(batches.is_closed());
        prop_assert_eq!(next as usize, trace.len());
    }

    #[test]
    fn the_skeleton_is_the_trace_without_accesses_and_calls(
        seed: u64,
        profile in profile(),
        operations in 0..300_usize,
        options in options(),
    ) {
        let trace = sample(seed, profile, operations);
        let bytes = written(&trace, options);
        let expected: Vec<_> = trace
            .ops()
            .filter(|&op| {
                !matches!(trace.op(op), Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave)
            })
            .map(|op| (u64::from(op.0), trace.op(op), trace.event_of(op)))
            .collect();
        for mut batches in [
            Batches::skeleton(&bytes[..]).expect("memory is there"),
            Batches::seeking_skeleton(Cursor::new(&bytes)).expect("memory is there"),
        ] {
            let mut rows = Vec::new();
            for batch in &mut batches {
                rows.extend(batch.expect("own output").sync);
            }
            let rows: Vec<_> = rows.iter().map(|row| (row.number, row.op, row.event)).collect();
            prop_assert_eq!(&rows, &expected);
            prop_assert!(batches.is_closed());
            prop_assert_eq!(batches.operations(), trace.len() as u64);
        }
    }
}

/// A session changes nothing for a reader of operations, wherever it stands, and is read back whole.
#[test]
fn a_session_is_read_back_and_changes_no_trace() {
    let trace = sample(3, Profile::Realistic, 200);
    for (at, block_bytes) in [(0, 7), (5, 64), (usize::MAX, 1 << 20)] {
        let options = Options { compression: Compression::Zstd(3), block_bytes };
        let mut writer = Writer::new(Vec::new(), options).expect("memory takes all");
        *writer.names() = trace.names().clone();
        let payload: Vec<u8> = (0..1000_u32).map(|n| (n * 7 % 251) as u8).collect();
        let (mut left, mut expected) = (Some(&payload), 0);
        for op in trace.ops() {
            if op.0 as usize >= at
                && let Some(payload) = left.take()
            {
                writer.attach_session(payload).expect("memory takes all");
            }
            let attributes = trace::Attributes { source: None, ..trace.attributes(op) };
            writer.push(trace.thread_of(op), trace.op(op), attributes).expect("memory takes all");
            expected += 1;
        }
        if let Some(payload) = left {
            writer.attach_session(payload).expect("memory takes all");
        }
        let bytes = writer.finish().expect("memory takes all");
        let loaded = native::read(Cursor::new(&bytes)).expect("a native file");
        assert_eq!(loaded.completeness.extent(), codec::Extent::Whole);
        assert_eq!(loaded.trace.ops().count(), expected);
        let skeleton = native::read_skeleton(Cursor::new(&bytes)).expect("a native file");
        assert_eq!(skeleton.completeness.extent(), codec::Extent::Whole);
        let read = native::session(Cursor::new(&bytes)).expect("readable");
        assert_eq!(read.as_deref(), Some(&payload[..]));
        let report = native::doctor(Cursor::new(&bytes)).expect("readable");
        assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    }
    let without = written(&trace, Options::default());
    assert_eq!(native::session(Cursor::new(&without)).expect("readable"), None);
}

/// Pictures change nothing for a reader of operations, and are read back; one that is damaged, too large or of an
/// unknown format is left out.
#[test]
fn pictures_are_read_back_and_change_no_trace() {
    use native::{PictureFormat, Screenshot};
    let trace = sample(4, Profile::Realistic, 200);
    let picture = |operation, length| {
        let mut bytes = vec![0xff, 0xd8, 0xff];
        bytes.resize(length, operation as u8);
        Screenshot { operation, format: PictureFormat::Jpeg, bytes }
    };
    let pictures = [picture(0, 300), picture(150, 3), picture(7, 40_000)];
    let options = Options { compression: Compression::None, block_bytes: 64 };
    let mut writer = Writer::new(Vec::new(), options).expect("memory takes all");
    *writer.names() = trace.names().clone();
    for op in trace.ops() {
        let attributes = trace::Attributes { source: None, ..trace.attributes(op) };
        writer.push(trace.thread_of(op), trace.op(op), attributes).expect("memory takes all");
        if let Some(picture) = pictures.get(op.0 as usize) {
            writer.attach_screenshot(picture).expect("memory takes all");
        }
    }
    let unknown = Screenshot { bytes: b"<svg>".to_vec(), ..picture(9, 3) };
    writer.attach_screenshot(&unknown).expect("memory takes all");
    let large = picture(9, Screenshot::LARGEST + 1);
    writer.attach_screenshot(&large).expect("memory takes all");
    let mut bytes = writer.finish().expect("memory takes all");
    let loaded = native::read(Cursor::new(&bytes)).expect("a native file");
    assert_eq!(loaded.completeness.extent(), codec::Extent::Whole);
    assert_eq!(loaded.trace.len(), trace.len());
    let read = native::screenshots(Cursor::new(&bytes)).expect("readable");
    assert_eq!(read, [pictures[0].clone(), pictures[2].clone(), pictures[1].clone()]);
    let inside = bytes.windows(50).position(|part| part == [7; 50]).expect("the last picture");
    bytes[inside] = 8;
    let read = native::screenshots(Cursor::new(&bytes)).expect("readable");
    assert_eq!(read, [pictures[0].clone(), pictures[1].clone()]);
}
