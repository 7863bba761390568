//! What is said about a run of an app beside the report: how it ended, which race may explain a
//! crash, and which steps lead to a race.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use report::Report;
use report::model::{AccessEntry, RaceEntry};
use report::name::{printable, printable_message};

use super::driver::End;
use crate::output;

/// How many lines of a stack are shown.
const STACK: usize = 20;
/// For how many races the steps are printed.
const PRINTED: usize = 5;

/// Says how the app ended. Fails if the recorder is to blame.
pub(super) fn conclude(end: Option<End>, file: &str) -> Result<()> {
    let kept = format!("what was recorded until then: interloper check {file}");
    let shown = |text: &str| {
        let lines = text.lines().take(STACK).map(|line| printable_message(line.trim()));
        lines.collect::<Vec<_>>().join("\n  ")
    };
    match end {
        None => {}
        Some(End::Crash(stack)) => {
            output::note(format_args!("the app crashed:\n  {}", shown(&stack)));
        }
        Some(End::Exit(status)) => {
            output::note(format_args!("the app ended its process, with status {status}"));
        }
        Some(End::Hang(stack)) => output::note(format_args!(
            "the app hangs: its main thread does not come out of an event:\n  {}",
            shown(&stack)
        )),
        Some(End::Full) => {
            output::note("the recording has reached its largest size; the app was ended");
        }
        Some(End::Stopped) => output::note("stopped"),
        Some(End::Died(how)) => {
            bail!("the Java process of the app died: {}\n{kept}", shown(&how))
        }
        Some(End::Failed(why)) => bail!("the app cannot be run: {}\n{kept}", shown(&why)),
    }
    Ok(())
}

/// Returns the stack of a crash.
pub(super) fn stack(end: Option<&End>) -> Option<&str> {
    match end {
        Some(End::Crash(stack)) => Some(stack),
        _ => None,
    }
}

fn open_races(report: &Report) -> Vec<&RaceEntry> {
    let mut open: Vec<&RaceEntry> = report.races.iter().filter(|race| race.is_open()).collect();
    open.sort_by_key(|race| race.rank);
    open
}

/// Names the races with an access on a line of a crash's stack.
pub(super) fn explain(report: &Report, stack: &str) {
    let lines: Vec<String> = stack.lines().filter_map(place).collect();
    let at = |access: &AccessEntry| {
        access.source.as_ref().map(|source| format!("{}:{}", source.file, source.line))
    };
    let explains = |race: &&&RaceEntry| {
        [&race.first, &race.second].iter().any(|one| at(one).is_some_and(|at| lines.contains(&at)))
    };
    for race in open_races(report).iter().filter(explains) {
        output::note(format_args!(
            "the race on {} (rank {}) may explain the crash",
            printable(&race.location),
            race.rank
        ));
    }
}

/// Returns the file and line of a frame: of `at com.example.A$1.run(A.java:5)` it is
/// `com/example/A.java:5`.
fn place(frame: &str) -> Option<String> {
    let (function, source) = frame.trim().strip_prefix("at ")?.split_once('(')?;
    let (class, _) = function.rsplit_once('.')?;
    let (package, _) = class.rsplit_once('.').unwrap_or(("", class));
    Some(format!("{}/{}", package.replace('.', "/"), source.strip_suffix(')')?))
}

/// Prints the steps that led to the first races.
pub(super) fn print_steps(report: &Report) {
    for race in open_races(report).iter().take(PRINTED) {
        let Some(recording) = &race.recording else { continue };
        let steps = Path::new(recording).with_extension("steps");
        let text = fs::read_to_string(&steps).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(printable_message).collect();
        output::note(format_args!(
            "the race on {} (rank {}): --steps {}\n  {}",
            printable(&race.location),
            race.rank,
            steps.display(),
            lines.join("\n  ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_place_of_an_access() {
        let frame = "\tat com.example.shop.Shop$1.onClick(Shop.java:48)";
        assert_eq!(place(frame).as_deref(), Some("com/example/shop/Shop.java:48"));
        assert_eq!(place("java.lang.IllegalStateException: (no)"), None);
    }
}
