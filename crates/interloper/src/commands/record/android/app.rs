//! `interloper record android APP.apk`: runs an app under the headless driver, by the steps of a file
//! or by exploring, and reports its races.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use report::Report;
use report::name::printable_message;

use super::super::target;
use super::apk::{self, App, Tools};
use super::confine::Confinement;
use super::driver::{Answer, Driver, End};
use super::explore::{Explorer, Offer};
use super::jars::Jars;
use super::java::Java;
use super::outcome;
use super::{checked, folder, merged};
use crate::cli::record::AndroidArgs;
use crate::cli::seconds;
use crate::commands::check::{self, Shown};
use crate::config::Config;
use crate::output;
use crate::progress::Progress;
use crate::signals::Stop;

/// The default time to explore an app.
const EXPLORING: Duration = Duration::from_secs(60);
/// The default time for the steps of a file.
const STEPS: Duration = Duration::from_secs(300);
/// The longest time for one command, such as the start of the app.
const COMMAND: Duration = Duration::from_secs(120);

pub(super) fn run(apk: &Path, args: &AndroidArgs, config: &Config) -> Result<ExitCode> {
    let steps = args.app.steps.as_deref().map(steps).transpose()?;
    let default = if args.app.explore { EXPLORING } else { STEPS };
    let time = match args.app.time {
        Some(time) => seconds("--time", time)?,
        None => default,
    };
    let path = apk::readable(apk)?;
    if !args.app.explore {
        target::check(args.out.as_deref())?;
    }
    let java = Java::find()?;
    let jars = Jars::prepare(args.app.jars.as_deref(), &java)?;
    let confinement = Confinement::new(args.app.unconfined, &java)?;
    let tools = Tools { java: &java, jars: &jars, confinement: &confinement };
    let app = apk::prepare(path, &tools, args.app.without_native)?;
    let stop = Stop::new().context("cannot wait for signals")?;
    let visit =
        Visit { tools: &tools, app: &app, args, end: Instant::now() + time, stop: stop.flag() };
    if args.app.explore {
        visit.explore(config)
    } else {
        visit.perform(&steps.unwrap_or_default(), config)
    }
}

/// Reads the steps of a file: its lines that are neither empty nor comments, with their numbers.
fn steps(path: &Path) -> Result<Vec<(usize, String)>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let steps = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    Ok(steps.map(|(at, line)| (at, line.replace('\t', " "))).collect())
}

/// What was reached.
#[derive(Default)]
struct Coverage {
    activities: BTreeSet<String>,
    declared: usize,
    callbacks: BTreeSet<String>,
}

impl Coverage {
    fn add(&mut self, answer: &Answer) {
        self.activities.extend(answer.all("activity").map(ToOwned::to_owned));
        self.callbacks.extend(answer.all("callback").map(ToOwned::to_owned));
        let declared = answer.one("activities").and_then(|text| text.parse().ok());
        self.declared = declared.unwrap_or(self.declared);
    }

    fn print(&self, inputs: Option<(usize, usize)>) {
        let of_views = inputs
            .map(|(done, offered)| format!(", {done} of {offered} inputs"))
            .unwrap_or_default();
        output::note(format_args!(
            "reached: {} of {} activities{of_views}, {} callbacks",
            self.activities.len(),
            self.declared,
            self.callbacks.len()
        ));
    }
}

/// A run of the command on an app.
struct Visit<'a> {
    tools: &'a Tools<'a>,
    app: &'a App,
    args: &'a AndroidArgs,
    /// When the time is over.
    end: Instant,
    stop: &'a AtomicBool,
}

impl Visit<'_> {
    fn driver(&self, out: &Path) -> Result<Driver> {
        Driver::start(self.tools, self.app, &self.args.packages, out)
    }

    fn ask(&self, driver: &mut Driver, words: &[&str]) -> Result<Answer, End> {
        driver.ask(words, COMMAND, self.stop)
    }

    // The steps of a file.

    fn perform(&self, steps: &[(usize, String)], config: &Config) -> Result<ExitCode> {
        let target = target::open(self.args.out.as_deref())?;
        if let Some(moved) = &target.moved {
            let (path, moved) = (target.path.display(), moved.display());
            output::note(format_args!("the earlier {path} is now {moved}"));
        }
        let out = fs::canonicalize(&target.path)?;
        let name = out.file_stem().and_then(|name| name.to_str()).unwrap_or("recording");
        if out.extension().is_none_or(|extension| extension != "ilt") {
            bail!("--out {}: the name of a recording ends in .ilt", target.path.display());
        }
        let mut coverage = Coverage::default();
        let mut wrong = None;
        let end = self.run_steps(&out, name, steps, &mut coverage, &mut wrong)?;
        let file = target.path.display().to_string();
        drop(target.file);
        coverage.print(None);
        let crash = outcome::stack(end.as_ref()).map(ToOwned::to_owned);
        outcome::conclude(end, &file)?;
        if let Some((line, why)) = wrong {
            let of = self.args.app.steps.as_deref().unwrap_or(Path::new("--steps")).display();
            bail!("{of}:{line}: {why}\nwhat was recorded until then: interloper check {file}");
        }
        if self.args.no_check {
            return Ok(ExitCode::SUCCESS);
        }
        let Some(report) = merged(std::slice::from_ref(&target.path), self.args, config)? else {
            bail!("{file} cannot be read");
        };
        self.finish(report, target.path, config, crash.as_slice())
    }

    /// Prints the report, after the races that may explain the crashes.
    fn finish(
        &self,
        report: Report,
        input: PathBuf,
        config: &Config,
        crashes: &[String],
    ) -> Result<ExitCode> {
        for crash in crashes {
            outcome::explain(&report, crash);
        }
        let args = checked(self.args, input.clone());
        let status = check::conclude(&args, config, report.into())?;
        if self.args.open {
            super::super::explore(input, &self.args.report, Shown::new())?;
        }
        let failed = !crashes.is_empty() && status == ExitCode::SUCCESS;
        Ok(if failed { ExitCode::from(1) } else { status })
    }

    /// Performs the steps, and returns why the app ended early, if it did. A step that cannot be
    /// performed is `wrong`.
    fn run_steps(
        &self,
        out: &Path,
        name: &str,
        steps: &[(usize, String)],
        coverage: &mut Coverage,
        wrong: &mut Option<(usize, String)>,
    ) -> Result<Option<End>> {
        let mut driver = self.driver(out)?;
        let drawn = if self.args.app.screenshot.is_some() { "picture" } else { "" };
        let mut run = || -> Result<Option<End>, End> {
            let mut answer = self.ask(&mut driver, &["open", name, drawn])?;
            for (line, step) in steps {
                if answer.end().is_some() || Instant::now() > self.end {
                    break;
                }
                answer = self.ask(&mut driver, &["step", &line.to_string(), step])?;
                if let Some(why) = answer.one("error") {
                    *wrong = Some((*line, printable_message(why)));
                    break;
                }
            }
            let end = answer.end();
            if let (Some(file), None) = (&self.args.app.screenshot, &end) {
                self.picture(&mut driver, file)?;
            }
            match self.ask(&mut driver, &["close"]) {
                Ok(answer) => coverage.add(&answer),
                Err(other) if end.is_none() => return Err(other),
                // A process that is stuck may not answer any more.
                Err(_) => {}
            }
            Ok(end)
        };
        Ok(run().unwrap_or_else(Some))
    }

    /// Writes a picture of the app. The confined process can write the recording only, so the picture
    /// comes with the answer.
    fn picture(&self, driver: &mut Driver, file: &Path) -> Result<(), End> {
        let answer = self.ask(driver, &["picture"])?;
        let written = match answer.one("png") {
            Some(text) => bytes(text)
                .context("the picture is damaged")
                .and_then(|bytes| output::to(Some(file), |out| Ok(out.write_all(&bytes)?))),
            None => Err(anyhow!(answer.one("error").unwrap_or("the app shows nothing").to_owned())),
        };
        if let Err(error) = written {
            output::note(format_args!("--screenshot {}: {error:#}", file.display()));
        }
        Ok(())
    }

    // Exploration.

    fn explore(&self, config: &Config) -> Result<ExitCode> {
        let folder = folder::prepare(self.args.out.as_deref())?;
        let mut explorer = Explorer::new(self.args.app.depth, self.args.app.seed);
        let mut coverage = Coverage::default();
        let mut progress = Progress::new();
        let mut driver = None;
        let mut ends = Vec::new();
        let mut count = 0;
        let why = loop {
            if self.stop.load(Ordering::Relaxed) {
                break "stopped";
            } else if count >= self.args.app.sequences {
                break "--sequences allows no more";
            } else if Instant::now() > self.end {
                break "--time is over";
            }
            let Some(prefix) = explorer.next_sequence() else { break "all there are" };
            count += 1;
            progress.say(&format!("sequence {count}: {}", prefix.join(", ")));
            let name = format!("sequence-{count:03}");
            let mut steps = Vec::new();
            let ran = self.sequence(&mut driver, &folder, &name, prefix, &mut explorer, &mut steps);
            let end = match ran {
                Ok((end, reached)) => {
                    coverage.add(&reached);
                    end
                }
                Err(end) => Some(end),
            };
            write_steps(&folder.join(format!("{name}.steps")), &steps)?;
            if let Some(end) = end {
                // The process has threads of an app that is in an unknown state.
                driver = None;
                ends.push((name, end));
            }
        };
        drop(driver);
        progress.clear();
        output::note(format_args!("explored {count} sequences: {why}"));
        coverage.print(Some(explorer.coverage()));
        let crashes: Vec<String> = ends
            .iter()
            .filter_map(|(_, end)| outcome::stack(Some(end)))
            .map(ToOwned::to_owned)
            .collect();
        conclude_all(ends, &folder);
        self.report(folder, config, &crashes)
    }

    /// Performs one sequence: the steps of the prefix, and as many more as the explorer wants.
    /// Returns how the app ended, if it did, and what was reached.
    fn sequence(
        &self,
        driver: &mut Option<Driver>,
        folder: &Path,
        name: &str,
        prefix: Vec<String>,
        explorer: &mut Explorer,
        steps: &mut Vec<String>,
    ) -> Result<(Option<End>, Answer), End> {
        if driver.is_none() {
            let started = self.driver(folder).map_err(|error| End::Failed(format!("{error:#}")))?;
            *driver = Some(started);
        }
        let driver = driver.as_mut().expect("it was started");
        let mut answer = self.ask(driver, &["open", name])?;
        let mut due = prefix.into_iter();
        loop {
            if answer.end().is_some() || Instant::now() > self.end {
                break;
            }
            let look = self.ask(driver, &["look"])?;
            let offer = Offer {
                state: look.one("state").unwrap_or_default().to_owned(),
                actions: look.all("action").map(ToOwned::to_owned).collect(),
            };
            let next = match due.next() {
                Some(action) => Some(action),
                None => explorer.go_on(&offer),
            };
            let Some(action) = next else { break };
            let line = (steps.len() + 1).to_string();
            answer = self.ask(driver, &["step", &line, &action])?;
            if answer.one("error").is_some() {
                // The view of the prefix is not there this time.
                break;
            }
            explorer.performed(&offer.state, &action);
            steps.push(action);
        }
        let end = answer.end();
        match self.ask(driver, &["close"]) {
            Err(_) if end.is_some() => Ok((end, Answer::default())),
            closed => Ok((end, closed?)),
        }
    }

    fn report(&self, folder: PathBuf, config: &Config, crashes: &[String]) -> Result<ExitCode> {
        let files = folder::recordings(&folder)?;
        let files: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| fs::metadata(file).is_ok_and(|found| found.len() > 0))
            .collect();
        if files.is_empty() {
            bail!("nothing was recorded");
        }
        output::note(format_args!(
            "{}: {} recordings, each with its steps",
            folder.display(),
            files.len()
        ));
        if self.args.no_check {
            return Ok(ExitCode::SUCCESS);
        }
        let Some(report) = merged(&files, self.args, config)? else {
            bail!("{} has no recording that can be read", folder.display());
        };
        outcome::print_steps(&report);
        self.finish(report, folder, config, crashes)
    }
}

/// Says how sequences ended that did not end by themselves.
fn conclude_all(ends: Vec<(String, End)>, folder: &Path) {
    let mut known = BTreeSet::new();
    for (name, end) in ends {
        if !known.insert(format!("{end:?}")) {
            continue;
        }
        let file = folder.join(format!("{name}.ilt")).display().to_string();
        output::note(format_args!("{}:", folder.join(format!("{name}.steps")).display()));
        // Other sequences may have been recorded.
        if let Err(error) = outcome::conclude(Some(end), &file) {
            output::note(format!("{error:#}"));
        }
    }
}

/// Writes the steps of a sequence, so that `--steps` performs them again.
fn write_steps(path: &Path, steps: &[String]) -> Result<()> {
    fs::write(path, steps.join("\n") + "\n")
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Decodes hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let pair = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_digits() {
        assert_eq!(bytes("00ff7f"), Some(vec![0, 255, 127]));
        assert_eq!(bytes("0"), None);
    }
}
