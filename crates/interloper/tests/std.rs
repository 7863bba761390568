//! Tests STD logs and engine `stream` through the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use testkit::threads::{Shape, write_std};

const RACE: &str = "T0|fork(T1)|10\nT0|acq(L1)|11\nT0|w(V1)|12\nT0|rel(L1)|13\nT1|w(V1)|20\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("the folder is writable");
        path
    }
}

fn run(command: &str, file: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .arg(command)
        .arg(file)
        .args(args)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn report(file: &Path, args: &[&str]) -> Value {
    let args = [&["--format", "json", "--fail-on", "never"], args].concat();
    let output = run("check", file, &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("a schema");
    jsonschema::validate(&schema, &report).expect("a report of the schema");
    report
}

#[test]
fn logs_are_recognised_and_of_model_threads() {
    let folder = Folder::new();
    for name in ["log.std", "log"] {
        let report = report(&folder.file(name, RACE), &[]);
        assert_eq!(report["trace"]["format"], "std");
        assert_eq!((&report["model"], &report["engine"]), (&"threads".into(), &"graph".into()));
        assert_eq!(report["races"][0]["first"]["op"], 2);
        assert_eq!(report["races"][0]["second"]["source"]["line"], 20);
        assert_eq!(report["diagnostics"], Value::Array(Vec::new()));
    }
    assert_eq!(run("check", &folder.file("log.std", RACE), &[]).status.code(), Some(1));
}

/// Compares the two ways of engine `stream`, directly from the file and over a trace in memory.
/// Their results must be equal.
#[test]
fn a_log_gives_one_report_whichever_way_it_is_read() {
    let folder = Folder::new();
    for seed in 0..40 {
        let shape = Shape { handles: 0, ..Shape::drawn(seed, 300) };
        let mut log = Vec::new();
        write_std(seed, &shape, &mut log).expect("memory does not fail");
        // Only a trace in memory has call stacks.
        let log: Vec<&str> = text(&log)
            .lines()
            .filter(|line| !line.contains("|begin(") && !line.contains("|end("))
            .collect();
        let std = folder.file("log.std", log.join("\n") + "\n");
        let trace = folder.0.path().join("log.trace");
        assert!(run("convert", &std, &[trace.to_str().expect("UTF-8")]).status.success());
        let (mut one, mut other) =
            (report(&std, &["--engine", "stream"]), report(&trace, &["--engine", "stream"]));
        for report in [&mut one, &mut other] {
            report["trace"]["format"] = Value::Null;
            report["diagnostics"] = Value::Null;
        }
        assert_eq!(one, other, "seed {seed}");
        let oracle = report(&std, &["--engine", "oracle"]);
        assert_eq!(one["summary"]["locations"], oracle["summary"]["locations"], "seed {seed}");
    }
}

#[test]
fn long_logs_go_to_the_stream_by_default() {
    let folder = Folder::new();
    let mut log = Vec::new();
    write_std(1, &Shape::long(60_000, 8, 1000), &mut log).expect("memory does not fail");
    let log = folder.file("long.std", log);
    assert_eq!(report(&log, &[])["engine"], "stream");
    let refused = run("check", &log, &["--pairs", "all", "--engine", "stream"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--pairs all needs --engine graph"));
}

#[test]
fn the_stream_refuses_what_it_does_not_know() {
    let folder = Folder::new();
    let log = folder.file("log.std", RACE);
    let refusals: [(&str, &[&str], &str); 5] = [
        ("check", &["--pairs", "all"], "--pairs all needs --engine graph"),
        (
            "check",
            &["--model", "droidracer"],
            "cannot close model droidracer in one pass; use --engine graph",
        ),
        (
            "check",
            &["--model", "web", "--rule", "-EVENT-ORDER"],
            "cannot switch EVENT-ORDER off; use --engine graph",
        ),
        ("check", &["--rule", "-LOCK-ORDER"], "cannot switch LOCK-ORDER off"),
        ("order", &["--matrix"], "keeps no order"),
    ];
    for (command, args, message) in refusals {
        let output = run(command, &log, &[&["--engine", "stream"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}

#[test]
fn bad_logs_are_reported_by_line_from_either_engine() {
    let folder = Folder::new();
    let log = folder.file("bad.std", "T0|w(V1)|1\nT0|cas(V1)|2\nT0|w(V1)|3\n");
    for engine in ["oracle", "stream"] {
        let output = run("check", &log, &["--engine", engine]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("bad.std: 2:4: operation `cas`; expected one of r"));
    }
    let cut = folder.file("cut.std", "T0|rel(L1)|1\nT0|rel(L1)|1\nT0|w(");
    let codes = |engine| {
        assert_eq!(run("check", &cut, &["--engine", engine]).status.code(), Some(2));
        let report = report(&cut, &["--engine", engine, "--allow-damaged"]);
        let found = report["diagnostics"].as_array().expect("a list").clone();
        let mut codes: Vec<String> = found.iter().map(|d| d["code"].to_string()).collect();
        codes.sort();
        codes.dedup();
        codes
    };
    assert_eq!(codes("stream"), ["\"cut-line\"", "\"unlock-without-lock\""]);
    assert_eq!(codes("stream"), codes("oracle"));
}

#[test]
fn logs_are_counted_and_converted() {
    let folder = Folder::new();
    let log = folder.file("log.std", RACE);
    let stats = run("stats", &log, &["--format", "json"]);
    let stats: Value = serde_json::from_slice(&stats.stdout).expect("JSON");
    assert_eq!((&stats["format"], &stats["threads"]), (&"std".into(), &2.into()));
    let trace = folder.0.path().join("log.trace");
    let back = folder.0.path().join("back.std");
    assert!(run("convert", &log, &[trace.to_str().expect("UTF-8")]).status.success());
    assert!(run("convert", &trace, &[back.to_str().expect("UTF-8")]).status.success());
    assert_eq!(std::fs::read_to_string(back).expect("written"), RACE);
}

#[test]
fn a_million_threads_that_do_not_meet_cost_little() {
    let folder = Folder::new();
    let log: Vec<String> = (0..1_000_000).map(|t| format!("T{t}|r(V{})|1\n", t % 9)).collect();
    let log = folder.file("threads.std", log.concat());
    let report = report(&log, &[]);
    assert_eq!(
        (&report["engine"], &report["trace"]["threads"]),
        (&"stream".into(), &1_000_000.into())
    );
    assert_eq!(report["summary"]["races"], 0);
}

/// Each thread learns of all threads before it, so the clocks have threads² entries.
#[test]
fn too_many_threads_that_meet_are_refused() {
    let folder = Folder::new();
    let meeting = |threads: u32| {
        let section = |t| format!("T{t}|acq(L0)|1\nT{t}|w(V0)|2\nT{t}|rel(L0)|3\n");
        (0..threads).map(section).collect::<Vec<_>>().concat()
    };
    let many = folder.file("many.std", meeting(40_000));
    let refused = run("check", &many, &[]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("many.std") && said.contains("clocks of 40000 threads"), "{said}");
    let trace = folder.0.path().join("many.trace");
    assert!(run("convert", &many, &[trace.to_str().expect("UTF-8")]).status.success());
    let refused = run("check", &trace, &["--engine", "stream"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("clocks of 40000 threads"));
    let few = folder.file("few.std", meeting(10_000));
    assert_eq!(report(&few, &["--engine", "stream"])["summary"]["races"], 0);
}
