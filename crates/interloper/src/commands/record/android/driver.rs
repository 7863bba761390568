//! The Java process that runs the app, and the conversation with it: a command is a line of words
//! between tabs, and its answer some lines and a line with a full stop (`headless.Session`).

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use report::name::printable_message;

use super::agent::Module;
use super::apk::{App, Tools};
use super::confine::Program;
use crate::output;
use crate::signals::{Guard, guarded};

/// The largest heap of the Java process. A real app on the real framework needs some 200 MB.
const HEAP: &str = "-Xmx1g";
/// Packages of the Java library that Robolectric reaches into.
const OPENED: [&str; 10] = [
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.reflect",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.security",
    "java.base/java.text",
    "java.base/java.util",
    "java.base/jdk.internal.access",
    "java.desktop/java.awt.font",
];
/// How often a wait looks for a signal.
const MOMENT: Duration = Duration::from_millis(50);
/// How many lines of what the process prints are kept, and of each how many bytes.
const KEPT: usize = 40;
const LONGEST: usize = 500;

/// The answer to a command.
#[derive(Default, Debug)]
pub(super) struct Answer(Vec<(String, String)>);

impl Answer {
    /// Returns the texts with a word.
    pub(super) fn all<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == word).map(|(_, text)| text.as_str())
    }

    /// Returns the first text with a word.
    pub(super) fn one<'a>(&'a self, word: &'a str) -> Option<&'a str> {
        self.all(word).next()
    }

    /// Returns why the app can do nothing more, if so.
    pub(super) fn end(&self) -> Option<End> {
        let own = |text: &str| text.replace('\u{2028}', "\n");
        if let Some(text) = self.one("crash") {
            return Some(End::Crash(own(text)));
        }
        if let Some(status) = self.one("exit") {
            return Some(End::Exit(status.to_owned()));
        }
        if let Some(text) = self.one("hang") {
            return Some(End::Hang(own(text)));
        }
        self.one("full").map(|_| End::Full)
    }
}

/// Why an app, or its process, ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// An exception that nobody caught, with its stack.
    Crash(String),
    /// The app ended its own process, with a status.
    Exit(String),
    /// The main thread does not come out of an event. Its stack.
    Hang(String),
    /// The recording has reached its largest size.
    Full,
    /// The Java process died, or did not answer in time.
    Died(String),
    /// The driver itself failed.
    Failed(String),
    /// A signal arrived.
    Stopped,
}

/// A running Java process.
pub(super) struct Driver {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<JoinHandle<Vec<String>>>,
    _guard: Guard,
}

impl Driver {
    /// Starts the process. It writes recordings to `out`, which is a folder or the only file.
    pub(super) fn start(
        tools: &Tools,
        app: &App,
        packages: &[String],
        out: &Path,
    ) -> Result<Driver> {
        let program = program(tools, app, packages, out)?;
        let mut command = tools.confinement.command(tools.java, &program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A terminal's Ctrl-C must reach this process only, which ends the other in its own time.
        command.process_group(0);
        let (child, guard) = guarded(|| {
            let child = Arc::new(Mutex::new(command.spawn()?));
            let cleanup = Arc::clone(&child);
            Ok((child, Box::new(move || kill(&cleanup))))
        })
        .context("cannot start Java")?;
        let (input, answers, errors) = {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            let missing = "the pipes of the Java process";
            (
                child.stdin.take().context(missing)?,
                child.stdout.take().context(missing)?,
                child.stderr.take().context(missing)?,
            )
        };
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let complaints = Some(thread::spawn(move || last_lines(errors)));
        Ok(Driver { child, input: Some(input), lines, complaints, _guard: guard })
    }

    /// Sends a command and waits for its answer.
    pub(super) fn ask(
        &mut self,
        words: &[&str],
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, End> {
        let line = words.join("\t") + "\n";
        let sent = self
            .input
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.died());
        }
        let end = Instant::now() + limit;
        let mut answer = Answer::default();
        loop {
            match self.lines.recv_timeout(MOMENT) {
                Ok(line) if line == "." => break,
                Ok(line) => {
                    let (word, text) = line.split_once('\t').unwrap_or((line.as_str(), ""));
                    answer.0.push((word.to_owned(), text.to_owned()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(End::Stopped);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > end => {
                    let seconds = limit.as_secs();
                    return Err(End::Died(format!("it did not answer within {seconds} s")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        match answer.one("failed") {
            Some(why) => Err(End::Failed(why.to_owned())),
            None => Ok(answer),
        }
    }

    /// Says how the process died.
    fn died(&mut self) -> End {
        self.input = None;
        let status = {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
        };
        let complaints = self.complaints.take().and_then(|lines| lines.join().ok());
        let last = complaints.unwrap_or_default().join("\n");
        let separator = if last.is_empty() { "" } else { ":\n" };
        End::Died(format!("{status}{separator}{last}"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        kill(&self.child);
    }
}

/// Ends the process at once. Its recording was flushed when the last event ended.
fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads what the process prints, and returns the last lines. Those of the recorder itself are
/// passed on.
fn last_lines(from: impl Read) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limited = reader.by_ref().take(1 << 16).read_until(b'\n', &mut line);
        if !matches!(limited, Ok(count) if count > 0) {
            return kept;
        }
        let mut text = printable_message(&String::from_utf8_lossy(&line));
        text.truncate(text.floor_char_boundary(LONGEST));
        let text = text.trim_end().to_owned();
        if text.starts_with("interloper: ") {
            output::note(&text);
        }
        kept.push(text);
        if kept.len() > KEPT {
            kept.remove(0);
        }
    }
}

fn program(tools: &Tools, app: &App, packages: &[String], out: &Path) -> Result<Program> {
    let agent = Module::Agent.find()?;
    let own = [Module::Driver.find()?, Module::Standin.find()?];
    let mut class_path: Vec<PathBuf> = own.to_vec();
    class_path.extend(tools.jars.of("driver"));
    let joined = std::env::join_paths(&class_path).context("a path has a colon")?;
    let with = |name: &str, path: &Path| {
        let mut option = OsString::from(name);
        option.push(path);
        option
    };
    let mut arguments: Vec<OsString> = vec![
        with("-javaagent:", &agent),
        HEAP.into(),
        "-Xss1m".into(),
        "-XX:TieredStopAtLevel=1".into(),
        "-XX:+UseSerialGC".into(),
        "-XX:-UsePerfData".into(),
        "-Djava.awt.headless=true".into(),
        "-Duser.timezone=UTC".into(),
        "-Drobolectric.offline=true".into(),
        with("-Drobolectric.dependency.dir=", &tools.jars.framework()),
    ];
    arguments.extend(OPENED.iter().map(|name| format!("--add-opens={name}=ALL-UNNAMED").into()));
    arguments.extend(["-cp".into(), joined, "headless.Main".into()]);
    arguments.extend([app.apk.clone().into(), app.jar.clone().into()]);
    let folder = if out.is_dir() { out } else { out.parent().unwrap_or(Path::new("/")) };
    let mut environment = vec![
        ("INTERLOPER_ANDROID_OUT", folder.as_os_str().to_owned()),
        ("INTERLOPER_ANDROID_APP", "1".into()),
    ];
    if !packages.is_empty() {
        environment.push(("INTERLOPER_ANDROID_PACKAGES", packages.join(",").into()));
    }
    if let Some(limit) = std::env::var_os("INTERLOPER_ANDROID_LIMIT") {
        environment.push(("INTERLOPER_ANDROID_LIMIT", limit));
    }
    let mut reads = vec![agent, tools.jars.folder().to_owned(), app.jar.clone(), app.apk.clone()];
    reads.extend(own);
    Ok(Program { reads, writes: vec![out.to_owned()], arguments, environment })
}
