//! Tests `interloper synth` through the command line: the trace and its answers.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn interloper(args: &[&str], directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args)
        .current_dir(directory)
        .output()
        .expect("the program runs")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// Returns the location, the operations and whether it is covered, of every race or answer.
type Conflict = (String, u64, u64, bool);

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn answers(file: &Path) -> BTreeSet<Conflict> {
    let answers = json(&std::fs::read(file).expect("the answers stand beside the trace"));
    let races = answers["answers"].as_array().expect("a list").iter().filter_map(|answer| {
        let covered = match answer["verdict"].as_str() {
            Some("race") => false,
            Some("covered") => true,
            _ => return None,
        };
        let [first, second] = [0, 1].map(|i| number(&answer["operations"][i]));
        Some((text(&answer["location"]), first, second, covered))
    });
    races.collect()
}

fn reported(report: &Value) -> BTreeSet<Conflict> {
    let races = report["races"].as_array().expect("a list").iter();
    let unprotected = races.filter(|race| {
        !race["labels"].as_array().expect("a list").iter().any(|label| label == "lock-protected")
    });
    unprotected
        .map(|race| {
            let [first, second] = ["first", "second"].map(|end| number(&race[end]["op"]));
            let covered = race["covered"].as_bool().expect("a flag");
            (text(&race["location"]), first, second, covered)
        })
        .collect()
}

#[test]
fn check_reports_the_answers() {
    let directory = tempfile::tempdir().expect("a place for files");
    let profile = "sync_operations = 1200\naccesses = 1500\nlooper_threads = 3\n\
                   other_threads = 18\nlooper_events = 200\nbinder_events = 20\nlocations = 300\n";
    std::fs::write(directory.path().join("mine.toml"), profile).expect("writable");
    let made =
        interloper(&["synth", "mine.toml", "--out", "t.ilt", "--seed", "5"], directory.path());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let printed = String::from_utf8(made.stdout).expect("text");
    for line in ["operations", "accesses", "FIFO levels", "chains", "planted"] {
        assert!(printed.contains(line), "{printed}");
    }
    let args = ["check", "t.ilt", "--engine", "oracle", "--format", "json"];
    let report = interloper(&args, directory.path());
    let expected = answers(&directory.path().join("t.ilt.answers.json"));
    assert_eq!(expected.len(), 26 + 2 * 8);
    assert_eq!(reported(&json(&report.stdout)), expected);
}

#[test]
fn a_pipe_gets_the_bytes_of_a_file() {
    let directory = tempfile::tempdir().expect("a place for files");
    let file = ["synth", "mix/fifo", "--scale", "0.01", "--out", "t.ilt", "--stretch", "3"];
    let made = interloper(&file, directory.path());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut pipe = file;
    pipe[5] = "-";
    let piped = interloper(&[&pipe[..], &["--answers", "a.json"]].concat(), directory.path());
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    let read = |name: &str| std::fs::read(directory.path().join(name)).expect("written");
    assert_eq!(piped.stdout, read("t.ilt"));
    assert_eq!(read("a.json"), read("t.ilt.answers.json"));
    assert_eq!(piped.stderr, made.stdout, "the figures do not stand in the pipe");
}

#[test]
fn invalid_requests_are_reported() {
    let directory = tempfile::tempdir().expect("a place for files");
    std::fs::write(directory.path().join("bad.toml"), "looper_event = 3").expect("writable");
    for (args, expected) in [
        (&["synth", "asyncclock/AnyMem", "--out", "t.ilt"][..], "Did you mean asyncclock/AnyMemo?"),
        (&["synth", "bad.toml", "--out", "t.ilt"], "looper_event"),
        (&["synth", "mix/fifo"], "--out"),
        (&["synth", "mix/fifo", "--out", "t.ilt", "--scale", "0"], "--scale"),
        (&["synth", "mix/fifo", "--out", "-"], "--answers"),
        (&["synth", "mix/fifo", "--out", "t.ilt", "--stretch", "0"], "--stretch"),
        (&["synth", "asyncclock/AnyMemo", "--out", "t.ilt", "--scale", "70"], "--scale 62"),
        (&["synth", "mix/fifo", "--out", "no/such/t.ilt"], "no/such/t.ilt"),
    ] {
        let output = interloper(args, directory.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("there").count(), 1);
}

#[test]
fn the_profiles_are_listed() {
    let directory = tempfile::tempdir().expect("a place for files");
    for args in [["synth", "--list"], ["synth", "list"]] {
        let listed = String::from_utf8(interloper(&args, directory.path()).stdout).expect("text");
        for name in [
            "asyncclock/Twitter",
            "eventracer-android/Facebook-10",
            "eventracer-web/max",
            "mix/front",
        ] {
            assert!(listed.contains(name), "{listed}");
        }
    }
}
