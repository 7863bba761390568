//! Measures whole analyses of traces of growing length, and prints a table and plots: the graph engine, engine
//! `stream` without and with a window, and AsyncClock as published without and with a window.
//!
//! `length INTERLOPER PLOTS WINDOW SECONDS GIGABYTES FILE…` analyses each native file by every algorithm, each
//! in a process of its own with limits on processor time and memory. The binary `INTERLOPER` runs our engines
//! under model `asyncclock`. The plots have the names `PLOTS-time.svg` and `PLOTS-memory.svg`. `length
//! asyncclock WINDOW FILE` is a process that runs AsyncClock; a window of 0 is none. It decodes, orders, and
//! finds the racy locations by FastTrack, and makes no report.

#![allow(clippy::cast_precision_loss, reason = "shown with few digits")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use baselines::asyncclock::{AsyncClock, Options, Row};
use codec::native::{Batches, Declared, Step};
use testkit::plot::{Plot, Series};
use trace::Op;

const NAMES: [&str; 5] = ["graph", "stream", "stream, window", "AsyncClock", "AsyncClock, window"];

/// The measurements of one process.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    megabytes: f64,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [word, window, file] if word == "asyncclock" => {
            run_asyncclock(window.parse().expect("seconds"), file);
        }
        [interloper, plots, window, seconds, gigabytes, files @ ..] if !files.is_empty() => {
            compare(interloper, plots, window, (seconds, gigabytes), files);
        }
        _ => {
            eprintln!("usage: length INTERLOPER PLOTS WINDOW SECONDS GIGABYTES FILE…");
            std::process::exit(2);
        }
    }
}

fn run_asyncclock(window: u64, file: &str) {
    let window = (window > 0).then_some(window * 1_000_000_000);
    let mut clock = AsyncClock::new(Options { window, as_printed: true, ..Options::default() });
    let mut declared = Declared::default();
    for batch in Batches::new(File::open(file).expect("the file was made")).expect("memory") {
        let batch = batch.expect("a whole file");
        declared.absorb(&batch).expect("a sound file");
        for &(thread, process) in declared.take_processes() {
            clock.assign_process(thread, process);
        }
        for step in batch.steps() {
            match step {
                Step::Sync(row) => {
                    let (number, thread, event, op) = (row.number, row.thread, row.event, row.op);
                    if !matches!(op, Op::Lock(_) | Op::Unlock(_)) {
                        clock.pass(&Row { number, thread, event, op, at: row.attributes.at });
                    }
                }
                Step::Call(_) => {}
                Step::Run(run) => {
                    for at in run.rows() {
                        let (location, write) =
                            (batch.accesses.locations[at], batch.accesses.writes[at]);
                        clock.access((run.thread, run.event), location, write);
                    }
                }
            }
        }
    }
    println!("{} racy locations, {:?}", clock.racy().len(), clock.stats());
}

/// Runs a command with limits. None if it reached a limit.
fn run(command: &[&str], (seconds, gigabytes): (&str, &str)) -> Option<(Measured, String)> {
    let limits = "ulimit -t \"$1\"; ulimit -v $(($2 * 1048576)); shift 2; exec \"$@\"";
    // starts: own, time
    let output = Command::new("time")
        .args(["-f", "MEASURED %U %S %M", "sh", "-c", limits, "sh", seconds, gigabytes])
        .args(command)
        .output()
        .expect("the command `time`");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let words: Vec<f64> = errors
        .lines()
        .find_map(|line| line.strip_prefix("MEASURED "))?
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, system, kilobytes] = words.as_slice() else { return None };
    let measured = Measured { seconds: user + system, megabytes: kilobytes / 1024.0 };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some((measured, text))
}

fn compare(interloper: &str, plots: &str, window: &str, limits: (&str, &str), files: &[String]) {
    let own = std::env::current_exe().expect("the program has a path");
    let own = own.to_str().expect("a path in UTF-8");
    let seconds = format!("{window}s");
    println!(
        "Limits: {} s of processor time, {} GB; `–` is a limit reached.\n",
        limits.0, limits.1
    );
    println!("| trace | operations | algorithm | CPU s | growth | M op/s | peak MB | growth | |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut series: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); NAMES.len()];
    let mut out = [false; NAMES.len()];
    for file in files {
        let operations = operations(file);
        for (i, name) in NAMES.iter().enumerate() {
            let check = [
                interloper,
                "check",
                file,
                "--model",
                "asyncclock",
                "--fail-on",
                "never",
                "--out",
                "/dev/null",
                "--engine",
            ];
            let command: Vec<&str> = match i {
                0 => [&check[..], &["graph"]].concat(),
                1 => [&check[..], &["stream"]].concat(),
                2 => [&check[..], &["stream", "--window", &seconds]].concat(),
                3 => vec![own, "asyncclock", "0", file],
                _ => vec![own, "asyncclock", window, file],
            };
            let done = if out[i] { None } else { run(&command, limits) };
            out[i] = done.is_none();
            row((stem(file), operations, name), done.as_ref(), series[i].last());
            series[i].extend(done.map(|(measured, _)| (operations, measured)));
        }
    }
    let plot = |what: &str, y: &str, of: fn(&Measured) -> f64| {
        let lines = NAMES.iter().zip(&series).filter(|(_, line)| !line.is_empty());
        let series = lines.map(|(name, line)| Series {
            name: (*name).to_owned(),
            points: line.iter().map(|(x, measured)| (*x, of(measured).max(0.01))).collect(),
            reference: false,
        });
        let plot = Plot {
            title: format!("AnyMemo, model asyncclock, window {window} s: {what}"),
            x: "operations".into(),
            y: y.into(),
            series: series.collect(),
        };
        fs::write(format!("{plots}-{what}.svg"), plot.svg()).expect("a writable folder");
    };
    plot("time", "processor time in s", |m| m.seconds);
    plot("memory", "peak memory in MB", |m| m.megabytes);
}

/// The number of operations of a file, from the answers beside it.
fn operations(file: &str) -> f64 {
    let answers = fs::read_to_string(format!("{file}.answers.json")).expect("made with answers");
    let line = answers.lines().find_map(|line| line.trim().strip_prefix("\"operations\": "));
    line.and_then(|number| number.trim_end_matches(',').parse().ok()).expect("a number")
}

/// The name of a file without its folder and extension.
fn stem(file: &str) -> &str {
    Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file)
}

fn row(
    (stem, operations, name): (&str, f64, &str),
    done: Option<&(Measured, String)>,
    half: Option<&(f64, Measured)>,
) {
    let Some((done, text)) = done else {
        return println!("| {stem} | {operations} | {name} | – | – | – | – | – | |");
    };
    let growth = |of: fn(&Measured) -> f64| {
        half.map_or("–".into(), |(_, half)| format!("{:.2}", of(done) / of(half)))
    };
    let note = if text.contains("racy locations") { text.trim() } else { "" };
    println!(
        "| {stem} | {operations} | {name} | {:.2} | {} | {:.1} | {:.0} | {} | {note} |",
        done.seconds,
        growth(|m| m.seconds),
        operations / done.seconds / 1e6,
        done.megabytes,
        growth(|m| m.megabytes),
    );
}
