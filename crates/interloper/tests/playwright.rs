//! Runs `interloper playwright` with commands that run no test: the user's own output and exit status stay, and a
//! message says what was not done. `script/playwright` runs real tests in a browser.

#![cfg(all(unix, feature = "record-web"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn playwright(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.arg("playwright").args(args).current_dir(folder).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_without_tests_keeps_its_output_and_its_status() {
    let folder = tempfile::tempdir().expect("a folder");
    for status in [0, 3] {
        let script = format!("echo out; echo err >&2; exit {status}");
        let done = playwright(folder.path(), &["--", "sh", "-c", &script]);
        assert_eq!(done.status.code(), Some(status));
        assert_eq!(text(&done.stdout), "out\n");
        let errors = text(&done.stderr);
        assert!(errors.starts_with("err\n") && errors.contains("no step of a test"), "{errors}");
    }
}

#[test]
fn a_command_that_a_signal_ends_has_the_status_that_shells_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = playwright(folder.path(), &["--", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(done.status.code(), Some(143), "{}", text(&done.stderr));
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = playwright(folder.path(), &["--", "no-such-command"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("cannot start no-such-command"), "{}", text(&done.stderr));
}

#[test]
fn recordings_of_another_command_are_not_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.ilt"), "x").expect("writable");
    let done = playwright(folder.path(), &["--out", ".", "--", "true"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("--out"), "{}", text(&done.stderr));
    assert!(folder.path().join("mine.ilt").exists());
}

#[test]
fn the_relay_is_only_for_playwright() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    let command = command.args(["browser-pipe", "--", "--headless"]);
    for settings in [None, Some("nonsense")] {
        command.env_remove("INTERLOPER_PIPE");
        if let Some(settings) = settings {
            command.env("INTERLOPER_PIPE", settings);
        }
        let done = command.output().expect("it starts");
        assert_eq!(done.status.code(), Some(2));
        assert!(text(&done.stderr).contains("INTERLOPER_PIPE") || settings.is_none());
    }
}
