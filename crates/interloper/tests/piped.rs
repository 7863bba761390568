//! Tests engine `stream` on pipes that are not as they should be: it states and judges them as engine `graph`
//! does.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use codec::native::{self, Options};
use serde_json::Value;
use testkit::generate::{Profile, sample};
use trace::Trace;

fn file(trace: &Trace, block_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = Options { block_bytes, ..Options::default() };
    native::write(trace, &mut bytes, options).expect("memory takes all");
    bytes
}

/// What a check of a pipe says: the exit status, the report if there is one, and the messages.
struct Said {
    status: Option<i32>,
    report: Option<Value>,
    messages: String,
}

/// Checks a pipe that gets the pieces one after the other, with a pause after each.
fn check(engine: &str, window: Option<&str>, pieces: &[&[u8]], pause: Duration) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interloper"))
        .args(["check", "-", "--from", "native", "--model", "asyncclock", "--engine", engine])
        .args(["--format", "json", "--fail-on", "any"])
        .args(window.into_iter().flat_map(|length| ["--window", length]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut pipe = child.stdin.take().expect("piped");
    for piece in pieces {
        match pipe.write_all(piece).and_then(|()| pipe.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            result => result.expect("a pipe"),
        }
        std::thread::sleep(pause);
    }
    drop(pipe);
    let output = child.wait_with_output().expect("the binary ends");
    Said {
        status: output.status.code(),
        report: serde_json::from_slice(&output.stdout).ok(),
        messages: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn at_once(engine: &str, bytes: &[u8]) -> Said {
    check(engine, None, &[bytes], Duration::ZERO)
}

impl Said {
    /// How much of the input was read.
    fn input(&self) -> Option<Value> {
        self.report.as_ref().map(|report| report["input"].clone())
    }

    fn racy(&self) -> BTreeSet<String> {
        let races = self.report.as_ref().and_then(|report| report["races"].as_array());
        let location = |race: &Value| race["location"].as_str().expect("a name").to_owned();
        races.into_iter().flatten().map(location).collect()
    }

    /// Whether the pass had to decide something that the rest of the trace decides otherwise.
    fn is_exact(&self) -> bool {
        let report = self.report.as_ref().map(Value::to_string).unwrap_or_default();
        !report.contains("decided-early")
    }
}

fn assert_alike(bytes: &[u8], what: &str) -> bool {
    let (graph, stream) = (at_once("graph", bytes), at_once("stream", bytes));
    assert_eq!(stream.input(), graph.input(), "{what}: {}", stream.messages);
    if !stream.is_exact() {
        return false;
    }
    assert_eq!(stream.status, graph.status, "{what}: {} {}", graph.messages, stream.messages);
    assert_eq!(stream.racy(), graph.racy(), "{what}");
    true
}

#[test]
fn traces_that_contradict_themselves() {
    let alike = (0..16_u64).filter(|&seed| {
        let trace = sample(seed ^ 0x571d, Profile::Wild, 60 + 12 * seed as usize);
        assert_alike(&file(&trace, 150), &format!("seed {seed}"))
    });
    assert!(alike.count() > 6);
}

#[test]
fn pipes_that_close_in_the_middle() {
    let bytes = file(&sample(9, Profile::Realistic, 160), 120);
    for cut in (0..=14).map(|part| bytes.len() * part / 14) {
        assert_alike(&bytes[..cut], &format!("cut at {cut} of {}", bytes.len()));
    }
}

#[test]
fn damaged_pipes() {
    let bytes = file(&sample(11, Profile::Realistic, 160), 120);
    for part in 1..10 {
        let mut damaged = bytes.clone();
        damaged[bytes.len() * part / 10] ^= 0x10;
        assert_alike(&damaged, &format!("damaged at {part} tenths"));
    }
}

#[test]
fn pipes_with_long_pauses() {
    let bytes = file(&sample(13, Profile::Realistic, 160), 120);
    for window in [None, Some("1us")] {
        let whole = check("stream", window, &[&bytes], Duration::ZERO);
        let pieces: Vec<&[u8]> = bytes.chunks(bytes.len() / 12 + 1).collect();
        let slow = check("stream", window, &pieces, Duration::from_millis(60));
        assert_eq!((slow.status, &slow.report), (whole.status, &whole.report));
        assert!(whole.report.is_some(), "{}", whole.messages);
    }
}
