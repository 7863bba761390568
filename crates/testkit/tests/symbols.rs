//! `script/split-symbols`: a split program is smaller, and its backtraces have lines as long as the
//! file of its symbols is beside it.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

const PANIC: &str = "INTERLOPER_TEST_PANIC";

/// Fails in a process that asks for it.
#[test]
fn panics_when_asked() {
    assert!(std::env::var_os(PANIC).is_none(), "asked to");
}

/// The lines of the backtrace of a program that panics.
fn backtrace(program: &Path) -> Vec<String> {
    // starts: own
    let output = Command::new(program)
        .args(["panics_when_asked", "--exact", "--nocapture"])
        .env(PANIC, "1")
        .env("RUST_BACKTRACE", "1")
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(text.contains("asked to"), "{text}");
    text.lines().map(str::trim).filter(|line| line.starts_with("at ")).map(str::to_owned).collect()
}

fn names_this_file(backtrace: &[String]) -> bool {
    backtrace.iter().any(|line| line.contains("symbols.rs:"))
}

#[test]
fn a_split_program_finds_its_symbols() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    std::fs::copy(std::env::current_exe().expect("this test"), &program).expect("a copy");
    let size = || std::fs::metadata(&program).expect("a file").len();
    let (whole, before) = (size(), backtrace(&program));
    assert!(names_this_file(&before), "{before:?}");

    let split = || {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../script/split-symbols");
        // starts: own
        let status = Command::new(script).arg(&program).status();
        assert!(status.expect("the script runs").success());
    };
    split();
    let stripped = size();
    assert!(stripped < whole / 2, "{whole} bytes became {stripped}");
    let after = backtrace(&program);
    assert!(names_this_file(&after), "{after:?}");

    // Again, which changes nothing: the symbols would be lost.
    split();
    assert_eq!(size(), stripped);
    assert!(names_this_file(&backtrace(&program)));

    std::fs::remove_file(folder.path().join("program.debug")).expect("the symbols");
    assert!(!names_this_file(&backtrace(&program)), "the symbols are in the program");
}
