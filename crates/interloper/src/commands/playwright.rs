//! `interloper playwright`: which steps of a project's own Playwright tests race with which events of the page.
//!
//! The tests run as they are first, so that the user sees their own output and status; that run also tells what
//! the steps wait for. The second run is recorded with these conditions as locations. Pairs of a step and an event
//! of the page that nothing orders are then tried: the event is held back until the step has ended.

mod findings;
mod phrase;
mod proof;
mod run;
mod told;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use webrec::{RelaySettings, Relayed};

use crate::cli::playwright::{BrowserPipeArgs, PlaywrightArgs, PlaywrightFailOn};
use crate::output;
use crate::progress::Progress;
use findings::{Findings, Verdict};
use run::{Only, Runner};
use told::Told;

/// The list of recordings that a run leaves in its folder.
const INDEX: &str = "index.jsonl";
/// The variable that tells a relay what to do.
const PIPE: &str = "INTERLOPER_PIPE";

/// Stands in for the browser.
pub(crate) fn relay(args: &BrowserPipeArgs) -> Result<ExitCode> {
    let settings = std::env::var(PIPE)
        .context("this command is for `interloper playwright`, which Playwright starts it for")?;
    let settings: RelaySettings =
        serde_json::from_str(&settings).with_context(|| format!("{PIPE} cannot be read"))?;
    let status = webrec::relay(settings, &args.arguments)?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

pub(crate) fn run(args: &PlaywrightArgs) -> Result<ExitCode> {
    prepare(&args.out)?;
    let runner = Runner::new(args)?;
    let plain = runner.plain()?;
    if plain.is_stopped {
        return Ok(plain.code());
    }
    let told = Told::read(&plain.folder)?;
    for note in &told.notes {
        output::note(format_args!("note: {note}"));
    }
    if told.tests.is_empty() {
        output::note(
            "no step of a test in Chromium was seen, so nothing is recorded; the command must run \
             @playwright/test (npx playwright test)",
        );
        return Ok(plain.code());
    }
    let mut progress = Progress::new();
    progress.say(&format!("recording {} tests", told.tests.len()));
    let recorded = runner.recorded(&told)?;
    progress.clear();
    if recorded.is_stopped {
        return Ok(recorded.code());
    }
    let again = Told::read(&recorded.folder)?;
    let mut findings = Findings::default();
    for entry in index(&args.out)? {
        findings.add(&entry, &told, &again)?;
    }
    if !args.no_proof {
        prove(args, &runner, &mut findings)?;
    }
    output::to(args.report.as_deref(), |out| findings.write(args.format, out))?;
    let found = findings.worst();
    let fails = match args.fail_on {
        PlaywrightFailOn::Shown => found == Some(Verdict::Shown),
        PlaywrightFailOn::Possible => {
            matches!(found, Some(Verdict::Shown | Verdict::Untried | Verdict::Undecided))
        }
        PlaywrightFailOn::Never => false,
    };
    Ok(if plain.is_success() && fails { ExitCode::from(1) } else { plain.code() })
}

/// Tries the findings: each event is held back until the step that races with it has ended.
fn prove(args: &PlaywrightArgs, runner: &Runner, findings: &mut Findings) -> Result<()> {
    let mut progress = Progress::new();
    let all = findings.tried(args.tries).count();
    let mut number = 0;
    for (test, finding) in findings.tried(args.tries) {
        number += 1;
        progress.say(&format!("trying race {number} of {all}: {}", test.titles.join(" › ")));
        let only = Only::of(test);
        if !proof::prove(runner, &only, finding)? {
            break;
        }
    }
    progress.clear();
    Ok(())
}

/// Makes the folder of the recordings, without those of an earlier run.
fn prepare(folder: &Path) -> Result<()> {
    let name = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {name}"))?;
    let is_ours = folder.join(INDEX).exists();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {name}"))?.flatten() {
        let path = entry.path();
        let is_recording = path.extension().is_some_and(|it| it == "ilt");
        if is_recording && !is_ours {
            bail!("{name} has recordings of another command; name another folder with --out DIR");
        }
        if is_recording || entry.file_name() == INDEX {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    // A run that is stopped leaves recordings without a list.
    fs::write(folder.join(INDEX), "").with_context(|| format!("cannot write to {name}"))
}

/// The recordings of a run.
fn index(folder: &Path) -> Result<Vec<Relayed>> {
    let Ok(file) = fs::File::open(folder.join(INDEX)) else { return Ok(Vec::new()) };
    let lines = BufReader::new(file).lines();
    let entries = lines.map(|line| Ok(serde_json::from_str(&line?)?));
    let mut entries: Vec<Relayed> =
        entries.collect::<Result<_>>().context("the list of recordings")?;
    entries.sort_by(|one, other| one.trace.cmp(&other.trace));
    Ok(entries)
}
