//! Compares the analysis of engine `stream` with that of engine `graph` in models that order whole events,
//! over native files and pipes with blocks of a few operations, whole and cut: the same racy locations, second accesses and, except
//! in model `web`, uncovered locations, and the same classes and labels of the races that both list.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use analysis::{Analysis, Engine, Milestone, ModelChoice, Request, Source, Thresholds};
use codec::Format;
use codec::native::{self, Options};
use order::{EVENT, Model, WEB};
use testkit::generate::page;
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

fn compare(model: &'static Model) {
    let lists = Lists::builtin();
    let choice = ModelChoice { model: Some(model), ..ModelChoice::default() };
    let thresholds = Thresholds { native: 0, log: 0 };
    let (mut compared, mut races, mut common) = (0, 0, 0);
    for seed in 0..300 {
        let bytes = bytes(&page(seed ^ 0xa11a, 30 + (seed as usize * 13) % 250), seed);
        let window = (seed % 4 == 3).then_some(20_000);
        let model_choice = ModelChoice { window, ..choice };
        let graph = Request { model: model_choice, thresholds, ..Request::new(&lists) };
        let stream = Request { engine: Some(Engine::Stream), ..graph };
        let Ok(expected) = analysis::run(
            Source::pipe(&bytes[..], Some(Format::Native)),
            &Request { engine: Some(Engine::Graph), ..graph },
            &go_on,
        ) else {
            continue;
        };
        let sources = [
            Source::pipe(&bytes[..], Some(Format::Native)),
            Source::positioned(bytes.clone(), Some(Format::Native)),
        ];
        let expected = stated(&expected);
        for source in sources {
            let found = analysis::run(source, &stream, &go_on).expect("graph read it");
            if found.diagnostics().iter().any(|d| d.code.name == "decided-early") {
                continue;
            }
            let found = stated(&found);
            let what = format!("seed {seed}, model {}", model.name);
            assert_eq!(found.racy, expected.racy, "{what}");
            assert_eq!(found.seconds, expected.seconds, "{what}");
            if !model.in_browser {
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
