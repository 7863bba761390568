//! Checks that the exit status of `check` and every format agree on what is open. Compares them
//! with the definition in `testkit::verdict` on random traces with random suppressions, baselines
//! and `--show`.
//!
//! `INTERLOPER_TRACES` sets the number of traces; CI runs the default.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use testkit::verdict::{self, Decisions, Expected, Stated, THRESHOLDS};

fn traces() -> u64 {
    std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

/// Writes suppressions and baseline to files, and returns the arguments that name the decisions.
fn arguments(folder: &Path, decisions: &Decisions) -> Vec<String> {
    let mut args = Vec::new();
    if !decisions.suppressed.is_empty() {
        let mut file = String::new();
        for location in &decisions.suppressed {
            let _ = writeln!(file, "[[suppress]]\nlocation = '{location}'\nreason = 'known'");
        }
        std::fs::write(folder.join("s.toml"), file).expect("the folder is ours");
        args.extend(["--suppress", "s.toml"].map(String::from));
    }
    if let Some(known) = &decisions.baseline {
        let races: Vec<Value> =
            known.iter().map(|f| json!({ "fingerprint": f, "title": "known" })).collect();
        let file = json!({ "schema": "interloper-baseline/1", "races": races }).to_string();
        std::fs::write(folder.join("b.json"), file).expect("the folder is ours");
        args.extend(["--baseline", "b.json"].map(String::from));
    }
    for label in &decisions.shown {
        args.extend(["--show".to_owned(), label.clone()]);
    }
    args
}

fn stated(format: &str, output: &str, expected: &Expected) -> Stated {
    match format {
        "text" => Stated::in_text(output),
        "json" => Expected::in_json(&serde_json::from_str(output).expect("JSON")),
        "sarif" => expected.in_sarif(&serde_json::from_str(output).expect("JSON")),
        "junit" => Stated::in_junit(output),
        "github" => Stated::in_github(output),
        "markdown" => Stated::in_markdown(output),
        _ => Stated::in_html(output),
    }
}

#[test]
fn formats_and_exit_status_agree_on_what_is_open() {
    let formats = ["text", "json", "sarif", "junit", "github", "markdown", "html"];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let mut statuses = [[0; 2]; 4];
    for seed in 0..traces() {
        let mut text = Vec::new();
        codec::text::write(&verdict::trace(seed), &mut text).expect("memory");
        std::fs::write(folder.join("a.trace"), text).expect("the folder is ours");
        let model = ["android", "event", "web"][(seed / 5) as usize % 3];
        let common = ["check", "a.trace", "--model", model, "--limit", "0"];
        // A race that is not described in full may be shown by the decisions.
        let plain = run(folder, &[&common[..], &["--format", "json", "--full"]].concat());
        let plain: Value = serde_json::from_slice(&plain.stdout).expect("JSON");
        let decisions = Decisions::drawn(seed, &plain);
        let expected = Expected::new(&plain, &decisions);
        let decided = arguments(folder, &decisions);
        let decided: Vec<&str> = decided.iter().map(String::as_str).collect();
        for (i, format) in formats.into_iter().enumerate() {
            let threshold = (seed as usize + i) % THRESHOLDS.len();
            let how = ["--format", format, "--fail-on", THRESHOLDS[threshold]];
            let output = run(folder, &[&common[..], &how, &decided].concat());
            let what = format!("seed {seed}, {how:?}, {decided:?}");
            let status = i32::from(expected.fails[threshold]);
            assert_eq!(code(&output), status, "{what}: {}", stdout(&output));
            statuses[threshold][usize::from(expected.fails[threshold])] += 1;
            let limit = if format == "github" { 10 } else { usize::MAX };
            let stated = stated(format, stdout(&output), &expected);
            assert_eq!(stated, expected.limited(limit), "{what}");
        }
        // Without --fail-on, the status is 1 exactly if something is open.
        let output = run(folder, &[&common[..], &decided].concat());
        assert_eq!(code(&output), i32::from(expected.open.races > 0), "seed {seed}, {decided:?}");
    }
    let [harmful, uncovered, any, never] = statuses;
    for threshold in [harmful, uncovered, any] {
        assert!(threshold.iter().all(|&n| n >= traces() / 12), "{statuses:?}");
    }
    assert_eq!(never[1], 0);
}

fn page_of(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).expect("the page is there")
}

/// The first case on the page of `same-value`: uncovered races that labels hide.
#[test]
fn races_that_a_label_hides_fail_only_when_they_are_shown() {
    let page = page_of("labels/same-value.md");
    let case = page.split("```trace\n").nth(1).and_then(|rest| rest.split("```").next());
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.trace"), case.expect("a case")).unwrap();
    let check = |args: &[&str]| run(folder.path(), &[&["check", "a.trace"], args].concat());
    let output = check(&[]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("no open races, out of 2 races on 1 location."));
    assert!(
        stdout(&output).contains(
            "2 hidden by labels (same-value 2, only-local-reads 2), shown by --show LABEL"
        )
    );
    assert_eq!(code(&check(&["--fail-on", "any"])), 1);
    let output = check(&["--show", "same-value"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("2 open races in 1 group, out of 2 races on 1 location."));
    assert!(!stdout(&output).contains("Set aside"), "{}", stdout(&output));
    let report = check(&["--format", "json"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(report["summary"]["uncovered_races"], 2);
    assert_eq!(report["summary"]["open_races"], 0);
}

/// Under a common lock nothing is open, whatever the threshold, unless such pairs are shown.
#[test]
fn races_under_a_common_lock_count_only_when_they_are_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = "interloper-trace 1\nt1 lock l\nt1 write x value=1\nt1 unlock l\n\
                 t2 lock l\nt2 write x value=1\nt2 unlock l\n";
    std::fs::write(folder.path().join("a.trace"), trace).unwrap();
    let check = |args: &[&str]| run(folder.path(), &[&["check", "a.trace"], args].concat());
    assert_eq!(code(&check(&["--fail-on", "any"])), 0);
    assert_eq!(code(&check(&["--fail-on", "any", "--show", "same-value"])), 0);
    assert_eq!(code(&check(&["--show", "lock-protected"])), 1);
}
