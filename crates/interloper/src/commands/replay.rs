//! `interloper replay`: run a recorded page again with two racing events in the other order.

mod run;
mod verdicts;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use analysis::{Analysis, Request, Source};
use anyhow::{Context, Result, anyhow, bail};
use replay::{Outcome, Recorded, Session, Verdict, judge};
use report::Report;
use report::model::RaceEntry;

use crate::cli::replay::ReplayArgs;
use crate::cli::{AnswerFormat, ModelArgs, Pairs};
use crate::config::Config;
use crate::progress::Progress;
use crate::signals::Stop;
use crate::watch::Watch;
use crate::{analyse, output};
use run::{Ran, Runner};
use verdicts::{Replayed, Verdicts};

/// How often the recorded order is replayed.
const SAME: usize = 2;
/// How often the other order is replayed.
const FLIPS: usize = 2;

pub(crate) fn run(args: &ReplayArgs) -> Result<ExitCode> {
    let path = match &args.recording {
        Some(path) => path.clone(),
        None => newest()?,
    };
    let budget = Duration::try_from_secs_f64(args.budget)
        .map_err(|_| anyhow!("--budget {} is no time in seconds", args.budget))?;
    let config = Config::load(&args.config, &args.suppress)?;
    let session = session(&path)?;
    browser::find(args.browser.as_deref())?;
    let analysis = analysed(&path, &config)?;
    let mut report = Report::of(&analysis);
    analyse::suppress(&mut report, &config);
    let chosen = chosen(&report, args)?;
    let stop = Stop::new().context("cannot wait for signals")?;
    let runner = Runner::new(session, args.browser.clone(), stop.flag());
    let until = Instant::now() + budget;
    let verdicts = if chosen.is_empty() {
        Verdicts::default()
    } else {
        replayed(&analysis, &runner, &chosen, until)?
    };
    if let Some(folder) = &args.pictures {
        verdicts.draw(folder)?;
    }
    output::to(args.out.as_deref(), |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &verdicts.json(&path))?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => Ok(out.write_all(verdicts.text().as_bytes())?),
    })?;
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

/// Reads the session of a recording.
fn session(path: &Path) -> Result<Session> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let payload = codec::native::session(file).with_context(|| format!("cannot read {name}"))?;
    let Some(payload) = payload else {
        bail!(
            "{name} keeps nothing that a replay needs; record the page with `interloper record web`, \
             without --no-bodies, and let the recording end"
        );
    };
    let session = Session::read(&payload).map_err(|why| anyhow!("{name}: {why}"))?;
    if session.exchanges.iter().all(|exchange| exchange.body.is_empty()) {
        bail!("{name} was recorded with --no-bodies, so a replay has nothing to answer with");
    }
    Ok(session)
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

/// The races to replay: the first open one of each group, or the one that the arguments name.
fn chosen<'r>(report: &'r Report, args: &ReplayArgs) -> Result<Vec<&'r RaceEntry>> {
    if let Some(wanted) = &args.race {
        let is_it =
            |race: &&RaceEntry| race.fingerprint == *wanted || wanted.parse() == Ok(race.id);
        let found = report.races.iter().find(is_it);
        let found = found.with_context(|| format!("the recording has no race {wanted}"))?;
        return Ok(vec![found]);
    }
    let race = |id: &u32| report.races.iter().find(|race| race.id == *id);
    let open = |ids: &Vec<u32>| ids.iter().filter_map(race).find(|race| race.is_open());
    let mut groups: Vec<_> = report.groups.iter().collect();
    groups.sort_by_key(|group| group.rank);
    Ok(groups.into_iter().filter_map(|group| open(&group.races)).take(args.top).collect())
}

/// Replays races until a time.
fn replayed(
    analysis: &Analysis,
    runner: &Runner,
    races: &[&RaceEntry],
    until: Instant,
) -> Result<Verdicts> {
    let mut progress = Progress::new();
    let mut recorded = Vec::new();
    for n in 1..=SAME {
        progress.say(&format!("replaying the recorded order, {n} of {SAME}"));
        recorded.push(runner.run(&[])?);
    }
    let mut verdicts = Verdicts::new(&recorded);
    let tasks = Recorded::new(analysis.trace(), runner.session());
    for (n, race) in races.iter().enumerate() {
        progress.say(&format!("replaying race {} of {}", n + 1, races.len()));
        let found = if Instant::now() < until {
            one(analysis, &tasks, runner, race, &recorded)?
        } else {
            Replayed::untried(race, "there was no time left; --budget S gives more")
        };
        verdicts.add(found);
    }
    progress.clear();
    Ok(verdicts)
}

/// Replays one race.
fn one(
    analysis: &Analysis,
    tasks: &Recorded<'_>,
    runner: &Runner,
    race: &RaceEntry,
    recorded: &[Ran],
) -> Result<Replayed> {
    let operations = analysis.operation(race.first.op).zip(analysis.operation(race.second.op));
    let (Some(operations), Some(order)) = (operations, analysis.order()) else {
        return Ok(Replayed::untried(race, "its accesses are not in the analysis"));
    };
    let plan = match tasks.plan(&order, operations) {
        Ok(plan) => plan,
        Err(why) => return Ok(Replayed::untried(race, &why.to_string())),
    };
    let mut kept: Vec<&Ran> = recorded.iter().filter(|ran| ran.keeps(&plan)).collect();
    let again;
    if kept.len() < recorded.len()
        && let Some(keep) = &plan.keep
    {
        again = [runner.run(std::slice::from_ref(keep))?, runner.run(std::slice::from_ref(keep))?];
        kept = again.iter().filter(|ran| ran.keeps(&plan)).collect();
    }
    let same: Vec<_> = kept.iter().map(|ran| ran.seen.clone()).collect();
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut picture = None;
    let mut held = None;
    for hold in &plan.flips {
        outcomes.clear();
        held = Some(hold.clone());
        for _ in 0..FLIPS {
            let ran = runner.run(std::slice::from_ref(hold))?;
            outcomes.push(ran.outcome(&plan));
            picture = ran.picture;
            if !outcomes.last().is_some_and(|outcome| outcome.is_flipped) {
                break;
            }
        }
        if outcomes.iter().all(|outcome| outcome.is_flipped) {
            break;
        }
    }
    let (verdict, kind, differences, masked) = judge(&same, &outcomes);
    let before = kept.first().and_then(|ran| ran.picture.clone());
    let pictures = before.zip(picture).filter(|_| verdict == Verdict::Harmful);
    Ok(Replayed::new(race, &plan, held, verdict, kind, differences, masked, pictures))
}
