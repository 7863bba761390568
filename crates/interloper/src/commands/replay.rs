//! `interloper replay`: run a recorded page again with two racing events in the other order.

mod playwright;
mod verdicts;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use analysis::{Analysis, Request, Source};
use anyhow::{Context, Result};
use replay::Recorded;
use report::Report;

use crate::cli::replay::ReplayArgs;
use crate::cli::{AnswerFormat, ModelArgs, Pairs, seconds};
use crate::config::Config;
use crate::replays::{self, Choice, Options, Supplied};
use crate::signals::Stop;
use crate::watch::Watch;
use crate::{analyse, output};
use playwright::Emission;
use verdicts::Verdicts;

pub(crate) fn run(args: &ReplayArgs) -> Result<ExitCode> {
    let path = match &args.recording {
        Some(path) => path.clone(),
        None => newest()?,
    };
    let budget = seconds("--budget", args.budget)?;
    if let Some(file) = &args.emit_playwright {
        playwright::check(file, args.unchecked)?;
    }
    let config = Config::load(&args.config, &args.suppress)?;
    let session = replays::session(&path)?;
    let supplied = Supplied::of(&args.given, &session, &path)?;
    let browser = browser::find(args.browser.as_deref())?;
    let analysis = analysed(&path, &config)?;
    let mut report = Report::of(&analysis);
    analyse::suppress(&mut report, &config);
    let choice = match &args.race {
        Some(wanted) => Choice::Race(named(&report, wanted)?),
        None => Choice::Top(args.top),
    };
    let options = Options { choice, budget, browser: args.browser.clone(), supplied };
    let mut found = replays::replay(&analysis, &report, session.clone(), &options)?;
    if let Some(folder) = &args.pictures {
        found.draw(folder)?;
    }
    let verdicts = Verdicts::new(&report, &found);
    output::to(args.out.as_deref(), |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &verdicts.json(&path))?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => Ok(out.write_all(verdicts.text().as_bytes())?),
    })?;
    if let Some(file) = &args.emit_playwright {
        let stop = Stop::new().context("cannot wait for signals")?;
        let emission = Emission {
            file,
            unchecked: args.unchecked,
            recording: &path,
            session: &session,
            tasks: &Recorded::new(analysis.trace(), &session),
            browser: &browser,
            secrets: &options.supplied.secrets,
            stop: stop.flag(),
        };
        emission.write_first(&verdicts.shown())?;
    }
    Ok(ExitCode::from(verdicts.status()))
}

/// The newest recording in this folder.
fn newest() -> Result<PathBuf> {
    let entries = fs::read_dir(".").context("cannot list this folder")?;
    let recordings = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let is_recording = path.extension().is_some_and(|extension| extension == "ilt");
        let changed = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok()?;
        is_recording.then_some((changed, path))
    });
    let newest = recordings.max().map(|(_, path)| path);
    newest.context("this folder has no recording; `interloper record web URL` makes one")
}

fn analysed(path: &Path, config: &Config) -> Result<Analysis> {
    let model = ModelArgs::default();
    let request =
        Request { whole_trace: true, ..analyse::request(&model, Pairs::default(), config) };
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let source = Source::file(file, None)?;
    analyse::run(source, &request, &Watch::new(false))
        .map_err(|error| analyse::failure(path, error))
}

/// The race that an argument names by its number or fingerprint.
fn named(report: &Report, wanted: &str) -> Result<u32> {
    let mut races = report.races.iter();
    let found = races.find(|race| race.fingerprint == *wanted || wanted.parse() == Ok(race.id));
    let found = found.with_context(|| format!("the recording has no race {wanted}"))?;
    Ok(found.id)
}
