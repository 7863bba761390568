//! Runs the user's command with the preload that makes Playwright start a relay in the place of the browser.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use replay::Schedule;
use serde_json::{Value, json};
use tempfile::TempDir;
use webrec::Test;

use super::told::Told;
use crate::cli::playwright::PlaywrightArgs;
use crate::signals::{Guard, Stop, guarded};

/// The code that runs in each process of the test run.
const PRELOAD: &str = include_str!("../../../../../recorder/playwright/preload.cjs");
/// How long the command may go on after a signal. A terminal sends the signal to the command too.
const ENDING: Duration = Duration::from_secs(10);
/// How long after a signal the command is asked to end: a signal may be for this process alone.
const ASKING: Duration = Duration::from_secs(1);
const MOMENT: Duration = Duration::from_millis(20);
/// The exit status of shells for a command that a signal has ended, without the signal.
const SIGNALLED: i32 = 128;

/// The one test that a run is for.
pub(super) struct Only {
    /// What Playwright's `--grep` takes.
    grep: String,
    project: String,
    pub(super) id: String,
}

impl Only {
    pub(super) fn of(test: &Test) -> Only {
        let titles = test.titles.get(1..).unwrap_or_default().join(" ");
        let grep = format!("{}$", escaped(&titles));
        Only { grep, project: test.project.clone(), id: test.id.clone() }
    }
}

/// A text as a regular expression of JavaScript that matches it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if "\\^$.*+?()[]{}|/-".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// A run of the command that has ended.
pub(super) struct Ran {
    /// Where the processes of the run have told what they did.
    pub(super) folder: PathBuf,
    /// Where the recordings are.
    pub(super) recordings: PathBuf,
    /// Whether a signal has stopped the run.
    pub(super) is_stopped: bool,
    status: i32,
}

impl Ran {
    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(u8::try_from(self.status).unwrap_or(1))
    }

    pub(super) fn is_success(&self) -> bool {
        self.status == 0
    }
}

/// Runs the command. What it needs is in a folder that is removed with it.
pub(super) struct Runner<'a> {
    command: &'a [OsString],
    out: PathBuf,
    browser: Option<PathBuf>,
    folder: TempDir,
    stop: Stop,
    _guard: Guard,
}

/// How the command is run.
struct How<'h> {
    name: &'h str,
    pipe: Value,
    only: Option<&'h Only>,
    /// Whether the user sees the output.
    is_shown: bool,
    recordings: PathBuf,
}

impl<'a> Runner<'a> {
    pub(super) fn new(args: &'a PlaywrightArgs) -> Result<Runner<'a>> {
        let stop = Stop::new().context("cannot wait for signals")?;
        let (folder, guard) = guarded(|| {
            let folder = tempfile::Builder::new().prefix("interloper-playwright-").tempdir()?;
            let path = folder.path().to_path_buf();
            Ok((folder, Box::new(move || drop(fs::remove_dir_all(path)))))
        })
        .context("cannot make a temporary folder")?;
        let own = std::env::current_exe().context("cannot find this program")?;
        let browser = browser::find(args.browser.as_deref()).ok();
        let out = fs::canonicalize(&args.out)
            .with_context(|| format!("cannot find {}", args.out.display()))?;
        let runner = Runner { command: &args.command, out, browser, folder, stop, _guard: guard };
        runner.write("preload.cjs", PRELOAD)?;
        let program = runner.write("browser", &script(&own))?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, mode).context("cannot prepare the program for Playwright")?;
        Ok(runner)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// Runs the command as it is.
    pub(super) fn plain(&self) -> Result<Ran> {
        let pipe = json!({ "finder": self.path("finder.js") });
        let recordings = self.out.clone();
        self.run(How { name: "plain", pipe, only: None, is_shown: true, recordings })
    }

    /// Runs the command and records it.
    pub(super) fn recorded(&self, told: &Told) -> Result<Ran> {
        let finder = fs::read_to_string(self.path("finder.js")).unwrap_or_default();
        let conditions = serde_json::to_string(&told.conditions(finder))?;
        self.write("conditions.json", &conditions)?;
        let pipe = json!({ "out": self.out, "conditions": self.path("conditions.json") });
        let recordings = self.out.clone();
        self.run(How { name: "recorded", pipe, only: None, is_shown: false, recordings })
    }

    /// Runs one test with something held back.
    pub(super) fn held(&self, only: &Only, schedule: &Schedule) -> Result<Ran> {
        let schedule = self.write("schedule.json", &schedule.write())?;
        let recordings = self.path("held-recordings");
        // What an earlier run has left.
        let _ = fs::remove_dir_all(&recordings);
        fs::create_dir_all(&recordings).context("cannot make a temporary folder")?;
        let conditions = self.path("conditions.json");
        let pipe = json!({ "out": recordings, "conditions": conditions, "schedule": schedule });
        self.run(How { name: "held", pipe, only: Some(only), is_shown: false, recordings })
    }

    fn run(&self, how: How<'_>) -> Result<Ran> {
        let folder = self.path(how.name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).context("cannot make a temporary folder")?;
        let settings = json!({
            "folder": folder,
            "program": self.path("browser"),
            "browser": self.browser,
            "pipe": how.pipe,
            "only": how.only.map(|only| json!({ "grep": only.grep, "project": only.project })),
            "quiet": !how.is_shown,
            "results": self.path("results"),
        });
        let (program, arguments) = self.command.split_first().context("the command is missing")?;
        // starts: own
        let mut command = Command::new(program);
        command.args(arguments).env("INTERLOPER_PLAYWRIGHT", settings.to_string());
        command.env("NODE_OPTIONS", node_options(&self.path("preload.cjs")));
        if !how.is_shown {
            let log = File::create(self.path(&format!("{}.log", how.name)))?;
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        }
        let child = command
            .spawn()
            .map_err(|error| anyhow!("cannot start {}: {error}", program.display()))?;
        let (status, is_stopped) = wait(child, self.stop.flag())?;
        Ok(Ran { folder, recordings: how.recordings, is_stopped, status })
    }
}

/// Waits for the command. Returns its status, as shells show it, and whether a signal has stopped it.
fn wait(mut child: std::process::Child, stop: &Arc<AtomicBool>) -> Result<(i32, bool)> {
    use std::os::unix::process::ExitStatusExt;
    let mut stopped: Option<Instant> = None;
    let mut is_asked = false;
    let status: ExitStatus = loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            break status;
        }
        if stop.load(Ordering::Relaxed) && stopped.is_none() {
            stopped = Some(Instant::now());
        }
        if !is_asked && stopped.is_some_and(|since| since.elapsed() > ASKING) {
            is_asked = true;
            browser::terminate(&child);
        }
        if stopped.is_some_and(|since| since.elapsed() > ENDING) {
            // The command may have ended meanwhile.
            let _ = child.kill();
        }
        thread::sleep(MOMENT);
    };
    let number = status.code().unwrap_or_else(|| SIGNALLED + status.signal().unwrap_or(0));
    Ok((number, stopped.is_some() || status.code().is_none()))
}

/// The variable with Node's options, to which the preload is added.
fn node_options(preload: &Path) -> OsString {
    let mut options = std::env::var_os("NODE_OPTIONS").unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(format!("--require \"{}\"", preload.display()));
    options
}

/// The program that Playwright starts. Playwright's pipe is on the descriptors 3 and 4.
fn script(own: &Path) -> String {
    let own = quoted(own.as_os_str());
    format!("#!/bin/sh\nexec {own} browser-pipe -- \"$@\" 0<&3 1>&4 3<&- 4>&-\n")
}

/// A word of a shell script.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_test_is_matched_whatever_its_title_contains() {
        let titles = vec!["a.spec.ts".to_string(), "group".to_string(), "a (b) [c] $1".to_string()];
        let only = Only::of(&Test { titles, ..Test::default() });
        assert_eq!(only.grep, r"group a \(b\) \[c\] \$1$");
    }

    #[test]
    fn a_path_is_one_word_of_the_script() {
        assert!(script(Path::new("/a b/it's")).contains(r"exec '/a b/it'\''s' browser-pipe"));
    }
}
