//! Runs `interloper robust` as users and programs do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(args).output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

/// Every report validates, its status is the exit status, and all kinds of verdict occur.
#[test]
fn json_is_what_the_schema_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = std::fs::read(root.join("schema/interloper-robustness-1.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let files = std::fs::read_dir(root.join("corpus/robustness")).expect("the corpus");
    let mut programs: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    programs.sort();
    let mut verdicts = std::collections::BTreeSet::new();
    for program in &programs {
        let path = program.to_str().expect("UTF-8");
        let output = run(&["robust", path, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
        let status = match report["status"].as_str() {
            Some("proved") => 0,
            Some("violated") => 1,
            _ => 3,
        };
        assert_eq!(code(&output), status, "{path}");
        for criterion in report["criteria"].as_array().expect("a list") {
            verdicts.insert(criterion["verdict"].as_str().expect("a word").to_owned());
        }
    }
    assert_eq!(
        verdicts.into_iter().collect::<Vec<_>>(),
        ["proved", "unchecked", "unknown", "violated"]
    );
}

/// Expects exit status 2, the code, the position, the line and what to do.
#[test]
fn a_wrong_program_gets_the_position_and_what_to_do() {
    let cases = [
        ("procedure p() { call q(); }\n", "evp-unknown-name", ":1:22", "call q();"),
        (
            "procedure p() { while * { async[any] q(); } }\nprocedure q() { }\n",
            "evp-unbounded-async",
            ":1:27",
            "repeat",
        ),
        ("procedure p() {\n    asinc[any] q();\n}\n", "evp-syntax", ":2:5", "`async`"),
        ("procedure p() {\n    x := ;\n    call q();\n}\n", "evp-unknown-name", ":3:10", "q"),
        ("procedure p() { }\ndriver { }\n", "evp-bad-driver", ":2:1", "driver"),
        ("var a: [0..9; 9000000];\nprocedure p() { }\n", "evp-too-large", ":1:", "9000000"),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wrong.evp");
    for (program, error, place, shown) in cases {
        std::fs::write(&path, program).unwrap();
        let output = run(&["robust", path.to_str().expect("UTF-8")]);
        let stderr = String::from_utf8(output.stderr.clone()).expect("UTF-8");
        assert_eq!(code(&output), 2, "{stderr}");
        for expected in [error, &format!("wrong.evp{place}"), shown, "help"] {
            assert!(stderr.contains(expected), "{expected}: {stderr}");
        }
        assert!(output.stdout.is_empty());
    }
}

/// An input that is no program is refused with its position and what to do.
#[test]
fn files_that_are_no_programs_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: [(&str, &[u8], &str); 4] = [
        ("logo.png", b"\x89PNG\r\n\x1a\n\x00", "logo.png:1:1: this is not text"),
        ("half.evp", b"var x;\nvar \xff;\n", "half.evp:2:5: this is not text"),
        ("run.trace", b"interloper-trace 1\n", "check --robustness"),
        ("notes.md", b"# Notes\n\nNone.\n", "notes.md:1:1"),
    ];
    for (name, content, expected) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let output = run(&["robust", path.to_str().expect("UTF-8")]);
        let stderr = String::from_utf8(output.stderr.clone()).expect("UTF-8");
        assert_eq!(code(&output), 2, "{stderr}");
        assert!(stderr.contains(expected) && stderr.contains(".evp"), "{name}: {stderr}");
        assert!(output.stdout.is_empty());
    }
    let output = run(&["robust", folder.path().to_str().expect("UTF-8")]);
    assert_eq!(code(&output), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is a directory"));
}
