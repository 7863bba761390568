//! Tests that cannot run on this machine.
//!
//! The test runner counts a test that skips itself as passed. `script/test` sets
//! `INTERLOPER_SKIPPED` to the name of a file, subtracts the tests that the file names from those
//! that passed, and prints them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Records that the calling test skips itself. To be called on the thread of the test, before it
/// returns.
pub fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    let Some(file) = std::env::var_os("INTERLOPER_SKIPPED") else { return };
    let line = line(&program(), std::thread::current().name().unwrap_or("main"), reason);
    let mut file = OpenOptions::new().append(true).create(true).open(file).expect("writable");
    file.write_all(line.as_bytes()).expect("writable");
}

/// One line: the test, a tab, the reason.
fn line(program: &str, test: &str, reason: &str) -> String {
    format!("{program}::{test}\t{}\n", reason.replace(['\n', '\t'], " "))
}

/// The name of the test program, without the hash that Cargo appends.
fn program() -> String {
    let path = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_one_line_with_the_test_and_the_reason() {
        let test = std::thread::current().name().expect("a test has a name").to_owned();
        assert_eq!(
            line(&program(), &test, "no\nfile"),
            "testkit::skip::tests::a_skip_is_one_line_with_the_test_and_the_reason\tno file\n"
        );
    }
}
