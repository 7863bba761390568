//! Tests of reading and writing STD logs.

use std::fmt::Write;

use codec::{rapid, text};
use proptest::prelude::*;
use testkit::spelled::spelled;
use trace::{Op, Trace};

fn as_std(trace: &Trace) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    rapid::write(trace, &mut bytes)?;
    Ok(String::from_utf8(bytes).expect("STD is ASCII"))
}

fn as_text(trace: &Trace) -> String {
    let mut bytes = Vec::new();
    text::write(trace, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("the notation is ASCII")
}

#[test]
fn every_kind_of_event_is_read() {
    let std = "T0|fork(T1)|1\nT1|begin|2\nT1|acq(L1)|3\nT1|w(V1)|4\nT1|rel(L1)|5\nT1|end|6\n\
               T0|dummy(x)|0\nT0|join(T1)|7\r\nT0|enter(f)|8\nT0|r(V1.x[3])|\nT0|exit(f)|9\n";
    let loaded = rapid::read(std.as_bytes()).expect("STD");
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code.name).collect();
    assert_eq!(codes, ["skipped-operation"]);
    let ops: Vec<String> = as_text(&loaded.trace)
        .lines()
        .skip(1)
        .map(|line| {
            line.split(' ').filter(|word| !word.contains('=')).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        ops,
        [
            "model threads",
            "T0 fork T1",
            "T1 enter atomic",
            "T1 lock L1",
            "T1 write V1",
            "T1 unlock L1",
            "T1 leave",
            "T0 join T1",
            "T0 enter f",
            "T0 read V1.x[3]",
            "T0 leave",
        ]
    );
    let last = loaded.trace.ops().next_back().expect("not empty");
    assert_eq!(loaded.trace.attributes(last).source_id, Some(9));
}

#[test]
fn operations_that_std_cannot_express_are_rejected() {
    let loaded = text::read(b"interloper-trace 1\na read x\na enqueue m q\n").expect("a trace");
    let error = as_std(&loaded.trace).expect_err("STD has no messages");
    assert!(error.to_string().starts_with("operation 1 is a Enqueue"), "{error}");
}

#[test]
fn bytes_that_would_end_a_name_are_escaped() {
    let loaded = text::read(b"interloper-trace 1\na|b read f(x)%25\n").expect("a trace");
    assert_eq!(as_std(&loaded.trace).expect("threads only"), "a%7Cb|r(f(x)%)|0\n");
}

/// Lines of a trace in which forks come before what their threads do.
fn std_lines() -> impl Strategy<Value = String> {
    let event = (0..4_u32, 0..7_u8, 0..5_u32, 0..3000_u32);
    proptest::collection::vec(event, 0..60).prop_map(|events| {
        let mut lines = String::new();
        for (thread, kind, object, position) in events {
            let event = match kind {
                0 | 1 => format!("r(V{object})"),
                2 => format!("w(x{object})"),
                3 => format!("acq(L{object})"),
                4 => format!("rel(L{object})"),
                5 => "begin(atomic)".to_owned(),
                _ => "end(atomic)".to_owned(),
            };
            writeln!(lines, "T{thread}|{event}|{position}").expect("memory takes all");
        }
        lines
    })
}

proptest! {
    #[test]
    fn reading_what_was_written_gives_the_same_trace(lines in std_lines()) {
        let forks = "T0|fork(T1)|1\nT0|fork(T2)|2\nT2|fork(T3)|2\nT1|r(z)|1\nT3|r(z)|1\n";
        let joins = "T0|join(T1)|8\nT0|join(T2)|9\n";
        let whole = format!("{forks}{lines}{joins}");
        let first = rapid::read(whole.as_bytes()).expect("STD").trace;
        let accesses = first.ops().filter(|&op| matches!(first.op(op), Op::Read(_) | Op::Write(_)));
        prop_assert_eq!(accesses.count(), first.accesses());
        let written = as_std(&first).expect("threads only");
        let second = rapid::read(written.as_bytes()).expect("own output").trace;
        prop_assert_eq!(spelled(&first), spelled(&second));
        prop_assert_eq!(as_std(&second).expect("threads only"), written);
    }
}
