//! `interloper replay`: run a recorded page again with two racing events in the other order.

mod playwright;
mod verdicts;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use analysis::{Analysis, Request, Source};
use anyhow::{Context, Result, anyhow, bail};
use replay::{Recorded, Schedule};
use report::Report;

use crate::cli::replay::ReplayArgs;
use crate::cli::{AnswerFormat, ModelArgs, Pairs, seconds};
use crate::config::Config;
use crate::replays::{self, Choice, Options, Place, Supplied};
use crate::signals::Stop;
use crate::watch::Watch;
use crate::{analyse, learned, output};
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
    let found_browser = browser::find(args.browser.as_deref())?;
    let analysis = analysed(&path, &config, args.learned.learned.as_deref())?;
    let mut report = Report::of(&analysis);
    analyse::suppress(&mut report, &config);
    let schedule = args.schedule.as_deref().map(read_schedule).transpose()?;
    let wanted = schedule.as_ref().map(|schedule| &schedule.race).or(args.race.as_ref());
    let choice = match wanted {
        Some(wanted) => Choice::Race(named(&report, wanted)?),
        None => Choice::Top(args.top),
    };
    let (browser, runs) = (args.browser.clone(), args.runs.clone());
    let place = Place { browser, online: args.online, runs };
    let options = Options { choice, budget, tries: args.tries, schedule, place, supplied };
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
    if let Some(file) = &args.learn {
        let count = learned::write(file, &report, &found.evidence)?;
        output::note(format_args!("{} has {count} learned orders", file.display()));
    }
    if let Some(file) = &args.emit_playwright {
        let stop = Stop::new().context("cannot wait for signals")?;
        let emission = Emission {
            file,
            unchecked: args.unchecked,
            recording: &path,
            session: &session,
            tasks: &Recorded::new(analysis.trace(), &session),
            browser: &found_browser,
            secrets: &options.supplied.secrets,
            stop: stop.flag(),
        };
        emission.write_first(&verdicts.shown())?;
    }
    if args.keep_open {
        let harms = verdicts.shown().into_iter().filter_map(|shown| found.harms.get(&shown.race));
        let Some(harm) = harms.into_iter().next() else {
            bail!("--keep-open: nothing was shown to be harmful");
        };
        replays::keep_open(session, &options, &harm.schedule)?;
    }
    Ok(ExitCode::from(verdicts.status()))
}

fn read_schedule(path: &Path) -> Result<Schedule> {
    let name = path.display();
    let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let schedule = Schedule::read(&bytes).map_err(|why| anyhow!("{name}: {why}"))?;
    if schedule.race.is_empty() || schedule.holds.is_empty() {
        bail!("{name} is the recorded order, which every replay runs first");
    }
    Ok(schedule)
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

/// Analyses a recording, with its whole trace.
pub(super) fn analysed(path: &Path, config: &Config, learned: Option<&Path>) -> Result<Analysis> {
    let model = ModelArgs::default();
    let request =
        Request { whole_trace: true, ..analyse::request(&model, Pairs::default(), config) };
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let source = Source::file(file, None)?;
    let watch = Watch::new(false);
    let analysis = analyse::run(source, &request, &watch);
    let analysis = analysis.map_err(|error| analyse::failure(path, error))?;
    match learned {
        Some(file) => learned::applied(file, analysis, &request, &watch),
        None => Ok(analysis),
    }
}

/// The race that an argument names by its number or fingerprint.
fn named(report: &Report, wanted: &str) -> Result<u32> {
    let mut races = report.races.iter();
    let found = races.find(|race| race.fingerprint == *wanted || wanted.parse() == Ok(race.id));
    let found = found.with_context(|| format!("the recording has no race {wanted}"))?;
    Ok(found.id)
}
