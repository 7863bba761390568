//! Tests of the meaning of each line of the notation, and of its error messages.

use trace::{Enqueue, Id, LocationKind, Op, OpId, Posting, Provenance, Trace};

use super::{read, write};
use crate::Loaded;

/// Reads `lines` under the first line.
fn load(lines: &str) -> Loaded {
    read(format!("interloper-trace 1\n{lines}").as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn trace(lines: &str) -> Trace {
    load(lines).trace
}

fn written(trace: &Trace) -> String {
    let mut text = Vec::new();
    write(trace, &mut text).expect("writing to memory cannot fail");
    String::from_utf8(text).expect("the notation is ASCII")
}

/// Returns the error of reading `text`.
fn failure(text: &[u8]) -> String {
    match read(text) {
        Ok(_) => panic!("read: {}", String::from_utf8_lossy(text)),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn assert_failures(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(&failure(format!("interloper-trace 1\n{line}\n").as_bytes()), expected);
    }
}

/// The canonical form of every operation, key and flag.
const EVERYTHING: &str = "\
interloper-trace 1
model android
process system b1 b2
location list kind=user
location cache kind=database%20row
main init at=1 id=7
main fork w src=Main.java:10
main attach q
main loop q
w init
w lock l
w unlock l
w notify h
main wait h
w register c
w enqueue m0 q
w enqueue m1 q delay=-5
w enqueue m2 q time=0 async
w enqueue m3 q front
w enqueue m4 q idle async
w enqueue m5 q input
w enqueue m6 q display
w enqueue m7 b ipc
w enqueue m8 b at=99 ipc async sync
w post_barrier bar q
w remove_barrier bar
main begin m0 type=click name=OK%20button
main invoke c
main invoke c sync
main enter onClick kind=user src=Main.java:12:5
main read list value=null
main write list value= src=C:\\a%3A1:2
main leave
main end m0
w remove m0
b1 begin m8
b1 end m8
w enqueue_end m8
w unregister c
w enable back
main trigger back
main arc m0 m8
w exit
main join w
";

#[test]
fn the_canonical_form_is_read_and_written_unchanged() {
    let Loaded { trace, diagnostics, .. } = read(EVERYTHING.as_bytes()).expect("it is well formed");
    assert_eq!(written(&trace), EVERYTHING);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(trace.model(), Some(b"android".as_slice()));
    let cache = trace.names().locations.find(b"cache").expect("declared");
    assert!(
        matches!(trace.location_kind(cache), Some(LocationKind::Other(t)) if trace.text(t) == b"database row")
    );
    let system = trace.names().processes.find(b"system").expect("declared");
    let b1 = trace.names().threads.find(b"b1").expect("declared");
    assert_eq!(trace.thread(b1).process, system);
}

#[test]
fn spaces_comments_blank_lines_and_line_ends_do_not_matter() {
    let plain = "interloper-trace 1\na read x value=1\n";
    let spelled = "\u{feff}interloper-trace 1 # the first line\r\n\r\n # größe \0\n\t a\tread  x \
                   value=1#end\r";
    let loaded = read(spelled.as_bytes()).expect("it is well formed");
    assert_eq!(written(&loaded.trace), plain);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(trace("a init\r").len(), 1);
}

#[test]
fn keys_and_flags_come_in_any_order() {
    let trace = trace("a enqueue m q async at=3 ipc src=f:1 sync");
    let Op::Enqueue(enqueue) = trace.op(OpId::new(0)) else { panic!("an enqueue") };
    let Enqueue { posting, is_async, sync, .. } = enqueue;
    assert_eq!((posting, is_async, sync), (Posting::Ipc, true, true));
    assert_eq!(written(&trace), "interloper-trace 1\na enqueue m q src=f:1 at=3 ipc async sync\n");
}

#[test]
fn barrier_is_a_synonym_of_async() {
    for flags in ["barrier", "async", "async barrier"] {
        let text = written(&trace(&format!("a enqueue m q {flags}")));
        assert_eq!(text, "interloper-trace 1\na enqueue m q async\n");
    }
}

#[test]
fn only_calls_between_processes_block() {
    let text = written(&trace("a enqueue m q sync\na enqueue n q ipc sync"));
    assert_eq!(text, "interloper-trace 1\na enqueue m q\na enqueue n q ipc sync\n");
}

#[test]
fn defaults_are_left_out() {
    let text = written(&trace("a enqueue m q delay=0\nb enqueue n q delay=-0"));
    assert_eq!(text, "interloper-trace 1\na enqueue m q\nb enqueue n q\n");
}

#[test]
fn header_words_are_threads_after_the_first_operation() {
    let text = "interloper-trace 1\n%6Dodel init\nmodel read x\nprocess fork location\n";
    let trace = read(text.as_bytes()).expect("it is well formed").trace;
    assert_eq!(trace.thread_of(OpId::new(0)), trace.thread_of(OpId::new(1)));
    assert_eq!(trace.model(), None);
    assert_eq!(written(&trace), text);
}

#[test]
fn the_empty_name_is_a_lone_percent_sign() {
    let text =
        "interloper-trace 1\nmodel %\nprocess % %\nlocation % kind=\n% read % value= src=:3\n";
    let trace = read(text.as_bytes()).expect("it is well formed").trace;
    assert_eq!(trace.names().threads.find(b""), Some(trace.thread_of(OpId::new(0))));
    assert_eq!(written(&trace), text);
    let value = read(b"interloper-trace 1\na read x value=%").expect("it is well formed").trace;
    assert_eq!(value.attributes(OpId::new(0)).value.map(|v| value.text(v)), Some(b"".as_slice()));
}

#[test]
fn escapes_stand_for_bytes() {
    let trace = trace("%00 read a%20b%ff%Fe value=%25%3D%23");
    assert_eq!(trace.names().threads.find(b"\0"), Some(trace.thread_of(OpId::new(0))));
    assert!(trace.names().locations.find(b"a b\xff\xfe").is_some());
    assert_eq!(written(&trace), "interloper-trace 1\n%00 read a%20b%FF%FE value=%25%3D%23\n");
}

#[test]
fn a_source_is_taken_apart_from_its_end() {
    let cases: [(&str, &[u8], u32, Option<u32>); 7] = [
        ("Main.java:12", b"Main.java", 12, None),
        ("Main.java:12:7", b"Main.java", 12, Some(7)),
        ("http://a:80/b.js:3", b"http://a:80/b.js", 3, None),
        ("a:1:2:3", b"a:1", 2, Some(3)),
        ("a%3A1:2", b"a:1", 2, None),
        (":0", b"", 0, None),
        ("a::5", b"a:", 5, None),
    ];
    for (spelling, file, line, column) in cases {
        let text = format!("interloper-trace 1\na init src={spelling}\n");
        let trace = read(text.as_bytes()).expect("it is well formed").trace;
        let source = trace.source(trace.attributes(OpId::new(0)).source.expect("given"));
        assert_eq!((trace.text(source.file), source.line, source.column), (file, line, column));
        assert_eq!(written(&trace), text);
    }
}

#[test]
fn the_kind_of_a_function_is_kept() {
    let trace = trace("a enter f kind=framework\na read x");
    let stack = trace.stack_of(OpId::new(1)).expect("inside f");
    assert_eq!(trace.stacks().frame(stack).provenance, Some(Provenance::Framework));
}

#[test]
fn an_arc_says_by_what_kind_of_order() {
    let text = "interloper-trace 1\na arc m n by=load\na arc n o\na begin o type=click\n";
    let loaded = read(text.as_bytes()).expect("it is well formed");
    let by = |op| loaded.trace.attributes(OpId::new(op)).event_type.map(|t| loaded.trace.text(t));
    assert_eq!([by(0), by(1), by(2)], [Some(&b"load"[..]), None, Some(&b"click"[..])]);
    assert_eq!(written(&loaded.trace), text);
    let misplaced = read(b"interloper-trace 1\na arc m n type=load\na begin n by=load\n");
    let codes = misplaced.expect("it is well formed").diagnostics;
    let codes = codes.iter().map(|d| d.code.name).filter(|&name| name == "misplaced-key");
    assert_eq!(codes.count(), 2);
}

#[test]
fn attributes_the_notation_has_no_place_for_are_left_out() {
    let mut builder = trace::TraceBuilder::new();
    let thread = builder.names().threads.intern(b"a");
    let value = Some(builder.text(b"1"));
    let attributes = trace::Attributes { value, event_type: value, ..Default::default() };
    builder.push(thread, Op::Init, attributes);
    assert_eq!(written(&builder.finish().0), "interloper-trace 1\na init\n");
}

#[test]
fn the_first_line_says_what_the_rest_is() {
    let cases: [(&[u8], &str); 8] = [
        (b"", "1:1: the line ends; expected `interloper-trace 1` on the first line"),
        (b"\n", "1:1: the line ends; expected `interloper-trace 1` on the first line"),
        (b"a read x", "1:1: `a`; expected `interloper-trace 1` on the first line"),
        (b"PK\x03\x04", "1:3: byte 0x03; expected `interloper-trace 1` on the first line"),
        (
            b"interloper-trace",
            "1:17: the line ends; expected version 1, the one this program reads",
        ),
        (
            b"interloper-trace 2\n",
            "1:18: version `2`; expected version 1, the one this program reads",
        ),
        (
            b"\xef\xbb\xbfinterloper-trace 01",
            "1:21: version `01`; expected version 1, the one this program reads",
        ),
        (b"interloper-trace 1 x", "1:20: `x`; expected the end of the first line"),
    ];
    for (text, expected) in cases {
        assert_eq!(failure(text), expected);
    }
}

#[test]
fn header_errors_say_where_and_what() {
    assert_failures(&[
        ("model", "2:6: the line ends; expected the name of a model"),
        ("model a b", "2:9: `b`; expected one name of a model"),
        ("process", "2:8: the line ends; expected the name of a process"),
        (
            "process p",
            "2:10: the line ends; expected a thread of the process (a thread called `process` is \
             `%70rocess` until the first operation)",
        ),
        ("location x", "2:11: the line ends; expected `kind=` and a kind"),
        ("location x user", "2:12: `user`; expected `kind=` and a kind"),
        ("location x kind=user kind=dom", "2:22: `kind=dom`; expected `kind=` once"),
        (
            "a init\nlocation x kind=user",
            "3:10: `x`; expected an operation of thread `location` (header lines stand before the \
             first operation)",
        ),
    ]);
}

#[test]
fn operation_errors_say_where_and_what() {
    assert_failures(&[
        (
            "a",
            "2:2: the line ends; expected an operation of thread `a`, such as `read` or `enqueue`",
        ),
        (
            "# x\n  a reed x",
            "3:5: `reed`; expected an operation of thread `a`, such as `read` or `enqueue`",
        ),
        ("a=b read x", "2:1: `a=b`; expected a thread (`=` in a name is `%3D`)"),
        ("a read", "2:7: the line ends; expected a location"),
        ("a read  # x", "2:9: the line ends; expected a location"),
        ("a read value=1", "2:8: `value=1`; expected a location"),
        ("a read x y", "2:10: `y`; expected no further argument of `read`"),
        ("a leave f", "2:9: `f`; expected no further argument of `leave`"),
        ("a enqueue m", "2:12: the line ends; expected a queue"),
        ("a arc m", "2:8: the line ends; expected a message"),
    ]);
}

#[test]
fn key_and_flag_errors_say_where_and_what() {
    let one_posting =
        "expected one of `delay=`, `time=`, `front`, `idle`, `input`, `display`, `ipc` at most";
    assert_failures(&[
        ("a enqueue m q delay=1 front", &format!("2:23: `front`; {one_posting}")),
        ("a enqueue m q front idle", &format!("2:21: `idle`; {one_posting}")),
        ("a enqueue m q time=1 delay=0", &format!("2:22: `delay=0`; {one_posting}")),
        ("a enqueue m q async async", "2:21: `async`; expected a flag at most once"),
        ("a read x value=1 value=1", "2:18: `value=1`; expected `value=` at most once"),
        ("a read x =1", "2:10: `=1`; expected a key before `=`"),
        ("a read x value=1=2", "2:17: a second `=`; expected `%3D` in its place"),
        ("a init at=-1", "2:11: `-1`; expected a whole number from 0 to 2^64 - 1"),
        (
            "a enqueue m q delay=9223372036854775808",
            "2:21: `9223372036854775808`; expected a whole number from -2^63 to 2^63 - 1",
        ),
        ("a init at=", "2:11: nothing; expected a whole number from 0 to 2^64 - 1"),
        ("a init at=+1", "2:11: `+1`; expected a whole number from 0 to 2^64 - 1"),
        (
            "a init src=Main.java",
            "2:12: `Main.java`; expected FILE:LINE or FILE:LINE:COL, the numbers below 2^32",
        ),
        (
            "a init src=f:4294967296",
            "2:12: `f:4294967296`; expected FILE:LINE or FILE:LINE:COL, the numbers below 2^32",
        ),
    ]);
}

#[test]
fn byte_and_escape_errors_say_where_and_what() {
    assert_failures(&[
        ("a read x%", "2:9: `%`; expected `%` and two hexadecimal digits"),
        ("a read x%4", "2:9: `%4`; expected `%` and two hexadecimal digits"),
        ("a read x%G1y", "2:9: `%G1`; expected `%` and two hexadecimal digits"),
        ("a read x%%41", "2:9: `%%4`; expected `%` and two hexadecimal digits"),
        ("a read x colour=%zz", "2:17: `%zz`; expected `%` and two hexadecimal digits"),
        ("a fork u value=%zz", "2:16: `%zz`; expected `%` and two hexadecimal digits"),
        ("a init src=%zz:1", "2:12: `%zz`; expected `%` and two hexadecimal digits"),
        ("größe init", "2:3: byte 0xc3; expected `%C3` in its place"),
        ("a\0 init", "2:2: byte 0x00; expected `%00` in its place"),
        ("a init\rb init", "2:7: byte 0x0d; expected `%0D` in its place"),
    ]);
}

#[test]
fn quotations_are_escaped_and_short() {
    let long = "x".repeat(100);
    let expected = format!(
        "2:3: `{}`... (100 bytes); expected an operation of thread `a`, such as `read` or `enqueue`",
        &long[..40]
    );
    assert_failures(&[(&format!("a {long}"), &expected)]);
}

#[test]
fn the_later_of_two_header_lines_counts() {
    let loaded = load(
        "model a\nmodel b\nprocess p t\nprocess q t\nlocation x kind=dom\nlocation x kind=user\nt read x",
    );
    let shown: Vec<(String, &str)> =
        loaded.diagnostics.iter().map(|d| (d.at.to_string(), d.message.as_str())).collect();
    let expected =
        [("3:7", "model `b`"), ("5:11", "process of thread `t`"), ("7:10", "kind of location `x`")];
    assert_eq!(shown, expected.map(|(at, says)| (at.to_string(), says)));
    let text = "interloper-trace 1\nmodel b\nprocess q t\nlocation x kind=user\nt read x\n";
    assert_eq!(written(&loaded.trace), text);
}

#[test]
fn header_lines_may_carry_words_of_a_later_version() {
    let loaded = load("model a since=2\nprocess p t pid=4\nlocation x kind=user at=3 frozen\n");
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code.name).collect();
    assert_eq!(codes, ["unknown-key", "unknown-key", "misplaced-key", "unknown-flag"]);
}
