//! Whatever the bytes are, reading the notation ends soon, with a trace or with an error that has a
//! place. Time is not measured here: the inputs are so large that quadratic work would not end.

use codec::text::{read, write};
use codec::{Extent, ReadError};
use testkit::generate::{Knobs, Profile, generate};
use trace::{Id, Place};

const MEGABYTES: usize = 1 << 20;

fn sample_text() -> Vec<u8> {
    let knobs = Knobs { odd_names: true, ..Knobs::new(Profile::Wild, 60) };
    let mut text = Vec::new();
    write(&generate(3, &knobs), &mut text).expect("writing to memory cannot fail");
    text
}

/// Reads `text`; an error must be one short line of printable ASCII with a place in the text.
fn read_safely(text: &[u8]) -> Result<usize, ReadError> {
    match read(text) {
        Ok(loaded) => {
            let shown: usize = loaded.diagnostics.iter().map(|d| d.message.len()).sum();
            assert!(shown < MEGABYTES, "diagnostics are bounded");
            Ok(loaded.trace.len())
        }
        Err(error) => {
            let Place::Line { line, column } = error.at else { panic!("no place: {error}") };
            let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
            let line = lines[usize::try_from(line).expect("in memory") - 1];
            assert!(column as usize <= line.len() + 1, "{error}");
            let shown = error.to_string();
            assert!(shown.len() < 400, "{shown}");
            assert!(shown.bytes().all(|b| (b' '..=b'~').contains(&b)), "{shown:?}");
            Err(error)
        }
    }
}

#[test]
fn cut_at_every_byte() {
    let text = sample_text();
    let whole = read_safely(&text).expect("it was written");
    for cut in 0..text.len() {
        if let Ok(operations) = read_safely(&text[..cut]) {
            assert!(operations <= whole);
        }
    }
}

/// A cut between two lines cannot be noticed. A cut inside a line is damage if the cut line is an
/// error, and otherwise may have lost the tail.
#[test]
fn a_cut_inside_a_line_is_stated() {
    let text = sample_text();
    let mut seen = [0; 2];
    for cut in 0..text.len() {
        let Ok(loaded) = read(&text[..cut]) else { continue };
        let ended = read(&[&text[..cut], b"\n"].concat());
        let extent = match &ended {
            _ if loaded.trace.is_empty() => Extent::Nothing,
            _ if text[..cut].ends_with(b"\n") => Extent::Whole,
            Ok(_) => Extent::TailMissing,
            Err(_) => Extent::Damaged,
        };
        assert_eq!(loaded.completeness.extent(), extent, "cut at {cut}");
        match (ended, loaded.completeness.loss()) {
            (Err(error), Some(loss)) => assert_eq!(loss.at, error.at, "cut at {cut}"),
            (Ok(ended), _) => assert_eq!(loaded.trace.len(), ended.trace.len(), "cut at {cut}"),
            (Err(error), None) => panic!("cut at {cut}: {error} and no loss"),
        }
        seen[0] += usize::from(extent == Extent::TailMissing);
        seen[1] += usize::from(extent == Extent::Damaged);
    }
    assert!(seen.iter().all(|&seen| seen > 100), "{seen:?}");
}

#[test]
fn flipped_bytes() {
    let text = sample_text();
    let mut errors = 0;
    for seed in 0..4000_u64 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut text = text.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(0..text.len());
            text[at] = rng.u8(..);
        }
        errors += usize::from(read_safely(&text).is_err());
    }
    assert!((400..4000).contains(&errors), "{errors} of 4000 are errors");
}

#[test]
fn random_words() {
    let words = [
        "a",
        "read",
        "enqueue",
        "begin",
        "m",
        "q",
        "%",
        "%4",
        "%41",
        "=",
        "value=",
        "at=1",
        "at=x",
        "src=a:1",
        "delay=1",
        "front",
        "sync",
        "\n",
        "\n",
        "\r",
        "#",
        "model",
        "process",
        "\0",
        "\u{ff}",
        "location",
        "kind=user",
        "invoke",
        "arc",
    ];
    for seed in 0..4000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut text = String::from("interloper-trace 1\n");
        for _ in 0..rng.usize(0..40) {
            text.push_str(words[rng.usize(0..words.len())]);
            text.push_str([" ", "", "\n"][rng.usize(0..3)]);
        }
        let _ = read_safely(text.as_bytes());
    }
}

/// `line(i)` for every `i` below `count`, one after the other.
fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |text, i| text + &line(i))
}

fn with_line(line: impl AsRef<[u8]>) -> Vec<u8> {
    [b"interloper-trace 1\n".as_slice(), line.as_ref(), b"\n"].concat()
}

#[test]
fn ten_megabytes_in_one_line() {
    let long = 10 * MEGABYTES;
    let name = "x".repeat(long);
    assert_eq!(read_safely(&with_line(format!("a read {name}"))), Ok(1));
    assert_eq!(read_safely(&with_line(format!("{name} init src={name}:1 value={name}"))), Ok(1));
    assert!(read_safely(&with_line(&name)).is_err());
    assert!(read_safely(name.as_bytes()).is_err());
    assert_eq!(read_safely(&with_line(" ".repeat(long))), Ok(0));
    assert_eq!(read_safely(&with_line("#".repeat(long))), Ok(0));
    assert!(read_safely(&with_line("%".repeat(long))).is_err());
    assert!(read_safely(&with_line(format!("a init at={}", "9".repeat(long)))).is_err());
    assert_eq!(read_safely(&with_line(format!("a read {}", "%41".repeat(long / 3)))), Ok(1));
    assert_eq!(read_safely(&with_line(format!("a enqueue m q{}", " z".repeat(long / 2)))), Ok(1));
    assert_eq!(read_safely(&with_line(format!("a read x{}", " z=1".repeat(long / 4)))), Ok(1));
}

#[test]
fn ten_megabytes_of_line_ends() {
    assert_eq!(read_safely(&with_line("\n".repeat(10 * MEGABYTES))), Ok(0));
    assert_eq!(read_safely(&with_line("\r\n".repeat(5 * MEGABYTES))), Ok(0));
    assert!(read_safely(&with_line("\r".repeat(10 * MEGABYTES))).is_err());
}

#[test]
fn a_million_threads() {
    let lines = |line: fn(usize) -> String| repeated(1_000_000, line);
    let running = lines(|i| format!("t{i} init\n"));
    let loaded = read(&with_line(&running)).expect("it is well formed");
    assert_eq!((loaded.trace.len(), loaded.trace.names().threads.len()), (1_000_000, 1_000_000));
    let forked = lines(|i| format!("t{i} fork t{}\n", i + 1));
    assert_eq!(read_safely(&with_line(&forked)), Ok(1_000_000));
    let declared = format!("process p{}", lines(|i| format!(" t{i}")));
    let loaded = read(&with_line(&declared)).expect("it is well formed");
    assert_eq!(loaded.trace.names().threads.len(), 1_000_000);
}

#[test]
fn a_million_processes_survive_the_writer() {
    let lines = repeated(1_000_000, |i| format!("process p{i} t{i}\n"));
    let text = with_line(lines.trim_end());
    let loaded = read(&text).expect("it is well formed");
    let mut again = Vec::new();
    write(&loaded.trace, &mut again).expect("writing to memory cannot fail");
    assert!(again == text);
}

#[test]
fn a_tower_of_open_events_and_functions() {
    let lines = repeated(300_000, |i| format!("a begin m{i}\na enter f{i}\n"));
    let loaded = read(&with_line(&lines)).expect("it is well formed");
    let last = trace::OpId::new(loaded.trace.len() - 1);
    assert_eq!(loaded.trace.stacks().frames(loaded.trace.stack_of(last)).count(), 300_000);
}

#[test]
fn bytes_that_are_no_text() {
    for text in [
        b"\0".repeat(100),
        with_line(b"\0"),
        with_line(b"\xff\xfe a read x"),
        with_line(b"a read \xc3\x28"),
        with_line(b"a read x value=\xf0\x9f"),
        b"\xff\xfei\0n\0t\0e\0r\0".to_vec(),
        b"\x1b[31minterloper-trace 1".to_vec(),
    ] {
        assert!(read_safely(&text).is_err());
    }
    assert_eq!(read_safely(&with_line(b"a read x # \xc3\x28 \0")), Ok(1));
}
