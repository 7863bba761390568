//! Runs `interloper robust --jvm` on the programs of robust/jvm/examples.
//!
//! `script/build-jvm` builds the Java program and the examples. Without them, the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the compiled examples, or `None` if the Java program was not built.
fn examples() -> Option<PathBuf> {
    let target = root().join("robust/jvm/target");
    if target.join("interloper-robust.jar").exists() && target.join("test-classes").exists() {
        return Some(target.join("test-classes"));
    }
    let reason = "robust/jvm was not built: run script/build-jvm";
    assert!(std::env::var_os("INTERLOPER_REQUIRE_ROBUST_JAR").is_none(), "{reason}");
    testkit::skip::skip(reason);
    None
}

fn run(classes: &Path, driver: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interloper"))
        .env("INTERLOPER_ROBUST_JAR", root().join("robust/jvm/target/interloper-robust.jar"))
        .args(["robust", "--jvm", classes.to_str().expect("UTF-8"), "--driver", driver])
        .args(args)
        .output()
        .expect("the binary runs")
}

fn report(classes: &Path, driver: &str) -> Value {
    let output = run(classes, driver, &["--format", "json", "--seconds", "55"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{driver}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    })
}

fn verdict<'r>(report: &'r Value, criterion: &str) -> &'r Value {
    let criteria = report["criteria"].as_array().expect("a list");
    criteria.iter().find(|entry| entry["criterion"] == criterion).expect("the criterion")
}

/// `a-b` as `AB`, the class of the twin of `a-b.evp`.
fn class_name(file: &str) -> String {
    let words = file.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

/// Each program of the corpus has a twin in Java with the verdicts, and the pivots, that its first
/// lines state. The reports validate.
#[test]
fn twins_of_the_corpus_agree() {
    let Some(classes) = examples() else { return };
    let schema = std::fs::read(root().join("schema/interloper-robustness-1.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(root().join("corpus/robustness"))
        .expect("the corpus")
        .map(|entry| entry.unwrap().path())
        .collect();
    programs.sort();
    assert!(programs.len() > 30);
    for program in programs {
        let name = program.file_stem().unwrap().to_str().unwrap();
        let driver = format!("corpus.{}", class_name(name));
        let report = report(&classes, &driver);
        let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{driver}: {errors:?}");
        for line in std::fs::read_to_string(&program).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["//", "expect", criterion, expected] => {
                    assert_eq!(verdict(&report, criterion)["verdict"], expected, "{driver}");
                }
                ["//", "pivot", criterion, method, kind, location] => {
                    let pivot = &verdict(&report, criterion)["witness"]["pivot"];
                    let last = |key: &str| {
                        pivot[key].as_str().unwrap_or("").rsplit('.').next().unwrap().to_owned()
                    };
                    assert_eq!(last("procedure"), method, "{driver}: {pivot}");
                    assert_eq!(pivot["kind"], kind, "{driver}: {pivot}");
                    assert_eq!(last("location"), location, "{driver}: {pivot}");
                }
                _ => {}
            }
        }
    }
}

/// The figures of the paper in Java, programs with monitors, and programs with many events.
#[test]
fn verdicts_of_the_examples() {
    let Some(classes) = examples() else { return };
    for (driver, determinism, serializability) in [
        ("paper.Chat$Broken", "holds", "violated"),
        ("paper.Chat$Repaired", "holds", "holds"),
        ("paper.IconPack$Broken", "violated", "unchecked"),
        ("paper.IconPack$Repaired", "holds", "holds"),
        ("paper.News$SearchAndShow", "holds", "holds"),
        ("paper.News$SearchTwice", "holds", "violated"),
        ("odd.Locks$None", "holds", "violated"),
        ("odd.Locks$Method", "holds", "holds"),
        ("odd.Locks$Block", "holds", "holds"),
        ("odd.Locks$Split", "holds", "violated"),
        ("odd.Locks$Half", "holds", "violated"),
        ("odd.Locks$Two", "holds", "violated"),
        ("odd.Odd$Reflects", "violated", "unchecked"),
        ("odd.Odd$SharesMap", "violated", "unchecked"),
        ("odd.Odd$SharesAtomic", "violated", "unchecked"),
        ("odd.Odd$Catches", "holds", "violated"),
        ("odd.Odd$Chooses", "holds", "violated"),
        ("odd.Odd$WaitsForFuture", "unknown", "unknown"),
        ("odd.Odd$WaitsForLatch", "unknown", "unknown"),
        ("odd.Odd$Spins", "unknown", "unknown"),
    ] {
        let report = report(&classes, driver);
        assert_eq!(verdict(&report, "determinism")["verdict"], determinism, "{driver}");
        assert_eq!(verdict(&report, "serializability")["verdict"], serializability, "{driver}");
    }
    let independent = report(&classes, "scale.Handlers$SevenIndependent");
    assert_eq!(independent["status"], "holds");
    assert!(independent["statistics"]["runs"].as_u64().unwrap() < 20);
}

/// What makes a verdict weaker than it looks is stated with its line.
#[test]
fn nothing_holds_silently() {
    let Some(classes) = examples() else { return };
    for (driver, expected) in [
        ("odd.Odd$UsesRandom", "random numbers are the same in each run at Odd.java:"),
        ("odd.Odd$Sleeps", "Thread.sleep takes no time: tasks run in every order at Odd.java:"),
        ("odd.Odd$Throws", "java.lang.IllegalArgumentException ended a task"),
        ("odd.Odd$WaitsForFuture", "Future.get waits for or wakes other tasks"),
        ("odd.Odd$Spins", "did not end within the steps allowed at Odd.java:"),
    ] {
        let output = run(&classes, driver, &[]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(expected), "{driver}: {text}");
        let unknown = text.contains("unknown");
        assert_eq!(output.status.code(), Some(if unknown { 3 } else { 0 }), "{driver}");
    }
}

/// A driver or a class path that cannot be used is an error with what to do.
#[test]
fn what_cannot_be_checked_is_an_error() {
    let Some(classes) = examples() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["odd/Odd.class", "odd/Odd$LacksClass.class"] {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(classes.join(name), to).unwrap();
    }
    let absent = folder.path().join("absent.jar");
    for (path, driver, expected) in [
        (classes.as_path(), "odd.Nowhere", "the class path has no class odd.Nowhere"),
        (classes.as_path(), "odd.Locks", "has no method public static void main"),
        (classes.as_path(), "odd.Odd$FailingDriver", "no application at Odd.java:"),
        (classes.as_path(), "odd.Odd$EmptyDriver", "declares 0 events"),
        (folder.path(), "odd.Odd$LacksClass", "odd/Absent"),
        (absent.as_path(), "odd.Odd", "which does not exist"),
    ] {
        let output = run(path, driver, &[]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{driver}: {stderr}");
        assert!(stderr.contains(expected), "{driver}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// The witness is what happened on threads, and `check --robustness` finds the violation in it.
#[test]
fn a_witness_confirms_the_violation() {
    let Some(classes) = examples() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (driver, expected) in [
        ("paper.Chat$Broken", "conflict-serializability: 1 violation observed"),
        ("paper.IconPack$Broken", "conflict-determinism: 1 violation observed"),
        ("odd.Locks$Split", "conflict-serializability: 1 violation observed"),
    ] {
        let path = folder.path().join("witness.ilt");
        let witness = path.to_str().expect("UTF-8");
        let output = run(&classes, driver, &["--witness", witness]);
        assert_eq!(output.status.code(), Some(1), "{driver}");
        let checked = Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(["check", "--robustness", "--fail-on", "never", witness])
            .output()
            .expect("the binary runs");
        let text = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(text.contains(expected), "{driver}: {text}");
    }
}
