//! Tests what every caller of `run` relies on: an input gives the same races however it is read,
//! operations that are kept can be explained, and the watch can stop the analysis at every
//! milestone.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::ops::ControlFlow;

use analysis::{Analysis, Engine, Error, Milestone, Request, Source, Thresholds, Unsuitable};
use codec::{Extent, Format};
use order::{Explanation, HappensBefore, Step};
use races::PairMode;
use testkit::generate::{Profile, sample};
use trace::{OpId, Trace};
use triage::Lists;

fn go_on(_: Milestone<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn written(trace: &Trace, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    format.write(trace, &mut bytes).expect("writing to memory");
    bytes
}

/// Returns races by the numbers of their operations, with their ranks.
fn ranks(analysis: &Analysis) -> Vec<(u32, u32, u32)> {
    let races = analysis.races.races.iter().zip(&analysis.triage.verdicts);
    let number = |op: OpId| analysis.trace().number(op);
    races.map(|(race, v)| (number(race.first), number(race.second), v.rank)).collect()
}

const ALL: Thresholds = Thresholds { native: 0, log: 0 };

#[test]
fn a_file_a_pipe_and_a_trace_give_the_same_races() {
    let lists = Lists::builtin();
    let request = Request { thresholds: ALL, ..Request::new(&lists) };
    let (mut races, mut excerpts) = (0, 0);
    for seed in 0..60 {
        let trace = sample(seed, Profile::Realistic, 200);
        let native = written(&trace, Format::Native);
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&native).expect("room");
        let file = Source::file(file, None).expect("metadata");
        let loaded = codec::native::read(&native[..]).expect("a whole file");
        let found: Vec<Analysis> = [
            file,
            Source::pipe(&native[..], None),
            Source::positioned(native.clone(), Some(Format::Native)).expect("memory"),
            Source::loaded(Format::Native, loaded),
        ]
        .into_iter()
        .map(|source| analysis::run(source, &request, &go_on).expect("a whole trace"))
        .collect();
        for other in &found {
            assert_eq!(ranks(other), ranks(&found[0]), "seed {seed}");
            assert_eq!(other.counts, found[0].counts, "seed {seed}");
            assert_eq!(other.completeness().extent(), Extent::Whole);
        }
        races += found[0].races.races.len();
        excerpts += usize::from(found[0].trace().is_excerpt());
    }
    assert!(races > 100 && excerpts > 20, "{races} races, {excerpts} excerpts");
}

#[test]
fn explanations_of_an_excerpt_are_those_of_the_whole() {
    let lists = Lists::builtin();
    let (mut unordered, mut ordered) = (0, 0);
    for seed in 0..30 {
        let native = written(&sample(seed, Profile::Realistic, 150), Format::Native);
        let request = Request { thresholds: ALL, ..Request::new(&lists) };
        let run = |source| analysis::run(source, &request, &go_on).expect("a whole trace");
        let part = run(Source::positioned(native.clone(), None).expect("memory"));
        let whole = run(Source::pipe(&native[..], None));
        let numbers: Vec<u32> = part.trace().ops().map(|op| part.trace().number(op)).collect();
        for pair in numbers.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let rules = |analysis: &Analysis| match analysis.explain(a, b).expect("both are kept") {
                Explanation::Before(steps) => {
                    let number = |op| analysis.trace().number(op);
                    let step = |s: &Step| (number(s.from), number(s.to), s.rule.name);
                    steps.iter().map(step).collect()
                }
                Explanation::Unordered { .. } => Vec::new(),
                other => unreachable!("{other:?}, and {a} comes first"),
            };
            assert_eq!(rules(&part), rules(&whole), "seed {seed}: {a} and {b}");
            let is_unordered = rules(&part).is_empty();
            unordered += usize::from(is_unordered);
            ordered += usize::from(!is_unordered);
            let order = whole.order().expect("kept");
            assert_eq!(order.unordered(OpId(a), OpId(b)), is_unordered);
        }
        let absent = whole.counts.operations as u32;
        assert!(matches!(whole.explain(0, absent), Err(Error::NoOperation(n)) if n == absent));
    }
    assert!(unordered > 50 && ordered > 50, "{unordered} unordered, {ordered} ordered");
}

#[test]
fn engine_stream_keeps_no_order_and_says_so() {
    let lists = Lists::builtin();
    let log = b"T0|w(V1)|1\nT1|w(V1)|2\n".to_vec();
    let request = Request { engine: Some(Engine::Stream), thresholds: ALL, ..Request::new(&lists) };
    for source in
        [Source::positioned(log.clone(), None).expect("memory"), Source::pipe(&log[..], None)]
    {
        let analysis = analysis::run(source, &request, &go_on).expect("an STD log");
        assert_eq!(ranks(&analysis), [(0, 1, 1)]);
        assert!(matches!(analysis.explain(0, 1), Err(Error::NoOrder)));
    }
    let all = Request { pairs: PairMode::All, ..request };
    let refused = analysis::run(Source::pipe(&log[..], None), &all, &go_on);
    assert!(matches!(refused, Err(Error::Unsuitable(Unsuitable::StreamAllPairs))));
}

fn name(milestone: Milestone<'_>) -> &'static str {
    match milestone {
        Milestone::Read(_) => "read",
        Milestone::Closing { .. } => "closing",
        Milestone::Closed { .. } => "closed",
        Milestone::Passed(_) => "passed",
        Milestone::FoundSuspects { .. } => "found suspects",
        Milestone::Streaming { .. } => "streaming",
        Milestone::Streamed(_) => "streamed",
        Milestone::Race(_) => "race",
        Milestone::Detected { races, trace } => {
            assert!(races.races.iter().all(|race| trace.op(race.first).access().is_some()));
            "detected"
        }
        Milestone::Judged => "judged",
    }
}

#[test]
fn the_watch_stops_the_analysis_at_every_milestone() {
    let lists = Lists::builtin();
    let trace = sample(5, Profile::Realistic, 200);
    let (native, text) = (written(&trace, Format::Native), written(&trace, Format::Text));
    let log = b"T0|w(V1)|1\nT1|w(V1)|2\n".to_vec();
    let sources: [(&dyn Fn() -> Source<'static>, &[&str]); 3] = [
        (
            &|| Source::positioned(native.clone(), None).expect("memory"),
            &["read", "closing", "closed", "passed", "found suspects", "detected", "judged"],
        ),
        (
            &|| Source::pipe(std::io::Cursor::new(text.clone()), None),
            &["read", "closing", "closed", "detected", "judged"],
        ),
        (&|| Source::positioned(log.clone(), None).expect("memory"), &["read"]),
    ];
    for (source, expected) in sources {
        let request = Request { thresholds: ALL, ..Request::new(&lists) };
        let heard = RefCell::new(Vec::new());
        let finished = analysis::run(source(), &request, &|milestone| {
            heard.borrow_mut().push(name(milestone));
            ControlFlow::Continue(())
        });
        assert!(finished.is_ok());
        let heard = heard.into_inner();
        let mut kinds = heard.clone();
        kinds.dedup();
        assert_eq!(kinds, expected);
        for (stop, milestone) in heard.iter().enumerate() {
            let count = Cell::new(0);
            let stopped = analysis::run(source(), &request, &|_| {
                count.set(count.get() + 1);
                if count.get() > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(matches!(stopped, Err(Error::Stopped)), "at {stop}, {milestone}");
            assert_eq!(count.get(), stop + 1, "nothing is heard after the stop");
        }
    }
}
