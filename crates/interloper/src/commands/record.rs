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
use webrec::{Error, Input, Options, Recording, Summary};

use super::check;
use crate::cli::{CheckArgs, RecordArgs, Recorder, TraceArgs, WebArgs};
use crate::follow;
use crate::progress::Progress;

/// How long a page is recorded when nothing else is said.
const TIME: f64 = 5.0;

pub(crate) fn run(args: &RecordArgs) -> Result<ExitCode> {
    match &args.recorder {
        Recorder::Web(args) => web(args),
    }
}

fn web(args: &WebArgs) -> Result<ExitCode> {
    let url = page(&args.url)?;
    let time = match args.time {
        Some(time) => Some(seconds("--time", time)?),
        None if args.headed => None,
        None => Some(seconds("--time", TIME)?),
    };
    let load_timeout = seconds("--load-timeout", args.load_timeout)?;
    browser::find(args.browser.as_deref())?;
    let progress = Rc::new(RefCell::new(Progress::new()));
    let line = Rc::clone(&progress);
    let options = Options {
        browser: browser::Options { path: args.browser.clone(), headed: args.headed },
        runtime: webrec::RUNTIME.to_string(),
        input: Input::Ordered,
        load_timeout,
        stop: follow::stopped_by_interrupt().context("cannot wait for Ctrl-C")?,
        progress: Box::new(move |counts, doing| {
            let (events, accesses) = (counts.events, counts.accesses);
            line.borrow_mut().say(&format!("{events} events, {accesses} accesses, {doing}"));
        }),
    };
    let (path, file) = create(args.out.as_deref())?;
    let name = path.display();
    let started = Writer::new(file, native::Options::default())
        .map_err(Error::Write)
        .and_then(|writer| Recording::start(options, writer));
    let recording = started.map_err(|error| {
        // Nothing was recorded, and an empty file is of no use.
        if path.metadata().is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(&path);
        }
        anyhow!(error)
    })?;
    let driven = recording.goto(url.as_str()).and_then(|()| {
        let time = time.unwrap_or(Duration::MAX);
        recording.run_for(time, "recording; Ctrl-C ends it")
    });
    let summary = recording.finish();
    progress.borrow_mut().clear();
    tell(&summary, &path);
    match driven {
        Ok(()) | Err(Error::Stopped) => {}
        Err(Error::Closed) if args.headed => {}
        Err(error) => {
            bail!("{error}\nwhat was recorded until then: interloper check {name}")
        }
    }
    if let Some(error) = summary.failed {
        bail!("cannot write {name}: {error}\nwhat was written until then: interloper check {name}");
    }
    if args.no_check {
        return Ok(ExitCode::SUCCESS);
    }
    check::run(&checked(args, path))
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
