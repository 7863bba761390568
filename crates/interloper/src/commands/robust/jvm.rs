//! `interloper robust --jvm`: starts the Java program that explores, and answers its messages.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use robust::Criterion;
use robust::jvm::{Reply, Session};

use crate::cli::{AnswerFormat, Criteria, RobustArgs};
use crate::progress::Progress;
use crate::{output, signals};

/// The file name of the Java program.
const JAR: &str = "interloper-robust.jar";

/// How long the Java program may take to end after its time is over.
const GRACE: Duration = Duration::from_secs(15);

pub(super) fn run(class_path: &str, args: &RobustArgs, criteria: &[Criterion]) -> Result<ExitCode> {
    let driver = args.driver.as_deref().context(
        "--jvm needs --driver CLASS, a class with a method `public static void \
         main(interloper.robust.Driver)` (docs/robustness.md)",
    )?;
    let report = explore(class_path, driver, args)?.report(driver, criteria);
    if let Some(path) = &args.witness {
        super::write_witness(report.recording(), path)?;
    }
    output::to(None, |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report.json())?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => Ok(write!(out, "{}", report.text())?),
    })?;
    Ok(ExitCode::from(report.status().exit_code()))
}

/// Runs the Java program until it is done.
fn explore(class_path: &str, driver: &str, args: &RobustArgs) -> Result<Session> {
    let mut command = Command::new("java");
    command
        .args(["-XX:+UseSerialGC", "-Xmx1g", "-jar"])
        .arg(jar()?)
        .args([class_path, driver, &args.seconds.to_string()])
        .arg(match args.criterion {
            Criteria::Det => "det",
            Criteria::Ser => "ser",
            Criteria::Both => "both",
        })
        .args(&args.include)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (child, _guard) = signals::guarded(|| {
        let child = Arc::new(Mutex::new(command.spawn()?));
        let cleanup = Arc::clone(&child);
        Ok((child, Box::new(move || end(&cleanup))))
    })
    .map_err(|error| {
        anyhow!(error).context("cannot start `java`; install a JDK, version 17 or newer")
    })?;
    let outcome = converse(&child, Duration::from_secs(args.seconds) + GRACE);
    end(&child);
    outcome
}

/// Ends the Java program, if it still runs.
fn end(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
    let _ = child.wait();
}

fn converse(child: &Arc<Mutex<Child>>, limit: Duration) -> Result<Session> {
    let (mut input, lines, errors) = {
        let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = "the pipes of the Java program";
        (
            child.stdin.take().context(missing)?,
            child.stdout.take().context(missing)?,
            child.stderr.take().context(missing)?,
        )
    };
    // What the virtual machine itself complains about, for example a jar that it cannot read.
    let complaints = std::thread::spawn(move || {
        BufReader::new(errors).lines().map_while(Result::ok).take(20).collect::<Vec<_>>().join("\n")
    });
    watch(child, limit);
    let mut session = Session::default();
    let mut progress = Progress::new();
    for line in BufReader::new(lines).lines() {
        match session
            .line(&line?)
            .map_err(|error| anyhow!("a message of the Java program: {error}"))?
        {
            Reply::Listen => {}
            Reply::Progress(text) => progress.say(&text),
            // The program may have ended already; the loop then ends, too.
            Reply::Send(text) => drop(writeln!(input, "{text}").and_then(|()| input.flush())),
            Reply::Failed(message) => {
                progress.clear();
                bail!("{message}");
            }
            Reply::Done => {
                progress.clear();
                return Ok(session);
            }
        }
    }
    progress.clear();
    let complaints = complaints.join().unwrap_or_default();
    bail!("the Java program ended early: {}", report::name::printable_message(&complaints))
}

/// Ends the Java program if it does not keep to its time, so that the conversation ends.
fn watch(child: &Arc<Mutex<Child>>, limit: Duration) {
    let child = Arc::downgrade(child);
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        if let Some(child) = child.upgrade() {
            end(&child);
        }
    });
}

/// The path of the Java program: given, beside this program, or where its build puts it.
fn jar() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("INTERLOPER_ROBUST_JAR").map(PathBuf::from) {
        let found = fs::exists(&path).unwrap_or(false);
        return if found {
            Ok(path)
        } else {
            Err(anyhow!("INTERLOPER_ROBUST_JAR names {}, which does not exist", path.display()))
        };
    }
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let beside = program.parent().map(|folder| folder.join(JAR));
    let built = program
        .ancestors()
        .skip(1)
        .take(4)
        .map(|folder| folder.join("robust/jvm/target").join(JAR));
    beside.into_iter().chain(built).find(|path| path.is_file()).with_context(|| {
        format!(
            "{JAR} was not found beside this program; `script/build` makes it, with Maven and a \
             JDK, or `mvn package` in robust/jvm; INTERLOPER_ROBUST_JAR may name another place"
        )
    })
}
