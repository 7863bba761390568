//! Runs one of the four kernels of an analysis by itself: `kernels decode|close|suspects|stream
//! [FILE|PROFILE]`.
//!
//! `script/gate` counts the instructions of each kernel. All run on one thread. The file is read,
//! or a hundredth of a profile generated, before the kernel starts, so a count depends on the code
//! alone.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::{Engine, ModelChoice, Request, Source};
use codec::native::{self, Batches};
use order::{ANDROID, Graph};
use synth::Profile;

fn main() {
    let mut args = std::env::args().skip(1);
    let kernel = args.next().expect("decode, close, suspects or stream");
    let file = file(&args.next().unwrap_or_else(|| "asyncclock/AnyMemo".to_owned()));
    let skeleton = || native::read_skeleton(Cursor::new(&file)).expect("a native file").trace;
    let (result, took) = match kernel.as_str() {
        "decode" => timed(|| format!("{} accesses", kernel_decode(&file))),
        "close" => {
            let skeleton = skeleton();
            timed(|| format!("{:?}", kernel_close(&skeleton).stats()))
        }
        "suspects" => {
            let skeleton = skeleton();
            let graph = Graph::new(&skeleton, &ANDROID.default_rules());
            timed(|| format!("{} racy locations", kernel_suspects(&graph, &file)))
        }
        "stream" => timed(|| format!("{} races", kernel_stream(&file))),
        other => panic!("there is no kernel {other}: decode, close, suspects, stream"),
    };
    println!("{result} in {:.3} s", took.as_secs_f64());
}

fn file(name: &str) -> Vec<u8> {
    let Some(profile) = Profile::named(name) else { return std::fs::read(name).expect("a file") };
    let mut file = Vec::new();
    synth::generate(name, &profile, (0.01, 1), &mut file, &mut |_, _| {}).expect("memory");
    file
}

/// The window of kernel `stream` in nanoseconds: a small part of a hundredth of a profile.
const WINDOW: u64 = 500_000_000;

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (run(), started.elapsed())
}

/// Decodes all accesses.
#[inline(never)]
fn kernel_decode(file: &[u8]) -> usize {
    let batches = Batches::new(Cursor::new(file)).expect("memory");
    batches.map(|batch| batch.expect("a whole file").accesses.len()).sum()
}

/// Closes happens-before over the operations that order others.
#[inline(never)]
fn kernel_close(skeleton: &trace::Trace) -> Graph<'_> {
    Graph::new(skeleton, &ANDROID.default_rules())
}

/// Decodes all accesses, and finds the locations with a race.
#[inline(never)]
fn kernel_suspects(graph: &Graph<'_>, file: &[u8]) -> usize {
    let batches = Batches::distinct(Cursor::new(file)).expect("memory");
    let pass = analysis::find_suspects(graph, batches, 1, &|_| Ok(())).expect("a whole file");
    let suspects = pass.expect("the model orders tasks").suspects;
    suspects.into_iter().filter(|&suspect| suspect).count()
}

/// Analyses a pipe by engine `stream` with a window.
#[inline(never)]
fn kernel_stream(file: &[u8]) -> usize {
    let lists = triage::Lists::builtin();
    let mut request = Request::new(&lists);
    request.engine = Some(Engine::Stream);
    request.model = ModelChoice { window: Some(WINDOW), ..ModelChoice::default() };
    let source = Source::pipe(Cursor::new(file), Some(codec::Format::Native));
    let analysis = analysis::run(source, &request, &|_| ControlFlow::Continue(()));
    analysis.expect("a whole file").races.races.len()
}
