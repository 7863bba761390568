//! The damage matrix: however an input is cut or damaged, every command and every format states it,
//! and the exit status is the one in docs/configuration.md.
//!
//! The expectation follows from the position of the damage, not from what a reader reports. By
//! default some cuts are tried; `INTERLOPER_DAMAGE_MATRIX=full` tries every cut, every byte of
//! every block header, and every 13th byte of every payload, with every format (docs/testing.md has
//! its numbers).

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use codec::native::{self, Options};
use serde_json::Value;
use tempfile::TempDir;
use testkit::generate::{Profile, sample};

const FORMATS: [&str; 7] = ["text", "json", "sarif", "junit", "github", "markdown", "html"];

/// What must be stated about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Whole,
    TailMissing,
    Damaged,
    Nothing,
}

impl Expected {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::TailMissing => "tail-missing",
            Self::Damaged => "damaged",
            Self::Nothing => "nothing",
        }
    }

    fn statement(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::TailMissing => "The end of the input is missing",
            Self::Damaged => "The input is damaged",
            Self::Nothing => "No operation could be read from the input",
        }
    }

    fn is_refused(self) -> bool {
        matches!(self, Self::Damaged | Self::Nothing)
    }
}

struct Bench {
    folder: TempDir,
    schema: jsonschema::Validator,
    runs: usize,
}

impl Bench {
    fn new() -> Self {
        let schema: Value = serde_json::from_str(report::JSON_SCHEMA).expect("JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        Self { folder: tempfile::tempdir().expect("a folder"), schema, runs: 0 }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("writable");
        path
    }

    fn run(&mut self, args: &[&str], path: &Path) -> Output {
        self.runs += 1;
        Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(&args[..1])
            .arg(path)
            .args(&args[1..])
            .output()
            .expect("the binary runs")
    }

    /// Runs `check` in one format, and checks the exit status and the statements of the report.
    fn check(&mut self, path: &Path, format: &str, expected: Expected, what: &str) {
        let output = self.run(&["check", "--format", format, "--fail-on", "never"], path);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("{what}, {format}: {stderr}");
        let status = if expected.is_refused() { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(status), "{what}");
        assert_eq!(stderr.is_empty(), expected == Expected::Whole, "{what}");
        assert_eq!(stderr.starts_with("error: "), expected.is_refused(), "{what}");
        let report = String::from_utf8(output.stdout).expect("UTF-8");
        states(&report, format, expected, &self.schema, &what);
    }

    /// Runs all formats, the commands that exit with 0 or 2, and `--allow-damaged`.
    fn check_all(&mut self, path: &Path, formats: &[&str], expected: Expected, what: &str) {
        for format in formats {
            self.check(path, format, expected, what);
        }
        let out = self.path("converted.trace");
        let _ = std::fs::remove_file(&out);
        let to = out.to_str().expect("UTF-8").to_owned();
        let commands: [&[&str]; 3] =
            [&["stats", "--format", "json"], &["order", "--matrix"], &["convert", &to]];
        for command in commands {
            let output = self.run(command, path);
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let what = format!("{what}, {command:?}: {stderr}");
            let status = if expected.is_refused() { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(status), "{what}");
            assert_eq!(stderr.is_empty(), expected == Expected::Whole, "{what}");
            let allowed = self.run(&[command, &["--allow-damaged"]].concat(), path);
            assert_eq!(allowed.status.code(), Some(0), "{what}, --allow-damaged");
            if command[0] == "stats" {
                let counts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                assert_eq!(counts["input"]["completeness"], expected.name(), "{what}");
            } else {
                assert!(allowed.stdout == output.stdout, "{what}, --allow-damaged");
            }
        }
        assert!(out.exists(), "{what}: what could be read is written");
        let allowed = ["check", "--format", "json", "--fail-on", "never", "--allow-damaged"];
        let allowed = self.run(&allowed, path);
        assert_eq!(allowed.status.code(), Some(0), "{what}, --allow-damaged");
        let report: Value = serde_json::from_slice(&allowed.stdout).expect("JSON");
        assert_eq!(report["input"]["judged"], true, "{what}");
        assert_eq!(report["input"]["completeness"], expected.name(), "{what}");
    }
}

/// Returns what a reader of one format learns about the input.
fn states(
    report: &str,
    format: &str,
    expected: Expected,
    schema: &jsonschema::Validator,
    what: &str,
) {
    let refused = expected.is_refused();
    let is_stated = match format {
        "json" => {
            let report: Value = serde_json::from_str(report).expect(what);
            assert!(schema.is_valid(&report), "{what}");
            assert_eq!(report["input"]["completeness"], expected.name(), "{what}");
            assert_eq!(report["input"]["judged"], !refused, "{what}");
            let loss = &report["input"]["loss"];
            let listed = report["diagnostics"].as_array().expect("a list").contains(loss);
            assert_eq!(listed, expected != Expected::Whole, "{what}");
            return;
        }
        "sarif" => {
            let sarif: Value = serde_json::from_str(report).expect(what);
            let invocation = &sarif["runs"][0]["invocations"][0];
            assert_eq!(invocation["executionSuccessful"], !refused, "{what}");
            let notes = invocation["toolExecutionNotifications"].as_array().expect("a list");
            notes.first().is_some_and(|note| {
                let level = if refused { "error" } else { "warning" };
                let text = note["message"]["text"].as_str().expect("a text");
                note["level"] == level && text.starts_with(expected.statement())
            })
        }
        "junit" => {
            let errors = if refused { "errors=\"1\"" } else { "errors=\"0\"" };
            assert_eq!(report.matches(errors).count(), 2, "{what}");
            assert_eq!(report.contains("<error message="), refused, "{what}");
            assert!(!refused || !report.contains("name=\"no open race\""), "{what}");
            report.contains(expected.statement()) && report.contains("<system-err>")
        }
        "github" => {
            let level = if refused { "::error" } else { "::warning" };
            report.starts_with(&format!("{level} title=incomplete input::{}", expected.statement()))
        }
        "markdown" => {
            let level = if refused { "**Error:**" } else { "**Warning:**" };
            report.contains(&format!("{level} {}", expected.statement()))
        }
        "html" => {
            let level = if refused { "caveat error" } else { "caveat warning" };
            report.contains(level) && report.contains(expected.statement())
        }
        "text" => {
            let level = if refused { "error: " } else { "warning: " };
            report.contains(&format!("{level}{}", expected.statement()))
        }
        _ => panic!("{format}"),
    };
    match expected {
        Expected::Whole => assert!(!report.contains("in what could be read"), "{what}"),
        _ => assert!(is_stated, "{what}\n{report}"),
    }
    assert_eq!(report.contains("No verdict."), refused && !matches!(format, "sarif" | "junit"));
}

fn is_full() -> bool {
    std::env::var("INTERLOPER_DAMAGE_MATRIX").is_ok_and(|value| value == "full")
}

/// Returns the blocks of a sound native file, by docs/format.md.
fn blocks(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at + 8..at + 12].try_into().expect("four bytes");
        let end = at + 36 + u32::from_le_bytes(len) as usize;
        blocks.push(at..end);
        at = end;
    }
    blocks
}

/// Returns a native file of a few blocks, and the first byte from which on some operation can be
/// read.
fn recording(operations: usize, block_bytes: usize) -> (Vec<u8>, usize) {
    let trace = sample(5, Profile::Realistic, operations);
    let mut bytes = Vec::new();
    let options = Options { block_bytes, ..Options::default() };
    native::write(&trace, &mut bytes, options).expect("memory");
    let ends = blocks(&bytes).into_iter().map(|block| block.end);
    let first = ends.into_iter().find(|&end| {
        let start = native::read(&bytes[..end]).expect("a native file");
        !start.trace.is_empty()
    });
    (bytes, first.expect("there are operations"))
}

/// Returns the formats to try: all for a few cases, one after the other for the rest.
fn formats(case: usize) -> Vec<&'static str> {
    if is_full() || case.is_multiple_of(12) {
        FORMATS.to_vec()
    } else {
        vec![FORMATS[case % FORMATS.len()]]
    }
}

#[test]
fn every_cut_of_a_native_file() {
    let mut bench = Bench::new();
    let (bytes, readable) = recording(60, 120);
    let blocks = blocks(&bytes);
    let mut cuts: Vec<usize> = (1..=bytes.len()).collect();
    if !is_full() {
        let borders =
            blocks.iter().flat_map(|block| [block.start, block.start + 17, block.end - 1]);
        cuts = borders.filter(|&cut| cut > 0).chain([bytes.len()]).collect();
    }
    for (case, &cut) in cuts.iter().enumerate() {
        let path = bench.file("cut.ilt", &bytes[..cut]);
        let expected = match cut {
            cut if cut == bytes.len() => Expected::Whole,
            cut if cut >= readable => Expected::TailMissing,
            _ => Expected::Nothing,
        };
        bench.check_all(&path, &formats(case), expected, &format!("cut at {cut}"));
    }
    println!("{} cuts, {} runs", cuts.len(), bench.runs);
}

#[test]
fn every_damaged_block_of_a_native_file() {
    let mut bench = Bench::new();
    let (bytes, readable) = recording(60, 120);
    let blocks = blocks(&bytes);
    let last = blocks.len() - 1;
    let mut case = 0;
    for (i, block) in blocks.iter().enumerate() {
        let header = block.start..block.start + 36;
        let payload = header.end..block.end;
        let places: Vec<usize> = if is_full() {
            header.chain(payload.step_by(13)).collect()
        } else {
            vec![block.start + 9, block.start + 36, block.end - 1]
        };
        let expected = match i {
            _ if block.start < readable => Expected::Nothing,
            i if i == last => Expected::TailMissing,
            _ => Expected::Damaged,
        };
        for at in places.into_iter().filter(|&at| at >= 4) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let path = bench.file("damaged.ilt", &damaged);
            bench.check_all(&path, &formats(case), expected, &format!("block {i}, byte {at}"));
            case += 1;
        }
    }
    println!("{} blocks, {case} places, {} runs", blocks.len(), bench.runs);
}

/// A file long enough to be read in passes, with the same expectations.
#[test]
fn streamed_files_are_judged_alike() {
    let mut bench = Bench::new();
    let trace = sample(9, Profile::Realistic, 60_000);
    let mut bytes = Vec::new();
    let options = Options { block_bytes: 8000, ..Options::default() };
    native::write(&trace, &mut bytes, options).expect("memory");
    assert!(bytes.len() > 2 * (64 << 10), "{} bytes", bytes.len());
    let blocks = blocks(&bytes);
    let path = bench.file("whole.ilt", &bytes);
    bench.check(&path, "json", Expected::Whole, "whole");
    for (case, i) in (1..10).map(|i| (i, blocks.len() * i / 10)) {
        let block = &blocks[i];
        let format = FORMATS[case % FORMATS.len()];
        if block.start > 64 << 10 {
            let cut = bench.file("cut.ilt", &bytes[..block.end - 5]);
            bench.check(&cut, format, Expected::TailMissing, "cut");
        }
        let mut damaged = bytes.clone();
        damaged[block.start + 40] ^= 1;
        let path = bench.file("damaged.ilt", &damaged);
        bench.check(&path, format, Expected::Damaged, "damaged");
    }
}

const TEXT: &str =
    "interloper-trace 1\nmodel android\nmain attach q\nmain enqueue m q\nmain read x\nbg write x\n";
const STD: &str = "T0|w(V1)|1\nT0|fork(T1)|2\nT1|w(V1)|3\nT0|r(V1)|4\n";
const ABC: &str =
    "1 START\n2 THREADINIT tid:1\n3 ATTACH-Q tid:1\t queue:7\n4 LOOP tid:1\t queue:7\n";

/// Cuts of text: after a whole line the end is missing; a line that no longer parses is damage.
#[test]
fn every_cut_of_a_text_and_a_log() {
    let mut bench = Bench::new();
    // With the length of the text before the first operation of the trace.
    for (name, text, header) in [("a.trace", TEXT, 33), ("a.std", STD, 0), ("a.txt", ABC, 8)] {
        let step = if is_full() { 1 } else { 3 };
        for (case, cut) in (header + 1..=text.len()).rev().step_by(step).enumerate() {
            let start = text[..cut].rfind('\n').map_or(0, |at| at + 1);
            let has_operation = start > header;
            let rest = &text[start..cut];
            let whole_line = text[start..].lines().next().unwrap_or_default();
            let parses = rest == whole_line || parses_when_cut(name, rest);
            let expected = match (rest.is_empty(), parses) {
                (true, _) if has_operation => Expected::Whole,
                (false, true) => Expected::TailMissing,
                (false, false) if has_operation => Expected::Damaged,
                _ => continue,
            };
            let path = bench.file(name, &text.as_bytes()[..cut]);
            let what = format!("{name} cut at {cut}: {rest:?}");
            bench.check_all(&path, &formats(case), expected, &what);
        }
    }
    println!("{} runs", bench.runs);
}

/// Returns whether a line of the texts above still parses when it is cut.
fn parses_when_cut(name: &str, rest: &str) -> bool {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match name {
        "a.trace" => {
            matches!(words[..], [_, "attach" | "read" | "write", _] | [_, "enqueue", _, _])
        }
        "a.std" => rest.matches('|').count() == 2,
        _ => match words[..] {
            [_, "START"] => true,
            [_, "THREADINIT", tid] => tid.len() > "tid:".len(),
            [_, "ATTACH-Q" | "LOOP", _, queue] => queue.len() > "queue:".len(),
            _ => false,
        },
    }
}

/// Inputs of which nothing can be read never give a successful report.
#[test]
fn nothing_read_is_never_green() {
    let mut bench = Bench::new();
    let mut empty = Vec::new();
    native::write(&trace::Trace::default(), &mut empty, Options::default()).expect("memory");
    for (name, bytes) in [
        ("empty.ilt", &empty[..]),
        ("header.trace", b"interloper-trace 1\n"),
        ("model.trace", b"interloper-trace 1\nmodel web\n"),
        ("blank.trace", b"interloper-trace 1\n\n# nothing\n"),
    ] {
        let path = bench.file(name, bytes);
        bench.check_all(&path, &FORMATS, Expected::Nothing, name);
    }
    let (sound, _) = recording(60, 120);
    let mut no_magic = sound.clone();
    no_magic[0] ^= 1;
    let mut no_start = sound;
    no_start[..40].fill(0);
    for (name, bytes) in [
        ("nothing.ilt", &[][..]),
        ("zeros.ilt", &[0; 5000]),
        ("zeros.log", &[0; 32]),
        ("no-magic.ilt", &no_magic),
        ("no-start.ilt", &no_start),
        ("prose.txt", b"hello\n"),
        ("odd.trace", b"interloper-trace 1\nmain jump\nmain read x\n"),
    ] {
        let path = bench.file(name, bytes);
        for format in &FORMATS[1..] {
            bench.check(&path, format, Expected::Nothing, name);
        }
        let text = bench.run(&["check"], &path);
        assert_eq!((text.status.code(), text.stdout.len()), (Some(2), 0), "{name}");
        let said = String::from_utf8_lossy(&text.stderr).into_owned();
        assert!(said.contains(name) && said.lines().count() == 1, "{said}");
        let out = bench.path("report.txt");
        let to = bench.run(&["check", "--out", out.to_str().expect("UTF-8")], &path);
        assert_eq!(to.status.code(), Some(2), "{name}");
        let written = std::fs::read_to_string(&out).expect("a report");
        assert!(written.contains("error: No operation could be read"), "{written}");
        for command in [&["stats"][..], &["order", "--matrix"], &["convert", "-", "--to", "text"]] {
            let output = bench.run(command, &path);
            assert_eq!(output.status.code(), Some(2), "{name} {command:?}");
        }
        let allowed = bench.run(&["check", "--allow-damaged"], &path);
        assert_eq!(allowed.status.code(), Some(2), "{name}: no trace can be made of it");
    }
}

/// A pipe that closes after whole blocks ends without a last block; after whole lines, it ends
/// normally.
#[test]
fn pipes_end_where_they_close() {
    let (bytes, readable) = recording(60, 120);
    let piped = |input: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(["check", "-", "--fail-on", "never"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        child.stdin.take().expect("piped").write_all(input).expect("it reads to the end");
        let output = child.wait_with_output().expect("the binary ends");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    assert_eq!(piped(TEXT.as_bytes()), (Some(0), String::new()));
    assert_eq!(piped(STD.as_bytes()), (Some(0), String::new()));
    assert_eq!(piped(&bytes), (Some(0), String::new()));
    let (status, said) = piped(&bytes[..readable]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("warning: standard input: the end of the input is missing"), "{said}");
}

#[test]
fn diff_and_baselines_refuse_damage() {
    let mut bench = Bench::new();
    let (bytes, readable) = recording(60, 120);
    let whole = bench.file("whole.ilt", &bytes);
    let cut = bench.file("cut.ilt", &bytes[..readable + 3]);
    let mut damaged = bytes.clone();
    damaged[readable + 9] ^= 1;
    let damaged = bench.file("damaged.ilt", &damaged);
    let name = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let of_cut = bench.run(&["diff", &name(&whole)], &cut);
    assert!(of_cut.status.code() < Some(2));
    assert!(String::from_utf8_lossy(&of_cut.stdout).contains("warning: first input: The end"));
    let of_damaged = bench.run(&["diff", &name(&damaged)], &whole);
    assert_eq!(of_damaged.status.code(), Some(2));
    let text = String::from_utf8_lossy(&of_damaged.stdout).into_owned();
    assert!(text.contains("error: second input: The input is damaged") && text.contains("gone"));
    let allowed = bench.run(&["diff", &name(&damaged), "--allow-damaged"], &whole);
    assert!(allowed.status.code() < Some(2));

    // A JSON report states how much of its input it covers.
    let json = bench.run(&["check", "--format", "json"], &damaged);
    let json = bench.file("damaged.json", &json.stdout);
    assert_eq!(bench.run(&["diff", &name(&json)], &whole).status.code(), Some(2));

    let baseline = bench.path("baseline.json");
    let write = ["check", "--write-baseline", baseline.to_str().expect("UTF-8")];
    assert_eq!(bench.run(&write, &damaged).status.code(), Some(2));
    assert!(!baseline.exists(), "races of a damaged recording are not accepted unasked");
    let allowed = [&write[..], &["--allow-damaged"]].concat();
    assert_eq!(bench.run(&allowed, &damaged).status.code(), Some(0));
    assert!(baseline.exists());
}

/// `--format droidracer` prints what the tool would; the exit status and standard error state the
/// damage.
#[test]
fn the_droidracer_format_refuses_damage() {
    let mut bench = Bench::new();
    for (log, status) in [(ABC, 0), (&ABC[..ABC.len() - 1], 0), (&ABC[..ABC.len() - 10], 2)] {
        let path = bench.file("abc.txt", log.as_bytes());
        let output = bench.run(&["check", "--format", "droidracer", "--fail-on", "never"], &path);
        assert_eq!(output.status.code(), Some(status));
        assert!(String::from_utf8_lossy(&output.stdout).contains("Races detected"));
        assert_eq!(output.stderr.is_empty(), log == ABC);
    }
}

/// The doctor states how other commands treat a file.
#[test]
fn the_doctor_says_what_other_commands_do() {
    let mut bench = Bench::new();
    let (bytes, readable) = recording(60, 120);
    let mut damaged = bytes.clone();
    damaged[readable + 9] ^= 1;
    let mut empty = Vec::new();
    native::write(&trace::Trace::default(), &mut empty, Options::default()).expect("memory");
    for (bytes, status, says) in [
        (&bytes[..], 0, "nothing is wrong with it"),
        (&bytes[..bytes.len() - 1], 1, "only its end is missing: other commands warn"),
        (&damaged, 1, "damaged: other commands exit with 2, unless --allow-damaged"),
        (&empty, 1, "no operation can be read: other commands exit with 2"),
    ] {
        let path = bench.file("a.ilt", bytes);
        let output = bench.run(&["doctor"], &path);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

/// A reader that closes the pipe early, as `head` does, does not change the exit status.
#[test]
fn a_reader_that_goes_away_does_not_make_it_green() {
    let bench = Bench::new();
    let (bytes, readable) = recording(60, 120);
    let mut damaged = bytes.clone();
    damaged[readable + 9] ^= 1;
    let race = b"interloper-trace 1\na write x value=1\nb read x\n";
    for (name, bytes, status) in [("a.ilt", &damaged[..], 2), ("a.trace", race, 1)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_interloper"))
            .args(["check", "--format", "html"])
            .arg(bench.file(name, bytes))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(status), "{name}");
    }
}
