//! Compares the reader with the scanner, and tests bad input and round trips.

use testkit::spelled::spelled;
use testkit::threads::{self, Shape};
use trace::{Diagnostic, Id, LocationId, LockId, Op, OpId, ThreadId, Trace};

use super::{Event, Operation, Scanner, StreamError, detect, excerpt, read, scan_all, write};
use crate::completeness::{CUT_LINE, UNENDED_LINE};
use crate::{Completeness, Extent, ReadError};

/// A log's operations as text, its anomalies, and how much of it was read.
type Outcome = Result<(Vec<String>, Vec<String>, Completeness), ReadError>;

fn oddities(diagnostics: &[Diagnostic]) -> Vec<String> {
    let own = [&CUT_LINE, &UNENDED_LINE, &crate::rapid::anomaly::SKIPPED_OPERATION];
    let own = diagnostics.iter().filter(|d| own.contains(&d.code));
    own.map(|d| format!("{} {} {}", d.code.name, d.at, d.message)).collect()
}

fn by_reader(log: &[u8]) -> Outcome {
    let loaded = read(log)?;
    let names = loaded.trace.names();
    let spell = |op| {
        let (word, target) = match loaded.trace.op(op) {
            Op::Read(x) => ("Read", names.locations.get(x)),
            Op::Write(x) => ("Write", names.locations.get(x)),
            Op::Lock(x) => ("Acquire", names.locks.get(x)),
            Op::Unlock(x) => ("Release", names.locks.get(x)),
            Op::Fork(x) => ("Fork", names.threads.get(x)),
            Op::Join(x) => ("Join", names.threads.get(x)),
            Op::Enter(_) => ("Begin", &b""[..]),
            Op::Leave => ("End", &b""[..]),
            op => unreachable!("{op:?} in an STD log"),
        };
        let thread = names.threads.get(loaded.trace.thread_of(op));
        format!("{} {word} {}", thread.escape_ascii(), target.escape_ascii())
    };
    let operations = loaded.trace.ops().map(spell).collect();
    Ok((operations, oddities(&loaded.diagnostics), loaded.completeness))
}

/// A source that returns a few bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}

fn by_scanner(log: &[u8], at_a_time: usize) -> Outcome {
    let mut scanner = Scanner::default();
    let mut events: Vec<Event> = Vec::new();
    let outcome = scan_all(&mut Trickle(log, at_a_time), &mut scanner, |some| events.extend(some));
    outcome.map_err(|error| match error {
        StreamError::Log(error) => error,
        StreamError::Io(error) => panic!("{error}"),
    })?;
    assert_eq!(scanner.operations(), events.len() as u64);
    let spell = |event: &Event| {
        let target = match event.operation {
            Operation::Read | Operation::Write => scanner.locations.spell(LocationId(event.target)),
            Operation::Acquire | Operation::Release => scanner.locks.spell(LockId(event.target)),
            Operation::Fork | Operation::Join => scanner.threads.spell(ThreadId(event.target)),
            Operation::Begin | Operation::End | Operation::Skipped => Vec::new(),
        };
        let thread = scanner.threads.spell(event.thread);
        format!("{} {:?} {}", thread.escape_ascii(), event.operation, target.escape_ascii())
    };
    let spelled = events.iter().map(spell).collect();
    let (diagnostics, completeness) = scanner.finish();
    Ok((spelled, oddities(&diagnostics), completeness))
}

fn log(seed: u64, operations: usize) -> Vec<u8> {
    let shape = Shape { handles: 0, ..Shape::drawn(seed, operations) };
    let mut log = Vec::new();
    threads::write_std(seed, &shape, &mut log).expect("memory does not fail");
    log
}

#[test]
fn scanner_and_reader_agree_on_logs() {
    for seed in 0..300 {
        let log = log(seed, 400);
        let expected = by_reader(&log);
        assert_eq!(expected.as_ref().map(|(ops, ..)| ops.len()), Ok(400));
        for at_a_time in [1, 7, 100, 1 << 20] {
            assert_eq!(by_scanner(&log, at_a_time), expected, "seed {seed}");
        }
    }
}

/// Lines near the border between common lines and others.
const ODD_LINES: &[&str] = &[
    "T1|r(V2)|3",
    "T1|r(V2)|",
    "T1|r(V2)|007",
    "T1|r(V02)|3",
    "T1|r(V12345678)|3",
    "T1|r(V1234567)|12345678",
    "T1|r(W2)|3",
    "T1|w(V2)|Main.java:12",
    "T1|acq(L2)|3",
    "T1|acq(V2)|3",
    "T1|rel(L2)|3",
    "T1|rel(L2x)|3",
    "main|w(x.f(int))|3",
    "T01|w(V2)|3",
    "T|w(V2)|3",
    "T1|fork(T2)|3",
    "T1|join(T2)|3",
    "T1|begin|3",
    "T1|begin(B1)|3",
    "T1|end()|3",
    "T1|branch|3",
    "T1|req(L1)|3",
    "T1|enter(m)|3",
    "T1|w(V2)|3\r",
    "",
    "\r",
];

#[test]
fn scanner_and_reader_agree_on_odd_lines() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..3000 {
        let lines: Vec<&str> =
            (0..rng.usize(0..12)).map(|_| ODD_LINES[rng.usize(..ODD_LINES.len())]).collect();
        let mut log = lines.join("\n").into_bytes();
        if rng.bool() {
            log.push(b'\n');
        }
        let expected = by_reader(&log);
        assert!(expected.is_ok(), "{lines:?}");
        assert_eq!(by_scanner(&log, 1 + rng.usize(0..64)), expected, "{lines:?}");
    }
}

#[test]
fn scanner_and_reader_agree_on_damaged_logs() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut failed = 0;
    for seed in 0..3000 {
        let mut log = log(seed, 30);
        log.truncate(rng.usize(..=log.len()));
        for _ in 0..rng.usize(0..4) {
            if !log.is_empty() {
                let at = rng.usize(..log.len());
                log[at] = *rng.choice(b"|()\nTVL0\r\xff").expect("not empty");
            }
        }
        let expected = by_reader(&log);
        failed += usize::from(expected.is_err());
        assert_eq!(by_scanner(&log, 1 + rng.usize(0..64)), expected, "{}", log.escape_ascii());
    }
    assert!(failed > 500, "only {failed} logs were beyond reading");
}

fn error(log: &str) -> String {
    let error = read(log.as_bytes()).err().expect("an error");
    let scanned = by_scanner(log.as_bytes(), 9).expect_err("an error");
    assert_eq!(error, scanned);
    error.to_string()
}

#[test]
fn bad_lines_are_told_with_place_and_expectation() {
    let cases = [
        ("nonsense\n", "1:9: the line ends; expected `|` after the thread"),
        ("T0|r(V1)|1\n\nT0\n", "3:3: the line ends; expected `|` after the thread"),
        ("|r(V1)|1\n", "1:1: `|`; expected a thread"),
        ("T0|r(V1)\n", "1:9: the line ends; expected `|` after the operation"),
        ("T0|r|1\n", "1:5: the operation ends; expected its target in parentheses"),
        ("T0|r(V1|1\n", "1:8: the operation ends; expected `)` after its target"),
        ("T0|r()|1\n", "1:6: `)`; expected a target"),
        ("T0|r(V1)|1|2\n", "1:11: a fourth field; expected the end of the line"),
        (
            "T0|cas(V1)|1\n",
            "1:4: operation `cas`; expected one of r, w, acq, rel, fork, join, begin, end, enter, \
             exit",
        ),
    ];
    for (log, message) in cases {
        assert_eq!(error(log), message);
    }
}

#[test]
fn long_lines_are_refused_and_long_names_are_not() {
    let name = "x".repeat(1 << 19);
    let fits = format!("T0|r({name})|1\nT0|w({name})|1\n");
    assert_eq!(by_reader(fits.as_bytes()), by_scanner(fits.as_bytes(), 1 << 16));
    let long = format!("T0|r({name}{name}{name})|1\n");
    let expected = "; expected an operation, as in `T0|r(V1)|345`";
    assert!(read(long.as_bytes()).err().expect("too long").to_string().ends_with(expected));
    let scanned = by_scanner(long.as_bytes(), 1 << 16).expect_err("too long").to_string();
    assert!(scanned.starts_with("1:1: a line of more than") && scanned.ends_with(expected));
}

#[test]
fn a_cut_last_line_is_left_out() {
    let loaded = read(b"T0|r(V1)|1\nT0|w(V").expect("readable");
    assert_eq!(loaded.trace.len(), 1);
    assert_eq!(loaded.completeness.extent(), Extent::Damaged);
    assert_eq!(
        oddities(&loaded.diagnostics),
        ["cut-line 2:7 the line ends; expected `|` after the operation"]
    );
}

#[test]
fn a_last_line_without_its_end_may_be_cut() {
    let loaded = read(b"T0|r(V1)|1\nT0|w(V1)|").expect("readable");
    assert_eq!(loaded.trace.len(), 2);
    assert_eq!(loaded.completeness.extent(), Extent::TailMissing);
    assert_eq!(loaded.completeness.loss().expect("a loss").code, &UNENDED_LINE);
    for whole in [&b"T0|r(V1)|1\n"[..], b"T0|r(V1)|1\r\n", b"T0|r(V1)|1\n\r", b"T0|r(V1)|1\n\n"] {
        let loaded = read(whole).expect("readable");
        assert_eq!(loaded.completeness, Completeness::whole());
    }
    assert_eq!(read(b"\n").expect("readable").completeness.extent(), Extent::Nothing);
}

fn codes(log: &[u8]) -> Vec<&'static str> {
    read(log).expect("readable").diagnostics.iter().map(|d| d.code.name).collect()
}

#[test]
fn anomalies_are_declared() {
    assert_eq!(codes(b"T0|fork(T1)|1\nT1|w(V1)|2\nT0|join(T1)|3\n"), [""; 0]);
    assert_eq!(codes(b"T0|rel(L1)|1\n"), ["unlock-without-lock"]);
    assert_eq!(codes(b"T0|branch|1\n"), ["skipped-operation"]);
    assert_eq!(codes(b"T0|end(B1)|1\n"), ["leave-without-enter"]);
    assert_eq!(codes(b"T0|begin(B1)|1\nT0|end(B2)|1\n"), ["wrong-block-end"]);
}

#[test]
fn blocks_show_in_the_stack_and_locations_as_sources() {
    let log = b"T0|begin(m)|1\nT0|w(V1)|345\nT0|end(m)|0\nT0|w(V1)|A.java:7:2\nT0|w(V1)|here\n";
    let trace = read(log).expect("readable").trace;
    let functions: Vec<usize> =
        trace.ops().map(|op| trace.stacks().frames(trace.stack_of(op)).count()).collect();
    assert_eq!(functions, [1, 1, 0, 0, 0]);
    let source = |op| {
        let source = trace.source(trace.attributes(OpId(op)).source?);
        let file = String::from_utf8_lossy(trace.text(source.file)).into_owned();
        Some((file, source.line, source.column))
    };
    let position = |file: &str, line, column| Some((file.to_owned(), line, column));
    assert_eq!(source(1), position("std", 345, None));
    assert_eq!(source(2), None);
    assert_eq!(source(3), position("A.java", 7, Some(2)));
    assert_eq!(source(4), position("here", 0, None));
    assert_eq!(written(&trace), log);
}

fn written(trace: &Trace) -> Vec<u8> {
    let mut out = Vec::new();
    write(trace, &mut out).expect("threads and locks only");
    out
}

#[test]
fn a_log_is_written_as_it_was_read() {
    for seed in 0..300 {
        let log = log(seed, 200);
        let trace = read(&log).expect("readable").trace;
        let again = read(&written(&trace)).expect("readable").trace;
        assert_eq!(spelled(&again), spelled(&trace), "seed {seed}");
    }
}

#[test]
fn init_and_exit_are_not_said() {
    let text = "interloper-trace 1\nt init\nt lock l\nt exit\n";
    let trace = crate::text::read(text.as_bytes()).expect("readable").trace;
    assert_eq!(written(&trace), b"t|acq(l)|0\n");
}

#[test]
fn an_excerpt_holds_what_was_asked_for() {
    let mut rng = fastrand::Rng::with_seed(11);
    for seed in 0..50 {
        // The log is long enough for several stretches, and has lines that are no operations.
        let mut log = b"\xef\xbb\xbf\n".to_vec();
        for line in self::log(seed, 40_000).split_inclusive(|&b| b == b'\n') {
            log.extend(line);
            if rng.u8(..) == 0 {
                log.extend(if rng.bool() { &b"T1|branch|1\n"[..] } else { b"\n" });
            }
        }
        let index = scan_all(&mut &log[..], &mut Scanner::default(), |_| {}).expect("readable");
        let mut wanted: Vec<OpId> = (0..20).map(|_| OpId(rng.u32(0..40_000))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut file = std::io::Cursor::new(&log);
        let (trace, found) = excerpt(&mut file, &index, &wanted).expect("memory does not fail");
        assert_eq!(found, wanted);
        let whole = read(&log).expect("readable").trace;
        for (i, &op) in wanted.iter().enumerate() {
            let (part, whole) =
                (crate::text::line(&trace, OpId::new(i)), crate::text::line(&whole, op));
            assert_eq!(part, whole, "seed {seed}");
        }
    }
}

#[test]
fn logs_are_recognised_by_their_first_line() {
    assert!(detect(b"T0|r(V1)|345\nwhatever"));
    assert!(detect(b"\xef\xbb\xbf\r\n\nmain|begin|\n"));
    for other in [&b""[..], b"\n", b"interloper-trace 1\n", b"a|b|c\n", b"T0|r(V1)\n"] {
        assert!(!detect(other), "{}", other.escape_ascii());
    }
}
