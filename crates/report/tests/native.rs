//! Checks that a native file gives the same report whether it is read in passes or held in memory.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::ops::ControlFlow;

use analysis::{Milestone, ModelChoice, Request, Source, Thresholds};
use codec::Format;
use codec::native::{self, Batches, Options};
use order::{Graph, MODELS, Model};
use races::PairMode;
use report::Report;
use testkit::generate::{Profile, sample};
use trace::Trace;
use triage::Lists;

/// Returns the file of a trace, in blocks of a few operations.
fn file(trace: &Trace, block_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = Options { block_bytes, ..Options::default() };
    native::write(trace, &mut bytes, options).expect("writing to memory");
    bytes
}

fn in_memory(bytes: &[u8], request: &Request<'_>) -> Report {
    let source = Source::pipe(bytes, Some(Format::Native));
    Report::of(&analysis::run(source, request, &go_on).expect("a whole file"))
}

fn go_on(_: Milestone<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Analyses a file both ways and compares the reports. Returns the number of races, if the file was
/// read in passes.
fn compare(bytes: &[u8], model: &'static Model, pairs: PairMode, what: &str) -> Option<usize> {
    let lists = Lists::builtin();
    let model = ModelChoice { model: Some(model), ..ModelChoice::default() };
    let thresholds = Thresholds { native: 0, ..Thresholds::default() };
    let request = Request { model, pairs, thresholds, ..Request::new(&lists) };
    let passed = Cell::new(false);
    let source = Source::positioned(bytes.to_vec(), Some(Format::Native)).expect("memory");
    let found = analysis::run(source, &request, &|milestone| {
        passed.set(passed.get() || matches!(milestone, Milestone::FoundSuspects { .. }));
        ControlFlow::Continue(())
    });
    let found = found.expect("the file's start");
    if !passed.get() || !found.trace().is_excerpt() {
        return None;
    }
    let (found, expected) = (Report::of(&found), in_memory(bytes, &request));
    let races = found.races.len();
    let (found, expected) = (
        serde_json::to_string_pretty(&found).expect("plain data"),
        serde_json::to_string_pretty(&expected).expect("plain data"),
    );
    let differs = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}");
    assert_eq!(found.len(), expected.len(), "{what}");
    Some(races)
}

#[test]
fn passes_give_the_same_report() {
    let (mut passed, mut races) = (0, 0);
    for seed in 0..1200 {
        let profile = if seed % 3 == 0 { Profile::Wild } else { Profile::Realistic };
        let trace = sample(seed ^ 0x0061_7469, profile, 20 + (seed as usize * 13) % 300);
        let model = MODELS[seed as usize % MODELS.len()];
        let pairs = if seed % 4 == 0 { PairMode::All } else { PairMode::Candidates };
        let bytes = file(&trace, 1 + seed as usize % 400);
        let what = format!("seed {seed}, model {}", model.name);
        let Some(found) = compare(&bytes, model, pairs, &what) else { continue };
        passed += 1;
        races += found;
    }
    assert!(passed > 300 && races > 1000, "{passed} passed, {races} races");
}

#[test]
fn passes_give_the_same_report_where_the_file_is_damaged() {
    let (mut passed, mut races) = (0, 0);
    for seed in 2000..3200_usize {
        let trace = sample(seed as u64 ^ 0x6461_6d61, Profile::Realistic, 20 + seed * 13 % 300);
        let model = MODELS[seed % MODELS.len()];
        let mut bytes = file(&trace, 1 + seed % 400);
        let place = bytes.len() / 4 + seed * 7919 % (bytes.len() * 3 / 4);
        if (seed / MODELS.len()).is_multiple_of(2) {
            bytes.truncate(place);
        } else {
            bytes[place] ^= 1 << (seed % 8);
        }
        let what = format!("seed {seed}, model {}, damaged at {place}", model.name);
        let found = compare(&bytes, model, PairMode::All, &what);
        let Some(found) = found else { continue };
        passed += 1;
        races += found;
    }
    assert!(passed > 300 && races > 1000, "{passed} passed, {races} races");
}

/// Checks that every cut and every flipped byte of a small file gives the same report in passes and
/// in memory, and so the same completeness.
#[test]
fn every_cut_and_every_flip_is_judged_alike() {
    let trace = sample(0x6a75, Profile::Realistic, 80);
    let bytes = file(&trace, 150);
    let mut seen = BTreeMap::new();
    let mut judge = |bytes: &[u8], what: &str| {
        if compare(bytes, &order::ANDROID, PairMode::All, what).is_some() {
            let input = in_memory(bytes, &Request::new(&Lists::builtin())).input;
            *seen.entry(input.completeness.name()).or_insert(0) += 1;
        }
    };
    for cut in 0..=bytes.len() {
        judge(&bytes[..cut], &format!("cut at {cut}"));
    }
    for at in 4..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        judge(&damaged, &format!("byte {at}"));
    }
    assert_eq!(seen["whole"], 1);
    assert_eq!(seen.values().sum::<usize>(), 2 * bytes.len() - 3, "{seen:?}");
    assert!(["tail-missing", "damaged", "nothing"].iter().all(|name| seen[name] > 50), "{seen:?}");
}

#[test]
fn it_does_not_matter_how_many_lanes_there_are() {
    let mut suspects = 0;
    for seed in 0..150 {
        let trace = sample(seed ^ 0x6c61_6e65, Profile::Realistic, 20 + (seed as usize * 13) % 300);
        let rules = MODELS[seed as usize % MODELS.len()].default_rules();
        let bytes = file(&trace, 1 + seed as usize % 400);
        let skeleton = native::read_skeleton(Cursor::new(&bytes)).expect("a whole file").trace;
        let graph = Graph::new(&skeleton, &rules);
        let found = |lanes| {
            let batches = Batches::distinct(&bytes[..]).expect("memory");
            let passed =
                analysis::find_suspects(&graph, batches, lanes, &|_| Ok(())).expect("a whole file");
            passed.map(|pass| {
                let locations = pass.suspects.iter().enumerate();
                let racy: Vec<usize> = locations.filter_map(|(i, &is)| is.then_some(i)).collect();
                (racy, pass.operations, pass.accesses)
            })
        };
        let one = found(1);
        for lanes in 2..5 {
            assert_eq!(found(lanes), one, "seed {seed}, {lanes} lanes");
        }
        suspects += one.map_or(0, |(racy, ..)| racy.len());
    }
    assert!(suspects > 100, "{suspects} suspects");
}
