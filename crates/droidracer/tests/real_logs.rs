//! Reproduces, byte for byte, the tool's own output at the end of real logs from phones.
//!
//! The comparison of trailers excludes nothing. That of the counter line excludes the two times at
//! its beginning.

use droidracer::base::OpId;
use droidracer::closure::{Explainer, close, close_slowly};
use droidracer::log::{AbcLog, parse};
use droidracer::rules::{Rule, RuleSet};
use droidracer::trailer::Trailer;
use droidracer::{Analysis, analyse};
use testkit::shared_data::shared_data;

const REMINDME: &str = "droidracer/remindme.abc_log.txt";
const AARDDICT: &str = "em-explorer/aarddict.abc_log.txt";
const MUSIC: &str = "em-explorer/music.abc_log.txt";

fn read(name: &str) -> Option<(Vec<u8>, AbcLog)> {
    let bytes = std::fs::read(shared_data(name)?).expect("the log can be read");
    let (log, _) = parse(&bytes).expect("the log parses");
    Some((bytes, log))
}

fn analyse_without(name: &str, rule: Rule) -> Option<Analysis> {
    let (_, log) = read(name)?;
    Some(analyse(&log, RuleSet::ALL.without(rule)).0)
}

/// Returns the tool's output at the end of a log: from three lines before its title, without
/// operations.
fn tool_trailer(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).expect("the real logs are ASCII");
    let title = text.find(" HB Graph \n").expect("the log has a report");
    let is_report = |line: &&str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() == line.len() && !line.starts_with("rwId:")
    };
    text[title - " \n \n \n".len()..].split_inclusive('\n').filter(is_report).collect()
}

#[track_caller]
fn check_trailer(name: &str, operations: usize, pairs: usize) {
    let Some((bytes, log)) = read(name) else { return };
    let (analysis, anomalies) = analyse(&log, RuleSet::ALL);
    assert_eq!(anomalies, []);
    assert_eq!(analysis.base.len(), operations);
    assert_eq!(analysis.races.printed.len(), pairs);
    let ours = Trailer::new(&analysis, &log.names).to_string();
    for (number, (ours, tools)) in ours.lines().zip(tool_trailer(&bytes).lines()).enumerate() {
        assert_eq!(ours, tools, "line {number} of the trailer");
    }
    assert_eq!(ours, tool_trailer(&bytes));
}

#[test]
fn the_trailer_of_remindme() {
    check_trailer(REMINDME, 1041, 54);
}

#[test]
fn the_trailer_of_aarddict() {
    check_trailer(AARDDICT, 578, 1);
}

#[test]
fn the_trailer_of_music() {
    check_trailer(MUSIC, 376, 8);
}

#[test]
fn the_counters_of_remindme() {
    let Some((_, log)) = read(REMINDME) else { return };
    let Some(path) = shared_data("droidracer/remindme.pldi-race.log") else { return };
    let line = std::fs::read_to_string(path).expect("the race log can be read");
    let (_times, counters) = line.split_once("#trace").expect("it has counters");
    let (analysis, _) = analyse(&log, RuleSet::ALL);
    assert_eq!(analysis.counters.to_string(), format!("#trace{}", counters.trim_end()));
}

#[test]
fn a_report_depends_on_fifo_and_on_lifecycle_enables() {
    let Some(without_fifo) = analyse_without(REMINDME, Rule::Fifo) else { return };
    assert_eq!(without_fifo.races.printed.len(), 107);
    let without_enables = analyse_without(REMINDME, Rule::EnableLifecycle).expect("it was there");
    assert_eq!(without_enables.races.printed.len(), 97);
}

#[test]
fn the_fast_closure_is_the_slow_one() {
    for name in [REMINDME, AARDDICT, MUSIC] {
        let Some((_, log)) = read(name) else { return };
        let (analysis, _) = analyse(&log, RuleSet::ALL);
        assert_eq!(analysis.relation, close_slowly(&analysis.base), "{name}");
    }
}

#[test]
fn every_pair_of_music_is_explained() {
    let Some((_, log)) = read(MUSIC) else { return };
    let (analysis, _) = analyse(&log, RuleSet::ALL);
    let explainer = Explainer::new(&analysis.base);
    let relation = close(&analysis.base);
    let ids = || (0..analysis.base.len() as u32).map(OpId);
    for (a, b) in ids().flat_map(|a| ids().map(move |b| (a, b))) {
        let why = explainer.why(a, b);
        assert_eq!(why.is_some(), relation.before(a, b), "{a:?} {b:?}");
        let Some(steps) = why else { continue };
        assert_eq!((steps[0].from, steps[steps.len() - 1].to), (a, b));
        assert!(steps.windows(2).all(|two| two[0].to == two[1].from));
        assert!(steps.iter().all(|step| relation.before(step.from, step.to)));
    }
}

#[test]
fn an_enable_explains_a_resume_of_remindme() {
    let Some((_, log)) = read(REMINDME) else { return };
    let (analysis, _) = analyse(&log, RuleSet::ALL);
    let op = |source| {
        let position = analysis.base.ops().iter().position(|op| op.source == source);
        OpId(position.expect("the operation is in the graph") as u32)
    };
    let explainer = Explainer::new(&analysis.base);
    let steps = explainer.why(op(558), op(563)).expect("the blank RESUME enables this one");
    assert_eq!(steps.iter().map(|step| step.rule).collect::<Vec<_>>(), [Rule::EnableLifecycle]);
    assert!(explainer.why(op(563), op(712)).is_none(), "the triggers of the co-enabled races");
}
