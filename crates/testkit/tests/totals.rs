//! Tests of `script/parts.sh`: it counts the results of every runner, counts no failed test as
//! passed, and runs all parts.

use std::path::Path;
use std::process::Command;

/// Runs a script of parts; its standard output and exit status.
fn run(parts: &str) -> (String, i32) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::temp_dir().join(format!("interloper-totals-{:x}", fastrand::u64(..)));
    let script =
        format!("set -euo pipefail\n. script/setup.sh\n. script/parts.sh\n{parts}\nfinish\n");
    // starts: own
    let output = Command::new("bash")
        .args(["-c", script.as_str()])
        .current_dir(root)
        .env("INTERLOPER_PARTS", &folder)
        .output()
        .expect("bash runs");
    std::fs::remove_dir_all(&folder).expect("the folder of the logs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text, output.status.code().expect("it exits"))
}

/// The last line, and the exit status.
fn total(parts: &str) -> (String, i32) {
    let (text, status) = run(parts);
    (text.lines().last().expect("a last line").to_owned(), status)
}

fn expect(parts: &str, line: &str, status: i32) {
    assert_eq!(total(parts), (line.to_owned(), status), "{parts}");
}

const LIBTEST: &str = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; \
    0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nrunning 3 tests\ntest c ... ok\ntest d ... \
    ignored, too long\ntest e ... ok\n\ntest result: \u{1b}[32mok\u{1b}[m. 2 passed; 0 failed; 1 ignored; 0 \
    measured; 4 filtered out; finished in 0.00s\n";

/// A part whose command prints a text and exits with a status.
fn printing(format: &str, text: &str, status: i32) -> String {
    let to = match format {
        "tap" => " >\"$logs/tap\"",
        "nextest" => " >&2",
        _ => "",
    };
    format!("f() {{ cat <<'TEXT'{to}\n{text}\nTEXT\nreturn {status}; }}\npart 'a part' {format} f")
}

#[test]
fn a_command_is_one_test() {
    expect("part a one true", "1 passed, 0 failed", 0);
    expect("part a one false\npart b one true", "1 passed, 1 failed", 1);
    // A function ends at its first command that fails.
    expect("f() { false; true; }\npart a one f", "0 passed, 1 failed", 1);
    expect("f() { false | true; }\npart a one f", "0 passed, 1 failed", 1);
    expect("part a one absent-program\npart b one true", "1 passed, 1 failed", 1);
}

#[test]
fn results_of_cargo_test_are_added() {
    expect(&printing("libtest", LIBTEST, 0), "4 passed, 0 failed, 1 skipped", 0);
    let failed = LIBTEST.replace("ok. 2 passed; 0 failed", "FAILED. 1 passed; 1 failed");
    expect(&printing("libtest", &failed, 101), "3 passed, 1 failed, 1 skipped", 1);
    // A program that crashed prints no result.
    let crashed = LIBTEST.split("test result").next().expect("a part");
    expect(
        &printing("libtest", &format!("{crashed}\n{LIBTEST}"), 101),
        "4 passed, 1 failed, 1 skipped",
        1,
    );
    expect(&printing("libtest", crashed, 101), "0 passed, 1 failed", 1);
    // The part fails although no test failed, because something did not compile.
    expect(&printing("libtest", LIBTEST, 101), "4 passed, 1 failed, 1 skipped", 1);
    expect(&printing("libtest", "", 0), "0 passed, 1 failed", 1);
}

#[test]
fn results_of_nextest_are_added() {
    let line = "     Summary [  12.3s] 9 tests run: 9 passed (2 slow, 1 flaky), 0 skipped";
    expect(&printing("nextest", line, 0), "9 passed, 0 failed", 0);
    let line = "     Summary [  12.3s] 9 tests run: 5 passed (1 leaky), 2 failed, 1 exec failed, 1 timed out, 3 skipped";
    expect(&printing("nextest", line, 100), "5 passed, 4 failed, 3 skipped", 1);
    expect(&printing("nextest", "error: could not compile", 101), "0 passed, 1 failed", 1);
}

#[test]
fn results_of_node_are_added() {
    let tap = "TAP version 13\nok 1 - a\nok 2 - b # SKIP no browser\n1..2\n# tests 9\n# suites 0\n# pass 5\n\
               # fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n# duration_ms 1.5";
    expect(&printing("tap", tap, 1), "5 passed, 2 failed, 2 skipped", 1);
    // Node ended before its reporters ran.
    expect("part a tap false", "0 passed, 1 failed", 1);
    expect("part a tap true", "0 passed, 1 failed", 1);
}

#[test]
fn results_of_own_programs_are_added() {
    let text = "12 passed, 0 failed of the first half\n3 passed, 0 failed, 2 skipped";
    expect(&printing("line", text, 0), "3 passed, 0 failed, 2 skipped", 0);
    expect(&printing("line", "3 passed, 1 failed", 1), "3 passed, 1 failed", 1);
    expect(&printing("line", "3 passed, 1 failed", 0), "3 passed, 1 failed", 1);
    expect(&printing("line", "nothing", 0), "0 passed, 1 failed", 1);
}

#[test]
fn skipped_tests_are_named() {
    let (text, _) = run(&printing("libtest", LIBTEST, 0));
    assert!(text.contains("skipped:\n  a part: d: ignored too long\n"), "{text}");
    let (text, _) = run(&printing("tap", "ok 2 - b # SKIP no browser\n# pass 1\n# skipped 1", 0));
    assert!(text.contains("skipped:\n  a part: b: skipped no browser\n"), "{text}");
    let (text, _) =
        run(&printing("line", "skipped: 7 tests, because\n1 passed, 0 failed, 7 skipped", 0));
    assert!(text.contains("skipped:\n  a part: 7 tests, because\n"), "{text}");
}

#[test]
fn tests_that_skip_themselves_did_not_pass() {
    let skip =
        "printf 'x::a\\tno file\\nx::a\\tno other\\nx::b\\tno file\\n' >>\"$INTERLOPER_SKIPPED\"";
    let part = printing("libtest", LIBTEST, 0).replacen("{ ", &format!("{{ {skip}; "), 1);
    let (text, status) = run(&part);
    assert!(text.ends_with("\n2 passed, 0 failed, 3 skipped\n"), "{text}");
    assert!(
        text.contains("  a part: x::a: no file\n") && text.contains("  a part: x::b: no file\n"),
        "{text}"
    );
    assert_eq!(status, 0);
}

#[test]
fn the_table_shows_every_part_and_its_time() {
    let (text, status) = run("part first one true\npart second one false\npart third one true");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for (name, counts) in [
        ("first", ["1", "0", "0"]),
        ("second", ["0", "1", "0"]),
        ("third", ["1", "0", "0"]),
        ("all", ["2", "1", "0"]),
    ] {
        let row = rows
            .iter()
            .find(|row| row.len() == 5 && row[4] == name)
            .unwrap_or_else(|| panic!("{name}: {text}"));
        assert_eq!(row[1..4], counts, "{text}");
        assert!(row[0].split_once(':').is_some(), "{text}");
    }
    assert!(text.contains("\nfailed:\n  second: 1 failed\n"), "{text}");
    assert_eq!(status, 1);
}
