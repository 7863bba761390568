//! `interloper record`: record a program while it runs, and report its races.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use codec::native::{self, Writer};
use report::name::{printable, printable_message};
use url::Url;
use webrec::{Error, Exploration, Input, Options, Recording, Step, Summary, Why};

use super::check;
use crate::cli::{CheckArgs, RecordArgs, Recorder, TraceArgs, WebArgs};
use crate::follow;
use crate::progress::Progress;

/// How long a page is recorded, left to itself after steps, and explored, when nothing else is said.
const TIME: Duration = Duration::from_secs(5);
const AFTER_STEPS: Duration = Duration::from_secs(1);
const EXPLORING: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &RecordArgs) -> Result<ExitCode> {
    match &args.recorder {
        Recorder::Web(args) => web(args),
    }
}

fn web(args: &WebArgs) -> Result<ExitCode> {
    let plan = Plan::new(args)?;
    let load_timeout = seconds("--load-timeout", args.load_timeout)?;
    browser::find(args.browser.as_deref())?;
    let progress = Rc::new(RefCell::new(Progress::new()));
    let line = Rc::clone(&progress);
    let options = Options {
        browser: browser::Options { path: args.browser.clone(), headed: args.headed },
        runtime: webrec::RUNTIME.to_string(),
        input: if args.explore { Input::Explored } else { Input::Ordered },
        load_timeout,
        stop: follow::stopped_by_interrupt().context("cannot wait for Ctrl-C")?,
        progress: Box::new(move |counts, doing| {
            let (events, accesses) = (counts.events, counts.accesses);
            let doing = printable(doing);
            line.borrow_mut().say(&format!("{events} events, {accesses} accesses, {doing}"));
        }),
    };
    let (path, file) = create(args.out.as_deref())?;
    let started = Writer::new(file, native::Options::default())
        .map_err(Error::Write)
        .and_then(|writer| Recording::start(options, writer));
    let recording = started.map_err(|error| {
        // Nothing was recorded, and an empty file is of no use; a device is not ours to remove.
        if path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
            let _ = fs::remove_file(&path);
        }
        anyhow!(error)
    })?;
    let driven = plan.drive(&recording);
    let summary = recording.finish();
    progress.borrow_mut().clear();
    tell(&summary, &path);
    let name = path.display();
    let kept = format!("what was recorded until then: interloper check {name}");
    // Whatever else went wrong, a file that cannot be written is what must be mended first.
    if let Some(error) = summary.failed {
        bail!("cannot write {name}: {error}\n{kept}");
    }
    match driven {
        Ok(()) | Err(Error::Stopped) => {}
        Err(Error::Closed) if args.headed => {}
        Err(Error::Step { line, why }) => {
            let file = args.steps.as_deref().unwrap_or(Path::new("--steps")).display();
            bail!("{file}:{line}: {why}\n{kept}")
        }
        Err(error) => bail!("{error}\n{kept}"),
    }
    if args.no_check {
        return Ok(ExitCode::SUCCESS);
    }
    check::run(&checked(args, path))
}

/// What is to be done with the page.
struct Plan {
    url: Url,
    steps: Vec<(usize, Step)>,
    exploration: Option<Exploration>,
    /// How long the page is left to itself at the end; without, until it is closed.
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
            None if args.headed => None,
            None if steps.is_some() => Some(AFTER_STEPS),
            None => Some(TIME),
        };
        Ok(Plan { url: page(&args.url)?, steps: steps.unwrap_or_default(), exploration, time })
    }

    fn drive(&self, recording: &Recording) -> Result<(), Error> {
        recording.goto(self.url.as_str())?;
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
            eprintln!("\rexplored {sequences} sequences of {inputs} inputs: {why}");
        }
        recording.run_for(self.time.unwrap_or(Duration::MAX), "recording; Ctrl-C ends it")
    }
}

/// The steps in a file.
fn steps(path: &Path) -> Result<Vec<(usize, Step)>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Step::parse_all(&text).map_err(|error| anyhow!("{name}:{}: {}", error.line, error.why))
}

/// The address of a page.
fn page(text: &str) -> Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ if !text.contains("://") => {
            bail!("{text} is no address of a page: write http://{text}")
        }
        Ok(url) => bail!(
            "{}: pages are recorded over http or https; serve the folder, as with `python3 -m http.server`",
            url.scheme()
        ),
        Err(error) => bail!("{text} is no address of a page: {error}"),
    }
}

fn seconds(option: &str, value: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value)
        .map_err(|_| anyhow!("{option} {value} is no time in seconds"))
}

/// The file that was asked for, or the first of the usual names that is free.
fn create(asked: Option<&Path>) -> Result<(PathBuf, File)> {
    if let Some(path) = asked {
        let file = File::create(path);
        return Ok((
            path.into(),
            file.with_context(|| format!("cannot write {}", path.display()))?,
        ));
    }
    for number in 1.. {
        let path = match number {
            1 => PathBuf::from("recording.ilt"),
            n => PathBuf::from(format!("recording-{n}.ilt")),
        };
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => bail!("cannot write {}: {error}; --out names a file", path.display()),
            Ok(file) => return Ok((path, file)),
        }
    }
    unreachable!("there are more names than files")
}

/// Says on standard error what was recorded, and what was odd.
fn tell(summary: &Summary, path: &Path) {
    let counts = summary.counts;
    eprintln!("{}: {} events, {} accesses", path.display(), counts.events, counts.accesses);
    for note in &summary.notes {
        let (code, text) = (printable(&note.code), printable_message(&note.text));
        match note.count {
            1 => eprintln!("note: {code}: {text}"),
            count => eprintln!("note: {code}: {text} (and {} more)", count - 1),
        }
    }
}

/// What `interloper check` would be asked about the recording.
fn checked(args: &WebArgs, trace: PathBuf) -> CheckArgs {
    CheckArgs {
        input: TraceArgs { trace, from: None, follow: false },
        report: args.report.clone(),
        compat: None,
        out: args.report_to.clone(),
    }
}
