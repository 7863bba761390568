//! Compares the analysis of engine `stream` with that of engine `graph`, over native files and pipes with
//! blocks of a few operations, whole and cut: the same racy locations, second accesses and, except in
//! model `web`, uncovered locations, the same labels of the races that both
//! list, and the same classes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use analysis::{Analysis, Engine, Milestone, ModelChoice, Request, Source, Thresholds};
use codec::Format;
use codec::native::{self, Options};
use order::{ANDROID, ASYNCCLOCK, EVENT, EVENTRACER_ANDROID, Model, WEB};
use testkit::completed::ended;
use testkit::generate::{Profile, page, sample};
use trace::{OpId, Trace};
use triage::{FILTERS, Label, Lists};

fn go_on(_: Milestone<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A file of the trace in blocks of a few operations, every third cut at some byte.
fn bytes(trace: &Trace, seed: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = Options { block_bytes: 1 + seed as usize % 400, ..Options::default() };
    native::write(trace, &mut bytes, options).expect("writing to memory");
    if seed % 3 == 1 {
        let kept = bytes.len() / 4 + (seed as usize * 7919) % (bytes.len() * 3 / 4);
        bytes.truncate(kept);
    }
    bytes
}

/// The trace of a file that may be cut, as another file: with the ends of the events that it leaves open,
/// innermost first. The pass ends those with the trace.
fn with_ends(bytes: &[u8]) -> Option<Vec<u8>> {
    let trace = native::read(bytes).ok()?.trace;
    let mut whole = Vec::new();
    native::write(&ended(&trace), &mut whole, Options::default()).expect("writing to memory");
    Some(whole)
}

type Pair = (u32, u32);

/// What a report states of the races.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stated {
    racy: BTreeSet<Vec<u8>>,
    seconds: BTreeSet<u32>,
    uncovered: BTreeSet<Vec<u8>>,
    /// The class of each race and the labels that one pass can give.
    races: BTreeMap<Pair, (&'static str, Vec<Label>)>,
}

fn stated(analysis: &Analysis) -> Stated {
    let trace = analysis.trace();
    let number = |op: OpId| trace.number(op);
    let mut stated = Stated::default();
    for (race, verdict) in analysis.races.races.iter().zip(&analysis.triage.verdicts) {
        let location = trace.names().locations.get(race.location).to_vec();
        if !race.is_covered() {
            stated.uncovered.insert(location.clone());
        }
        stated.racy.insert(location);
        stated.seconds.insert(number(race.second));
        // In model `web`, labels that need the whole trace decide what covers, and so which race is likely
        // harmful.
        let is_page = analysis.rules.model().in_browser;
        let in_one_pass = |label: &&Label| {
            FILTERS.iter().any(|filter| filter.one_pass && filter.label == **label)
                && !(is_page && label.is_harmful())
        };
        let labels = verdict.labels.iter().filter(in_one_pass).copied().collect();
        let pair = (number(race.first), number(race.second));
        stated.races.insert(pair, (race.class.name(), labels));
    }
    stated
}

fn random_trace(model: &Model, seed: u64) -> Trace {
    let (drawn, length) = (seed ^ 0xa11a, 30 + (seed as usize * 13) % 250);
    if model.orders_events() {
        return page(drawn, length);
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    sample(drawn, profile, length)
}

fn compare(model: &'static Model) {
    let lists = Lists::builtin();
    let choice = ModelChoice { model: Some(model), ..ModelChoice::default() };
    let thresholds = Thresholds { native: 0, log: 0 };
    let (mut compared, mut races, mut common) = (0, 0, 0);
    for seed in 0..300 {
        let bytes = bytes(&random_trace(model, seed), seed);
        let window = (seed % 4 == 3).then_some(20_000);
        let model_choice = ModelChoice { window, ..choice };
        let graph = Request { model: model_choice, thresholds, ..Request::new(&lists) };
        let stream = Request { engine: Some(Engine::Stream), ..graph };
        let Some(whole) = with_ends(&bytes) else { continue };
        let graph_alone = Request { engine: Some(Engine::Graph), ..graph };
        let source = Source::pipe(&whole[..], Some(Format::Native));
        let expected = analysis::run(source, &graph_alone, &go_on).expect("it was written");
        let sources = [
            Source::pipe(&bytes[..], Some(Format::Native)),
            Source::positioned(bytes.clone(), Some(Format::Native)).expect("memory"),
        ];
        let expected = stated(&expected);
        for source in sources {
            let found = analysis::run(source, &stream, &go_on).expect("graph read it");
            if found.diagnostics().iter().any(|d| d.code.name == "decided-early") {
                continue;
            }
            // With a window, the pass lists some races of each location and counts the rest.
            let lists_all = found.racy_locations.is_none();
            let found = stated(&found);
            let what = format!("seed {seed}, model {}", model.name);
            assert_eq!(found.racy, expected.racy, "{what}");
            if lists_all {
                assert_eq!(found.seconds, expected.seconds, "{what}");
            } else {
                assert!(found.seconds.is_subset(&expected.seconds), "{what}");
            }
            if lists_all && !model.in_browser {
                assert_eq!(found.uncovered, expected.uncovered, "{what}");
            }
            for (pair, stated) in &found.races {
                if let Some(expected) = expected.races.get(pair) {
                    assert_eq!(stated, expected, "{what}: {pair:?}");
                    common += 1;
                }
            }
            (compared, races) = (compared + 1, races + found.races.len());
        }
    }
    assert!(compared > 150 && races > 300 && common > 200, "{compared} {races} {common}");
    eprintln!("{}: {compared} compared, {races} races, {common} listed by both", model.name);
}

#[test]
fn event() {
    compare(&EVENT);
}

#[test]
fn web() {
    compare(&WEB);
}

#[test]
fn asyncclock() {
    compare(&ASYNCCLOCK);
}

#[test]
fn android() {
    compare(&ANDROID);
}

#[test]
fn eventracer_android() {
    compare(&EVENTRACER_ANDROID);
}
