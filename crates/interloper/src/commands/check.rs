//! `interloper check`: report the races of a trace.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use analysis::compat::droidracer_trailer;
use analysis::{Analysis, Engine};
use anyhow::{Context, Result, bail};
use explorer::{Run, Session, offline};
use report::Report;
use report::baseline::Baseline;
use report::replay::ReplayEntry;
use report::robustness::Robustness;
use report::text::TextOptions;

use crate::cli::{CheckArgs, FailOn, Replaying, ReportFormat};
use crate::commands::explore::pictures;
use crate::commands::{diff, explain};
use crate::config::Config;
use crate::watch::Watch;
use crate::{analyse, input, output, sources};

/// The default for the number of groups that are shown in full.
const LIMIT: usize = 10;

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode> {
    check(args).map(|(status, _)| status)
}

/// Reports the races of a trace. Returns the exit status and what replays have shown, by race.
pub(crate) fn check(args: &CheckArgs) -> Result<(ExitCode, Shown)> {
    let config = Config::load(&args.report.config, &args.report.suppress)?;
    for out in [&args.out, &args.report.write_baseline] {
        output::refuse_input(out.as_deref(), &args.input.trace)?;
    }
    let mut watch = Watch::new(args.report.verbose);
    let streams = args.report.model.engine == Some(Engine::Stream);
    if streams && (args.input.follow || args.input.trace.as_os_str() == "-") {
        watch = watch.live();
    }
    let mut analysed = match analyse(args, &config, &watch) {
        Err(error) => {
            if let Some(unreadable) = error.downcast_ref::<codec::ReadError>() {
                state_unreadable(unreadable, args, &config)?;
            }
            return Err(error);
        }
        Ok(analysed) => analysed,
    };
    if let Some(Replaying::Top(most)) = args.evidence.replay {
        match replay(args, &mut analysed, most) {
            Err(why) if args.spares_evidence => {
                output::note(format_args!("nothing was replayed: {why:#}"));
            }
            done => done?,
        }
    }
    let races = analysed.report.races.iter();
    let shown = races.filter_map(|race| Some((race.id, ReplayEntry::clone(race.replay.as_ref()?))));
    let shown = shown.collect();
    let status = conclude(args, &config, analysed)?;
    watch.printed();
    Ok((status, shown))
}

/// What replays have shown, by race.
pub(crate) type Shown = BTreeMap<u32, ReplayEntry>;

/// Replays the first open groups, and weighs what that shows.
#[cfg(all(unix, feature = "record-web"))]
fn replay(args: &CheckArgs, analysed: &mut Analysed, most: usize) -> Result<()> {
    let analysis = analysed.analysis.as_ref().context("there is no recording to replay")?;
    let asked = crate::replays::Asked {
        most,
        budget: args.evidence.replay_budget,
        browser: args.browser.clone(),
        given: &args.given,
        folder: args.evidence.pictures.as_deref(),
        embeds: args.embeds_pictures || matches!(args.report.format, ReportFormat::Html),
    };
    crate::replays::weigh(analysis, &mut analysed.report, &args.input.trace, &asked)
}

#[cfg(not(all(unix, feature = "record-web")))]
fn replay(_: &CheckArgs, _: &mut Analysed, _: usize) -> Result<()> {
    anyhow::bail!("--replay needs the recorder of web pages, which this program was built without")
}

/// The result of an analysis.
pub(crate) struct Analysed {
    pub(crate) report: Report,
    /// The text that is printed in the report's place.
    pub(crate) trailer: Option<String>,
    /// What a page shows besides the report; none if there are several recordings.
    pub(crate) analysis: Option<Analysis>,
}

impl From<Report> for Analysed {
    fn from(report: Report) -> Self {
        Self { report, trailer: None, analysis: None }
    }
}

/// Prints a report, or the text in its place, and returns the exit status. The input is the folder
/// of the recordings if there are several.
pub(crate) fn conclude(args: &CheckArgs, config: &Config, analysed: Analysed) -> Result<ExitCode> {
    let Analysed { mut report, trailer, analysis } = analysed;
    report.input.judged |= args.input.allow_damaged;
    report.show(&args.report.show);
    let accepts = args.report.write_baseline.is_some();
    let of_config = config.baseline.as_deref().filter(|_| !accepts);
    if let Some(path) = args.report.baseline.as_deref().or(of_config) {
        read_baseline(path)?.compare(&mut report);
    }
    let report = match trailer {
        Some(trailer) => {
            output::to(args.out.as_deref(), |out| Ok(out.write_all(trailer.as_bytes())?))?;
            report
        }
        None if matches!(args.report.format, ReportFormat::Html) => {
            write_page(args, config, report, analysis)?
        }
        None => {
            output::to(args.out.as_deref(), |out| print(&report, args, config, out))?;
            report
        }
    };
    input::accept(&args.input.trace, &report.input)?;
    if let Some(path) = &args.report.write_baseline {
        let baseline = Baseline::of(&report).write();
        output::to(Some(path), |out| Ok(out.write_all(baseline.as_bytes())?))?;
    }
    let threshold = args.report.fail_on.or(config.fail_on).unwrap_or_default();
    if matches!(threshold, FailOn::Shown) && report.summary.replay.is_none() {
        bail!("--fail-on shown needs races that were replayed; --replay top=10 replays ten groups");
    }
    let fails = !accepts && report.fails(threshold.into());
    Ok(if fails { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Prints a report that the input contains no readable trace, for readers of the report who do not
/// see standard error. Text on standard output would only repeat the error, so there is none.
fn state_unreadable(error: &codec::ReadError, args: &CheckArgs, config: &Config) -> Result<()> {
    let repeats = matches!(args.report.format, ReportFormat::Text) && args.out.is_none();
    if repeats || matches!(args.report.format, ReportFormat::Droidracer) {
        return Ok(());
    }
    let model = args.report.model.model.or(config.model).unwrap_or(&order::ANDROID);
    let report = Report::unreadable(error, model);
    if matches!(args.report.format, ReportFormat::Html) {
        return write_page(args, config, report, None).map(drop);
    }
    output::to(args.out.as_deref(), |out| print(&report, args, config, out))
}

/// Writes the explorer with a report as one file. Returns the report.
fn write_page(
    args: &CheckArgs,
    config: &Config,
    report: Report,
    analysis: Option<Analysis>,
) -> Result<Report> {
    let sources = Box::new(source_files(args, config));
    let run = match analysis {
        Some(analysis) => Run::new(analysis, report, sources),
        None => Run::of_report(report, sources),
    };
    // The analysis has read the file; that it cannot be read again costs only its pictures.
    let pictures = diff::trace_file(&args.input.trace).and_then(|file| pictures(&file).ok());
    let run = run.with_pictures(pictures.unwrap_or_default());
    let trace = &args.input.trace;
    let name = trace.file_name().unwrap_or(trace.as_os_str()).to_string_lossy().into_owned();
    let path = shell_word(&trace.to_string_lossy());
    let command = move |command: &str| format!("interloper {command} {path}");
    let name = report::name::printable(&name);
    let session = Session::of_run(run, name, command, explain::pages());
    output::to(args.out.as_deref(), |out| Ok(offline::write(&session, out)?))?;
    Ok(session.into_report().expect("no view of the run is left"))
}

/// Returns the source files that may be shown.
fn source_files(args: &CheckArgs, config: &Config) -> sources::Allowed {
    let roots = [args.report.source_root.as_slice(), &config.source_roots].concat();
    sources::Allowed::new(&args.input.trace, &roots)
}

/// Returns the report, and under `--format droidracer` the text that is printed in its place. Only
/// that text is DroidRacer's; suppressions, baselines and the exit status are those of the report
/// on the same races.
fn analyse(args: &CheckArgs, config: &Config, watch: &Watch) -> Result<Analysed> {
    let analysis = analyse::check(args, config, watch)?;
    let as_droidracer = matches!(args.report.format, ReportFormat::Droidracer);
    let trailer = as_droidracer.then(|| droidracer_trailer(&analysis)).transpose();
    let trailer = trailer.map_err(|error| analyse::failure(&args.input.trace, error))?;
    let mut report = analyse::report(&analysis, config, &args.report);
    let trace = analysis.trace();
    let robustness = args.report.robustness && !trace.is_excerpt();
    report.robustness = robustness.then(|| Robustness::new(trace));
    Ok(Analysed { report, trailer, analysis: Some(analysis) })
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| {
        format!("cannot read the baseline {name}; --write-baseline {name} makes one")
    })?;
    Baseline::read(&bytes).with_context(|| format!("{name}"))
}

fn print(report: &Report, args: &CheckArgs, config: &Config, out: &mut dyn Write) -> Result<()> {
    let groups = match args.report.limit.or(config.limit).unwrap_or(LIMIT) {
        0 => usize::MAX,
        limit => limit,
    };
    let text = match args.report.format {
        ReportFormat::Json | ReportFormat::Sarif => {
            return print_json(report, args.report.format, out);
        }
        ReportFormat::Text | ReportFormat::Droidracer => {
            let sources = source_files(args, config);
            let styled = output::is_styled(args.out.as_deref());
            let command = order_command(args);
            let order_command = command.as_deref();
            let options = TextOptions { sources: &sources, groups, styled, order_command };
            report::text::render(report, &options)
        }
        ReportFormat::Junit => report::junit::render(report),
        ReportFormat::Github => report::github::render(report),
        ReportFormat::Markdown => report::markdown::render(report, groups),
        ReportFormat::Html => unreachable!("a page is written with its analysis"),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Returns the command that explains the order of two operations, up to their numbers. It names no
/// recording if there are several.
fn order_command(args: &CheckArgs) -> Option<String> {
    let trace = args.input.trace.to_str().filter(|trace| *trace != "-")?;
    let mut words = vec!["interloper".to_owned(), "order".to_owned()];
    if let Some(model) = args.report.model.model {
        words.extend(["--model".to_owned(), model.name.to_owned()]);
    }
    if !args.input.trace.is_dir() {
        words.push(shell_word(trace));
    }
    Some(words.join(" "))
}

/// Returns `text` as one word of a POSIX shell.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./:@%+=,-".contains(c);
    if !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn print_json(report: &Report, format: ReportFormat, out: &mut dyn Write) -> Result<()> {
    // The serialiser writes a few bytes at a time. A buffer of a known type halves the time.
    let mut out = BufWriter::new(out);
    if matches!(format, ReportFormat::Sarif) {
        report::sarif::write(report, &mut out)?;
    } else {
        serde_json::to_writer_pretty(&mut out, report)?;
    }
    writeln!(out)?;
    Ok(out.flush()?)
}
