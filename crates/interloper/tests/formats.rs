//! Tests formats on the command line: tables, standard input, files that are still being written.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use codec::native::{Options, Writer};
use trace::{Attributes, LocationId, Op, ThreadId};

const NOTATION: &str = "interloper-trace 1\nmodel event\nprocess shop t u\nlocation x kind=dom\n\
                        t enqueue m q\nt read x src=a.js:3 at=5\nt write x value=1\nu begin m\n\
                        u read x\nu end m\n";

fn interloper(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.current_dir(folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    interloper(folder).args(args).output().expect("the binary runs")
}

fn converted(folder: &Path, from: &str, to: &str) {
    let output = run(folder, &["convert", from, to]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Returns the report on standard output, without the commands that name the input file.
fn races(output: &Output) -> String {
    let report = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    assert!(report.contains("race["), "{report}");
    report.lines().filter(|line| !line.contains("= order: interloper order ")).collect()
}

#[test]
fn a_trace_goes_round_all_formats_that_hold_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("a.trace"), NOTATION).expect("writable");
    for (from, to) in [
        ("a.trace", "b.ilt"),
        ("b.ilt", "c.parquet"),
        ("c.parquet", "d.ilt"),
        ("d.ilt", "e.parquet"),
        ("e.parquet", "f.trace"),
    ] {
        converted(at, from, to);
    }
    assert_eq!(std::fs::read_to_string(at.join("f.trace")).expect("written"), NOTATION);
    // A table is a trace like any other, under any name.
    std::fs::rename(at.join("e.parquet"), at.join("table")).expect("there");
    let (text, table) = (run(at, &["check", "a.trace"]), run(at, &["check", "table"]));
    assert_eq!(text.status.code(), table.status.code());
    assert_eq!(races(&text), races(&table));
}

#[test]
fn a_damaged_table_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bad.parquet"), b"PAR1 nonsense PAR1").expect("writable");
    let message = error(&run(folder.path(), &["check", "bad.parquet"]));
    assert!(message.contains("bad.parquet") && message.contains("Parquet"), "{message}");
}

#[test]
fn duckdb_reads_what_convert_writes() {
    let Some(python) = std::env::var_os("INTERLOPER_PYTHON") else {
        testkit::skip::skip("INTERLOPER_PYTHON names no Python with duckdb (see script/test)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("a.trace"), NOTATION).expect("writable");
    converted(at, "a.trace", "a.ilt");
    converted(at, "a.ilt", "a.parquet");
    // `at` is a keyword of DuckDB.
    let query = r#"import duckdb; print(duckdb.sql("""select op, thread, event, kind, object, "at",
                   file, line from 'a.parquet' where object = 'x' order by op""").fetchall())"#;
    // starts: python3
    let output = Command::new(python).args(["-c", query]).current_dir(at).output().expect("runs");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "[(1, 't', None, 'read', 'x', 5, 'a.js', 3), (2, 't', None, 'write', 'x', None, None, \
         None), (4, 'u', 'm', 'read', 'x', None, None, None)]",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_native_file_comes_on_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("a.trace"), NOTATION).expect("writable");
    converted(at, "a.trace", "a.ilt");
    let from_input = |args: &[&str]| {
        let file = File::open(at.join("a.ilt")).expect("there");
        interloper(at).args(args).stdin(file).output().expect("the binary runs")
    };
    assert_eq!(from_input(&["convert", "-", "-", "--to", "text"]).stdout, NOTATION.as_bytes());
    let checked = from_input(&["check", "-"]);
    assert_eq!(races(&checked), races(&run(at, &["check", "a.trace"])));
    assert_eq!(checked.status.code(), run(at, &["check", "a.trace"]).status.code());
}

/// A recording of thread `t` that accesses `x`.
struct Recording(Writer<File>);

impl Recording {
    fn start(path: &Path) -> Self {
        let sink = File::create(path).expect("writable");
        let mut writer = Writer::new(sink, Options::default()).expect("writable");
        writer.names().threads.intern(b"t");
        writer.names().locations.intern(b"x");
        Self(writer)
    }

    fn access(&mut self, write: bool) {
        let at = LocationId(0);
        let op = if write { Op::Write(at) } else { Op::Read(at) };
        self.0.push(ThreadId(0), op, Attributes::default()).expect("writable");
        self.0.flush().expect("writable");
    }
}

#[test]
fn convert_shows_operations_while_they_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recording = Recording::start(&folder.path().join("g.ilt"));
    let mut child = interloper(folder.path())
        .args(["convert", "g.ilt", "-", "--to", "text", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().map(|line| line.expect("UTF-8"));
    recording.access(false);
    assert_eq!(next().as_deref(), Some("interloper-trace 1"));
    assert_eq!(next().as_deref(), Some("t read x"));
    recording.access(true);
    assert_eq!(next().as_deref(), Some("t write x"));
    recording.0.finish().expect("writable");
    assert_eq!(next(), None);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn what_is_declared_late_is_said_to_be_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recording = Recording::start(&folder.path().join("g.ilt"));
    recording.access(false);
    recording.0.set_model(b"event").expect("writable");
    recording.access(true);
    recording.0.finish().expect("writable");
    let shown = run(folder.path(), &["convert", "g.ilt", "-", "--to", "text", "--follow"]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "interloper-trace 1\nt read x\nt write x\n");
    assert!(String::from_utf8_lossy(&shown.stderr).contains("converting g.ilt again"));
    let whole = run(folder.path(), &["convert", "g.ilt", "-", "--to", "text"]);
    assert!(
        String::from_utf8_lossy(&whole.stdout).starts_with("interloper-trace 1\nmodel event\n")
    );
}

#[test]
fn stats_and_check_follow_to_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recording = Recording::start(&folder.path().join("g.ilt"));
    recording.access(false);
    let children =
        [&["stats", "--format", "json"][..], &["check", "--format", "json"]].map(|args| {
            interloper(folder.path())
                .args(args)
                .args(["g.ilt", "--follow"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary runs")
        });
    recording.access(true);
    recording.0.finish().expect("writable");
    let [stats, check] = children.map(|child| child.wait_with_output().expect("it ends"));
    let counted: serde_json::Value = serde_json::from_slice(&stats.stdout).expect("JSON");
    assert_eq!(counted["operations_total"], 2);
    assert!(String::from_utf8_lossy(&stats.stderr).contains("of them accesses"));
    let report: serde_json::Value = serde_json::from_slice(&check.stdout).expect("JSON");
    assert_eq!((&report["trace"]["operations"], check.status.code()), (&2.into(), Some(0)));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_following_not_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recording = Recording::start(&folder.path().join("g.ilt"));
    recording.access(false);
    let mut child = interloper(folder.path())
        .args(["convert", "g.ilt", "-", "--to", "text", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    // Once it has printed something, it waits for more data and for the interrupt.
    assert!(lines.next().is_some());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    assert_eq!(lines.map(|line| line.expect("UTF-8")).collect::<Vec<_>>(), ["t read x"]);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = File::create(folder.path().join("a.trace")).expect("writable");
    file.write_all(NOTATION.as_bytes()).expect("writable");
    for (args, said) in [
        (&["stats", "-", "--follow"][..], "standard input"),
        (&["stats", "a.trace", "--follow", "--from", "text"], "not format text"),
        (&["stats", "a.trace", "--follow"], "as every .ilt file does"),
        (&["stats", "none.ilt", "--follow"], "cannot read none.ilt"),
    ] {
        let message = error(&run(folder.path(), args));
        assert!(message.contains(said), "{message}");
    }
}
