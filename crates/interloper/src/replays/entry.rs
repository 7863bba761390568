//! What replays of a race have shown, as the report states it.

use replay::{Control, Difference, Differences, Hold, Judgement, Plan};
use report::model::{CauseEntry, RaceEntry};
use report::replay::{DiffEntry, DifferenceEntry, HeldEntry, ReplayEntry, task};

/// The largest number of differences of a kind that are kept.
const KEPT: usize = 50;

/// The evidence of a race that could not be replayed.
pub(super) fn untried(why: &str) -> ReplayEntry {
    ReplayEntry { verdict: "untried".into(), notes: vec![why.to_owned()], ..ReplayEntry::default() }
}

/// The evidence of a race that was replayed.
pub(super) fn entry(
    race: &RaceEntry,
    plan: &Plan,
    held: Option<&Hold>,
    judged: &Judgement,
) -> ReplayEntry {
    let bad = if judged.is_bad_as_recorded() { "recorded" } else { "flip" };
    ReplayEntry {
        verdict: judged.verdict.name().into(),
        kind: judged.kind.map(|kind| kind.name().into()),
        bad: judged.kind.map(|_| bad.into()),
        pair: Some([plan.first.clone(), plan.second.clone()]),
        held: held.map(|hold| HeldEntry {
            at: control(&hold.control),
            until: hold.until.clone(),
            ms: None,
            brief: is_brief(race, &hold.control),
        }),
        diff: differences(&judged.differences),
        masked: judged.masked,
        ..ReplayEntry::default()
    }
}

/// The longest delay of a timer within which nobody gives an input, in milliseconds.
const BRIEF: u64 = 100;

/// Whether what is held takes less time than a person needs to act: the HTML parser, which mostly parses a document
/// without a pause, or a timer with a short delay.
pub(super) fn is_brief(race: &RaceEntry, control: &Control) -> bool {
    let delay = |cause: &CauseEntry| -> Option<u64> {
        let posting = cause.posting.as_deref().unwrap_or("delay=0");
        posting.split(' ').find_map(|word| word.strip_prefix("delay=")?.parse().ok())
    };
    let mut timers =
        race.first.causes.iter().filter(|cause| cause.of_type.as_deref() == Some("timer"));
    let is_short = timers.next().and_then(delay).is_some_and(|delay| delay <= BRIEF);
    control.is_parser() || matches!(control, Control::Task(_)) && is_short
}

fn differences(found: &Differences) -> DiffEntry {
    let entry = |one: &Difference| DifferenceEntry {
        path: one.what.clone(),
        recorded: one.recorded.clone(),
        flipped: one.flipped.clone(),
    };
    let list = |list: &[Difference]| list.iter().take(KEPT).map(entry).collect();
    let (text, dom): (Vec<_>, Vec<_>) =
        found.document.iter().cloned().partition(|one| one.what.ends_with(" text"));
    DiffEntry {
        errors: list(&found.errors),
        lost: list(&found.lost),
        dom: list(&dom),
        text: list(&text),
        requests: list(&found.requests),
        storage: list(&found.storage),
    }
}

/// What is held, in words.
fn control(control: &Control) -> String {
    match control {
        Control::Task(path) => task(path),
        other => other.to_string(),
    }
}
