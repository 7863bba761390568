//! Tries a finding: the event of the page is held back, in a run of its test alone, until the step that races with it
//! has ended.

use anyhow::Result;
use replay::Schedule;

use super::findings::{Finding, Verdict};
use super::index;
use super::run::{Only, Runner};
use super::told::Told;

/// How many times longer than in a replay nothing may happen before the event is let go, which is 2.4 s in all: a step
/// waits for some hundred milliseconds until its element stands still, on a busy machine for longer; and an
/// assertion gives up after 5 s.
const PATIENCE: u32 = 8;
/// How often a test must fail, or pass.
const TWICE: usize = 2;

/// What one run has shown.
enum Shown {
    Failed(Option<String>),
    Passed,
    /// The event did not come, or the test did not run.
    Nothing,
    /// The user has stopped the run.
    Stopped,
}

/// Tries a finding with each of its controls until the test fails. Returns false if the user has stopped it.
pub(super) fn prove(runner: &Runner<'_>, only: &Only, finding: &mut Finding) -> Result<bool> {
    let mut found: Option<(Verdict, String)> = None;
    for hold in finding.holds.clone() {
        let schedule = Schedule::new(&finding.fingerprint, Some(&hold), PATIENCE);
        let (mut failed, mut passed) = (0, 0);
        while failed + passed < TWICE {
            match once(runner, only, &schedule)? {
                Shown::Failed(error) => {
                    failed += 1;
                    finding.error = error;
                }
                Shown::Passed => passed += 1,
                Shown::Nothing => break,
                Shown::Stopped => return Ok(false),
            }
        }
        let verdict = match (failed, passed) {
            (0, 0) => continue,
            (TWICE, _) => Verdict::Shown,
            (_, TWICE) => Verdict::Waits,
            _ => Verdict::Undecided,
        };
        if found.as_ref().is_none_or(|(best, _)| verdict < *best) {
            found = Some((verdict, hold.control.to_string()));
        }
        if verdict == Verdict::Shown {
            break;
        }
    }
    // Without a run in which something was held, nothing is decided.
    finding.verdict = Verdict::Undecided;
    if let Some((verdict, held)) = found {
        (finding.verdict, finding.held) = (verdict, Some(held));
    }
    if finding.verdict != Verdict::Shown {
        finding.error = None;
    }
    Ok(true)
}

fn once(runner: &Runner<'_>, only: &Only, schedule: &Schedule) -> Result<Shown> {
    let ran = runner.held(only, schedule)?;
    if ran.is_stopped {
        return Ok(Shown::Stopped);
    }
    let told = Told::read(&ran.folder)?;
    let is_held = index(&ran.recordings)?.iter().any(|entry| entry.held);
    let ended = told.tried(&only.id, 0).and_then(|tried| tried.ended.clone());
    Ok(match ended {
        Some(ended) if is_held && ended.is_passed() => Shown::Passed,
        Some(ended) if is_held => Shown::Failed(ended.error),
        _ => Shown::Nothing,
    })
}
