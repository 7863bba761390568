//! `interloper record`: record a program while it runs, and report its races.

mod android;
mod live;
pub(crate) mod page;
mod target;

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use browser::Network;
use codec::native::{self, Writer};
use report::name::{printable, printable_message};
use url::Url;
use webrec::{
    Error, Errors, Exploration, Health, Input, Keep, Options, PageOptions, Ready, Recording, Step,
    Summary, Until, Why,
};

use super::check::{self, Shown};
use crate::cli::GivenArgs;
use crate::cli::record::{RecordArgs, Recorder, WebArgs};
use crate::cli::seconds;
use crate::cli::{CheckArgs, ExploreArgs, Replaying, ReportArgs, TraceArgs};
use crate::progress::Progress;
use crate::signals::{Cleanup, Guard, Stop, guarded};
use crate::{output, replays};
use live::{Feed, Live};

/// The default time to record a page.
const TIME: Duration = Duration::from_secs(5);
/// The default time to record a page after its steps.
const AFTER_STEPS: Duration = Duration::from_secs(1);
/// The default time to wait for `--until`.
const UNTIL: Duration = Duration::from_secs(30);
/// The default time to explore a page.
const EXPLORING: Duration = Duration::from_secs(60);
/// The number of groups that are replayed after a recording.
const REPLAYED: usize = 5;
/// The longest time for closing the browser and the file. It exceeds the sum of the limits of the
/// parts.
const CLOSING: Duration = Duration::from_secs(20);

pub(crate) fn run(args: &RecordArgs) -> Result<ExitCode> {
    match &args.recorder {
        Recorder::Web(args) => web(args),
        Recorder::Android(args) => android::run(args),
    }
}

fn web(args: &WebArgs) -> Result<ExitCode> {
    let plan = Plan::new(args)?;
    let Recorded { path, live, driven, summary } = record(args, &plan)?;
    let name = path.as_ref().map_or(args.url.clone(), |path| path.display().to_string());
    // A reason why the analysis ended is also the reason why nothing more could be recorded.
    let analysed = live.map(Live::join).transpose()?;
    print_summary(&summary, &name);
    let kept = match &path {
        Some(_) => format!("\nwhat was recorded until then: interloper check {name}"),
        None => String::new(),
    };
    // A file that cannot be written comes first, because the user must mend that before anything
    // else.
    if let Some(error) = summary.failed {
        bail!("cannot write {name}: {error}{kept}");
    }
    let mut is_stopped = false;
    match driven {
        Ok(()) => {}
        // Who stops a recording does not wait for replays.
        Err(Error::Stopped) => is_stopped = true,
        Err(Error::Closed) if args.headed => {}
        Err(Error::Step { line, why }) => {
            let file = args.steps.as_deref().unwrap_or(Path::new("--steps")).display();
            bail!("{file}:{line}: {why}{kept}")
        }
        Err(error) => bail!("{error}{kept}"),
    }
    let (status, shown) = match (analysed, &path) {
        (Some((report, config, args)), _) => {
            (check::conclude(&args, &config, report.into())?, Shown::new())
        }
        (None, Some(path)) if !args.no_check => {
            let mut check = checked(args, path.clone());
            let secrets = summary.secrets.iter();
            check.given.secrets = secrets.map(|(name, value)| format!("{name}={value}")).collect();
            if is_stopped {
                check.evidence.replay = args.evidence.replay;
            }
            check::check(&check)?
        }
        (None, _) => (ExitCode::SUCCESS, Shown::new()),
    };
    if let Some(path) = path.filter(|_| args.open) {
        explore(path, &args.report, shown)?;
    }
    Ok(status)
}

/// Shows a recording with what its replays have shown, or a folder of recordings, in the browser until Ctrl-C.
fn explore(path: PathBuf, args: &ReportArgs, shown: Shown) -> Result<()> {
    let args = ExploreArgs {
        path,
        port: 0,
        no_open: false,
        source_root: args.source_root.clone(),
        model: args.model.clone(),
        config: args.config.clone(),
        suppress: args.suppress.clone(),
    };
    super::explore::explore(&args, shown).map(drop)
}

/// A recording that has ended. Its file is closed.
struct Recorded {
    /// The file, unless none is kept.
    path: Option<PathBuf>,
    live: Option<Live>,
    /// The reason why the recording ended early, if it did.
    driven: Result<(), Error>,
    summary: Summary,
}

/// Records the page. The first signal ends the recording. Another one ends the process, after the
/// browser has ended and the file is closed.
fn record(args: &WebArgs, plan: &Plan) -> Result<Recorded> {
    let load_timeout = seconds("--load-timeout", args.load_timeout)?;
    let step_timeout = seconds("--step-timeout", args.step_timeout)?;
    browser::find(args.browser.as_deref())?;
    target::check(args.out.as_deref())?;
    if args.live {
        Live::check(&checked(args, PathBuf::from("-")))?;
    }
    let stop = Stop::new().context("cannot wait for signals")?;
    let _unfinished = Unfinished::new(CLOSING).context("cannot wait for signals")?;
    let progress = Rc::new(RefCell::new(Progress::new()));
    let (shown, is_live) = (Rc::clone(&progress), args.live);
    let options = Options {
        browser: browser::Options {
            path: args.browser.clone(),
            headed: args.headed,
            network: if webrec::is_local(&plan.url) { Network::Local } else { Network::Public },
            ignore_certificate_errors: args.visit.ignore_certificate_errors,
            user_agent: args.visit.user_agent.clone(),
        },
        page: plan.page.clone(),
        input: if args.explore { Input::Explored } else { Input::Ordered },
        load_timeout,
        step_timeout,
        early_steps: args.early_steps,
        keep: match () {
            () if args.no_trace || args.explore => Keep::Nothing,
            () if args.no_bodies => Keep::Addresses,
            () => Keep::Answers,
        },
        screenshots: !args.no_screenshots && !args.no_trace,
        replay: None,
        stop: Arc::clone(stop.flag()),
        progress: Box::new(move |counts, doing| {
            // The analysis shows its own line.
            if is_live {
                return;
            }
            let (events, accesses) = (counts.events, counts.accesses);
            let doing = printable(doing);
            shown.borrow_mut().say(&format!("{events} events, {accesses} accesses, {doing}"));
        }),
    };
    if options.browser.network == Network::Public && !browser::has_sandbox() {
        output::note(format_args!(
            "note: as root, the browser has no sandbox: record pages that you do not trust as another user"
        ));
    }
    let started = Ready::start(options);
    progress.borrow_mut().clear();
    let ready = match started {
        Err(Error::Stopped) => bail!("stopped before the page was opened: nothing is recorded"),
        started => started?,
    };
    let (path, file) = if args.no_trace {
        (None, None)
    } else {
        let target = target::open(args.out.as_deref())?;
        let path = target.path;
        if let Some(moved) = target.moved {
            output::note(format_args!("the earlier {} is now {}", path.display(), moved.display()));
        }
        (Some(path), Some(target.file))
    };
    let (live, feed) = match file {
        Some(file) if !args.live => (None, Feed::file(file)),
        file => {
            let path = path.clone().unwrap_or_else(|| PathBuf::from("-"));
            let (live, feed) = Live::start(checked(args, path), file)?;
            (Some(live), feed)
        }
    };
    let recording = Writer::new(feed, native::Options::default())
        .map_err(Error::Write)
        .and_then(|writer| ready.record(writer))
        .with_context(|| match &path {
            Some(path) => format!("cannot write {}", path.display()),
            None => "cannot analyse the recording".to_owned(),
        })?;
    let driven = plan.drive(&recording);
    let picture = args.screenshot.as_ref().map(|_| recording.screenshot());
    let summary = recording.finish();
    progress.borrow_mut().clear();
    if let (Some(file), Some(picture)) = (&args.screenshot, picture) {
        screenshot(file, picture)?;
    }
    Ok(Recorded { path, live, driven, summary })
}

/// Writes the picture of the page. A page that is gone has none.
fn screenshot(file: &Path, picture: Result<Vec<u8>, Error>) -> Result<()> {
    match picture {
        Ok(picture) => output::to(Some(file), |out| Ok(out.write_all(&picture)?))
            .with_context(|| format!("--screenshot {}", file.display())),
        Err(error) => {
            output::note(format_args!("--screenshot: there is no picture of the page: {error}"));
            Ok(())
        }
    }
}

/// Work that a signal does not interrupt: a signal that ends the process waits until this is
/// dropped.
struct Unfinished {
    /// The sender must be dropped first, because dropping the guard would wait for the signal that
    /// waits for it.
    _work: Sender<()>,
    _guard: Guard,
}

impl Unfinished {
    /// Creates the guard. Signals wait no longer than `longest`.
    fn new(longest: Duration) -> io::Result<Unfinished> {
        let (work, ended) = mpsc::channel();
        let wait: Cleanup = Box::new(move || {
            let _ = ended.recv_timeout(longest);
        });
        let ((), guard) = guarded(|| Ok(((), wait)))?;
        Ok(Unfinished { _work: work, _guard: guard })
    }
}

/// The actions to perform on the page.
struct Plan {
    url: Url,
    page: PageOptions,
    steps: Vec<(usize, Step)>,
    exploration: Option<Exploration>,
    /// What the end of the recording waits for.
    until: Option<Until>,
    /// Whether the steps begin before the page has loaded.
    is_early: bool,
    /// How long the page is recorded at the end without further input; `None` means until it is
    /// closed.
    time: Option<Duration>,
}

impl Plan {
    fn new(args: &WebArgs) -> Result<Plan> {
        let steps = args.steps.as_deref().map(steps).transpose()?;
        let asked = args.time.map(|time| seconds("--time", time)).transpose()?;
        let exploration = args.explore.then_some(Exploration {
            depth: args.depth,
            sequences: args.sequences,
            time: asked.unwrap_or(EXPLORING),
            seed: args.seed,
        });
        let time = match asked {
            _ if args.explore => Some(Duration::ZERO),
            Some(time) => Some(time),
            None if args.until.is_some() => Some(UNTIL),
            None if args.headed => None,
            None if steps.is_some() => Some(AFTER_STEPS),
            None => Some(TIME),
        };
        let texts: Vec<_> = steps.iter().flatten().map(|(_, step)| step.to_string()).collect();
        let (secrets, missing) = replays::secrets(&[], &texts.join("\n"))?;
        if let Some(name) = missing.first() {
            let name = name.to_ascii_uppercase();
            bail!("the steps type a secret, which INTERLOPER_SECRET_{name} must contain");
        }
        let (url, page) = page::options(args, secrets)?;
        let until = args.until.as_ref().map(|text| match text.as_str() {
            "quiet" => Until::Quiet,
            selector => Until::Visible(selector.to_string()),
        });
        let (steps, is_early) = (steps.unwrap_or_default(), args.early_steps);
        Ok(Plan { url, page, steps, exploration, until, is_early, time })
    }

    fn drive(&self, recording: &Recording) -> Result<(), Error> {
        if self.is_early {
            recording.open(self.url.as_str())?;
        } else {
            recording.goto(self.url.as_str())?;
        }
        recording.run_steps(&self.steps)?;
        if let Some(how) = &self.exploration {
            let explored = recording.explore(self.url.as_str(), how)?;
            let inputs: usize = explored.sequences.iter().map(Vec::len).sum();
            let why = match explored.why {
                Why::Complete => "all there are",
                Why::Sequences => "--sequences allows no more",
                Why::Time => "--time is over",
            };
            let sequences = explored.sequences.len();
            output::note(format_args!(
                "\rexplored {sequences} sequences of {inputs} inputs: {why}"
            ));
        }
        let Some(until) = &self.until else {
            return recording
                .run_for(self.time.unwrap_or(Duration::MAX), "recording; Ctrl-C ends it");
        };
        let longest = self.time.unwrap_or(UNTIL);
        if recording.run_until(until, longest)? {
            return Ok(());
        }
        let waited = longest.as_secs_f64();
        match until {
            Until::Quiet => {
                output::note(format_args!(
                    "\r--until quiet: the page was still busy after {waited} s; --time S waits longer"
                ));
                Ok(())
            }
            Until::Visible(selector) => {
                Err(Error::NotVisible { selector: selector.clone(), waited: longest })
            }
        }
    }
}

/// Reads the steps in a file.
fn steps(path: &Path) -> Result<Vec<(usize, Step)>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Step::parse_all(&text).map_err(|error| anyhow!("{name}:{}: {}", error.line, error.why))
}

/// Prints on standard error what was recorded, and its anomalies.
fn print_summary(summary: &Summary, name: &str) {
    let counts = summary.counts;
    let (events, accesses) = (counts.events, counts.accesses);
    output::note(format_args!("{name}: {events} events, {accesses} accesses"));
    output::note(health(&summary.health));
    for note in &summary.notes {
        let (code, text) = (printable(&note.code), printable_message(&note.text));
        match note.count {
            1 => output::note(format_args!("note: {code}: {text}")),
            count => {
                output::note(format_args!("note: {code}: {text} (and {} more)", count - 1));
            }
        }
    }
}

/// Returns the line about the page's errors.
fn health(health: &Health) -> String {
    let errors = |errors: &Errors, name: &str| {
        let plural = if errors.count == 1 { "" } else { "s" };
        let first = match errors.count {
            0 => String::new(),
            1 => format!(" ({})", printable(&errors.first)),
            _ => format!(" (first: {})", printable(&errors.first)),
        };
        format!("{} {name}{plural}{first}", errors.count)
    };
    let scripts = if health.unparsable == 1 { "script" } else { "scripts" };
    format!(
        "page: {}, {}, {}, {} unparsable {scripts}",
        errors(&health.console, "console error"),
        errors(&health.requests, "failed request"),
        errors(&health.exceptions, "uncaught exception"),
        health.unparsable
    )
}

/// Returns the arguments of `interloper check` for the recording.
fn checked(args: &WebArgs, trace: PathBuf) -> CheckArgs {
    let mut evidence = args.evidence.clone();
    evidence.replay = evidence.replay.or_else(|| replayed_unasked(args));
    CheckArgs {
        input: TraceArgs { trace, from: None, follow: false, allow_damaged: false },
        report: args.report.clone(),
        compat: None,
        out: args.report_to.clone(),
        evidence,
        given: GivenArgs {
            secrets: Vec::new(),
            cookies: args.visit.cookies.clone(),
            storage_state: args.visit.storage_state.clone(),
            headers: args.visit.headers.clone(),
        },
        browser: args.browser.clone(),
        spares_evidence: true,
        embeds_pictures: args.open,
    }
}

/// What is replayed if the arguments do not say: the first groups, unless the recording does not keep what a
/// replay needs, or another engine or model makes the order.
fn replayed_unasked(args: &WebArgs) -> Option<Replaying> {
    let keeps = !args.no_bodies && !args.explore && !args.headed && !args.live;
    let model = &args.report.model;
    let is_plain = model.engine.is_none() && model.model.is_none();
    (keeps && is_plain).then_some(Replaying::Top(REPLAYED))
}
