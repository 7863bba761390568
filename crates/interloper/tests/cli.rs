//! Runs the binary as its users do: output, exit status, and the errors for bad input.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args)
        .current_dir(root())
        .output()
        .expect("the binary runs")
}

fn run_on(input: &[u8], args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that fails early does not read its input to the end.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the binary ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

const RACE: &[u8] = b"interloper-trace 1\nt1 write x value=1\nt2 read x\n";
const NO_RACE: &[u8] = b"interloper-trace 1\nt1 write x\nt1 fork t2\nt2 init\nt2 read x\n";

const WRITES: &[u8] = b"interloper-trace 1\nt1 write x value=1\nt2 write x value=2\n";

#[test]
fn the_exit_status_follows_fail_on() {
    assert_eq!(code(&run_on(RACE, &["check", "-"])), 1);
    assert_eq!(code(&run_on(NO_RACE, &["check", "-"])), 0);
    for (trace, expected) in [(RACE, [1, 1, 1, 0]), (WRITES, [0, 1, 1, 0])] {
        for (threshold, expected) in ["harmful", "uncovered", "any", "never"].iter().zip(expected) {
            assert_eq!(code(&run_on(trace, &["check", "-", "--fail-on", threshold])), expected);
        }
    }
}

#[test]
fn covered_races_name_what_covers_them() {
    let trace = "corpus/eventracer-web/button.trace";
    let report = run(&["check", trace, "--format", "json"]);
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let covered: Vec<&Value> =
        report["races"].as_array().unwrap().iter().filter(|r| r["covered"] == true).collect();
    assert!(!covered.is_empty());
    for race in covered {
        assert!(!race["covered_by"].as_array().unwrap().is_empty());
    }
}

#[test]
fn every_report_of_the_corpus_is_valid() {
    let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let mut checked = 0;
    for folder in std::fs::read_dir(root().join("corpus")).expect("the corpus is there") {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|e| e != "trace") {
                continue;
            }
            for pairs in ["candidates", "all"] {
                let path = file.to_str().unwrap();
                let output = run(&["check", path, "--format", "json", "--pairs", pairs]);
                assert!(code(&output) <= 1, "{path}: {}", stderr(&output));
                let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                let errors: Vec<_> = validator.iter_errors(&report).collect();
                assert!(errors.is_empty(), "{path}: {errors:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 40, "only {checked} reports were checked");
}

#[test]
fn order_answers_as_the_contract_says() {
    let answer = |a: &str, b: &str| -> Value {
        let output = run_on(NO_RACE, &["order", "-", a, b, "--format", "json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_eq!(answer("0", "3")["relation"], "before");
    assert_eq!(answer("3", "0")["relation"], "after");
    assert_eq!(answer("2", "2")["relation"], "same");
    let path = &answer("1", "3")["path"];
    assert_eq!(path[0], serde_json::json!({"from": 1, "to": 2, "rule": "THREAD-FORK"}));
    let unordered = run_on(RACE, &["order", "-", "0", "1", "--format", "json"]);
    let unordered: Value = serde_json::from_slice(&unordered.stdout).expect("JSON");
    assert_eq!(unordered["relation"], "unordered");
    assert_eq!(unordered["path"], serde_json::json!([]));
}

#[test]
fn the_matrix_has_a_line_for_each_operation() {
    let output = run_on(NO_RACE, &["order", "-", "--matrix"]);
    assert_eq!(stdout(&output), "0111\n0011\n0001\n0000\n");
    let output = run_on(NO_RACE, &["order", "-", "--matrix", "--rule", "-THREAD-FORK"]);
    assert_eq!(stdout(&output), "0100\n0000\n0001\n0000\n");
}

#[test]
fn the_model_comes_from_the_flag_then_the_header_then_android() {
    let model = |header: &str, args: &[&str]| -> Value {
        let trace = format!("interloper-trace 1\n{header}t1 write x\n");
        let all = [&["check", "-", "--format", "json"], args].concat();
        let report: Value =
            serde_json::from_slice(&run_on(trace.as_bytes(), &all).stdout).expect("JSON");
        report["model"].clone()
    };
    assert_eq!(model("", &[]), "android");
    assert_eq!(model("model event\n", &[]), "event");
    assert_eq!(model("model event\n", &["--model", "asyncclock"]), "asyncclock");
}

#[test]
fn conversion_is_stable() {
    let trace = "corpus/eventracer-android/image-rows.trace";
    let once = run(&["convert", trace, "-", "--to", "text"]);
    assert_eq!(code(&once), 0);
    let twice = run_on(&once.stdout, &["convert", "-", "-", "--to", "text"]);
    assert_eq!(once.stdout, twice.stdout);
}

#[test]
fn stats_count() {
    let output = run_on(NO_RACE, &["stats", "-", "--format", "json"]);
    let stats: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(stats["operations_total"], 4);
    assert_eq!(stats["operations"]["write"], 1);
    assert_eq!(stats["threads"], 2);
    assert!(stdout(&run_on(NO_RACE, &["stats", "-"])).contains("locations"));
}

/// Bad input and bad arguments give exit status 2, one line on standard error, and nothing on
/// standard output.
#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let cases: &[(&[u8], &[&str], &str)] = &[
        (b"", &["check", "-"], "standard input: "),
        (b"hello\n", &["check", "-"], "interloper-trace 1"),
        (b"interloper-trace 9\n", &["check", "-"], "standard input: 1:18"),
        (b"interloper-trace 1\nt1 jump x\n", &["check", "-"], "standard input: 2:4"),
        (b"interloper-trace 1\nmodel warp\nt1 init\n", &["check", "-"], "--model chooses"),
        (RACE, &["check", "-", "--rule", "NATIVE"], "expected + or -"),
        (RACE, &["check", "-", "--rule", "-NOPE"], "has no rule"),
        (RACE, &["check", "-", "--rule", "é"], "expected + or -"),
        (RACE, &["order", "-", "0", "99"], "has no operation 99"),
        (RACE, &["convert", "-", "out.unknown"], "--to is one of"),
        (RACE, &["check", "/no/such/file.trace"], "cannot read /no/such/file.trace"),
        (RACE, &["check", "-", "--out", "/no/such/folder/report"], "cannot write"),
    ];
    for (input, args, expected) in cases {
        let output = run_on(input, args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{args:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn anomalies_are_listed_and_do_not_stop_the_analysis() {
    let trace = b"interloper-trace 1\nt1 end m\nt1 unlock l\nt1 write x\nt2 write x\n";
    let output = run_on(trace, &["check", "-"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("warning: wrong-end at operation 0"));
    assert!(stdout(&output).contains("warning: unlock-without-lock at operation 1"));
}

/// A trace is untrusted: its names must not reach the terminal unescaped, nor open files outside.
#[test]
fn hostile_names_are_shown_as_text() {
    let trace = "interloper-trace 1\nt%1B[31m1 write x%0Ay%E2%80%AE value=%1B]0;evil%07 \
                 src=../../../../../../../../etc/passwd:1\nt2 write x%0Ay%E2%80%AE src=/etc/passwd:1\n";
    let output = run_on(trace.as_bytes(), &["check", "-", "--color", "never"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 1);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(!text.contains("root:"), "{text}");
}

#[test]
fn a_report_file_is_complete_or_absent() {
    let folder = std::env::temp_dir().join(format!("interloper-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let out = folder.join("report.json");
    let args = ["check", "-", "--format", "json", "--out", out.to_str().unwrap()];
    assert_eq!(code(&run_on(RACE, &args)), 1);
    serde_json::from_slice::<Value>(&std::fs::read(&out).unwrap()).expect("complete JSON");
    assert_eq!(code(&run_on(b"nonsense", &args)), 2);
    let unread: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).expect("JSON");
    assert_eq!(unread["input"]["completeness"], "nothing", "it is about this input");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file stays");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_same_trace_gives_the_same_report() {
    let args = ["check", "corpus/eventracer-web/two-buttons.trace", "--format", "json"];
    assert_eq!(run(&args).stdout, run(&args).stdout);
}

/// Two events read and write each other's location. One interleaving is recorded, and another one
/// would not be serializable.
#[test]
fn robustness_of_a_recording_is_reported() {
    let trace = b"interloper-trace 1\nmain attach ui\nmain begin click\nmain read x\n\
        main enqueue save pool\nmain end click\nmain begin edit\nmain write x\nmain end edit\n\
        bg begin save\nbg read x\nbg end save\n";
    let args = ["check", "-", "--robustness", "--fail-on", "never"];
    let text = run_on(trace, &args);
    assert!(stdout(&text).contains("conflict-serializability: 1 violation observed"));
    let json = run_on(trace, &[&args[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let cycle = &report["robustness"]["serializability"]["observed"][0]["conflicts"];
    assert_eq!(cycle.as_array().expect("a cycle").len(), 2);
    let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    assert!(validator.is_valid(&report));
}

/// The output of `-v` goes to standard error, and the report stays unchanged.
#[test]
fn verbose_shows_where_the_time_goes() {
    let trace = "corpus/asyncclock/fig1.trace";
    let (quiet, verbose) = (run(&["check", trace]), run(&["check", "-v", trace]));
    assert_eq!(stdout(&verbose), stdout(&quiet));
    assert!(quiet.stderr.is_empty());
    let stderr = String::from_utf8_lossy(&verbose.stderr);
    for phase in ["read", "closed", "detected", "judged", "printed"] {
        assert!(stderr.lines().any(|line| line.starts_with(phase)), "{phase} of {stderr}");
    }
    assert!(stderr.contains("SEND"), "the rules with new conclusions: {stderr}");
}

/// A build without the recorder keeps the command, which states why it fails and what to do.
#[cfg(not(all(unix, feature = "record-web")))]
#[test]
fn a_build_that_cannot_record_says_why() {
    let output = run(&["record", "web", "http://localhost:8000/", "--headed"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("this interloper cannot record web pages"));
    let help = run(&["--help"]);
    assert!(!stdout(&help).lines().any(|line| line.starts_with("  record ")));
}
