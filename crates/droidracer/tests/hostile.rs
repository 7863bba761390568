//! Checks that no bytes cause a panic, that each anomaly has a diagnostic with its line, and that
//! the rest is analysed.

use std::fmt::Write;

use droidracer::closure::close_slowly;
use droidracer::log::{AbcLog, LastLine, MAX_OPERATIONS, parse};
use droidracer::rules::RuleSet;
use droidracer::trailer::Trailer;
use droidracer::{analyse, codes};
use proptest::collection::vec;
use proptest::prelude::*;
use trace::{Diagnostic, Place};

/// A small log with a race on field 8 of the object between two tasks posted by two natives.
const LOG: &str = "\
Android bug-checker log messages 

1 START
2 THREADINIT tid:1
3 ATTACH-Q tid:1\t queue:7
4 LOOP tid:1\t queue:7
5 NATIVE-ENTRY tid:2thread-name:Binder Thread #1
6 POST src:2 msg:1 dest:-1 delay:0
7 NATIVE-EXIT tid:2thread-name:Binder Thread #1
8 NATIVE-ENTRY tid:2thread-name:Binder Thread #1
9 POST src:2 msg:2 dest:-1 delay:0
10 NATIVE-EXIT tid:2thread-name:Binder Thread #1
11 CALL tid:1\t msg:1
rwId:1 WRITE tid:1 obj:0x10 class:LA; field:8
12 ACCESS tid:1\t accessId:1
13 RET tid:1\t msg:1
14 CALL tid:1\t msg:2
rwId:2 READ tid:1 obj:0x10 class:LA; field:8
15 ACCESS tid:1\t accessId:2
16 RET tid:1\t msg:2
 HB Graph 
 HB Graph size : 16\n";

const PAIR: &str = "\
RACE rwId1:2 type - READ  obj - 0x10  class - LA; field -   fieldIdx - 8  dbPath -   tid - 1  accessId - 2
     rwId2:1 type - WRITE  obj - 0x10  class - LA; field -   fieldIdx - 8  dbPath -   tid - 1  accessId - 1
";

fn report(log: &AbcLog) -> (String, Vec<Diagnostic>) {
    let (analysis, anomalies) = analyse(log, RuleSet::ALL);
    (Trailer::new(&analysis, &log.names).to_string(), anomalies)
}

/// Reads and analyses a log, and returns the printed output and all diagnostics.
fn run(bytes: &[u8]) -> (String, Vec<Diagnostic>) {
    let (log, mut diagnostics) = parse(bytes).expect("it has operations");
    let (report, anomalies) = report(&log);
    diagnostics.extend(anomalies);
    (report, diagnostics)
}

/// Returns `LOG` with `line` inserted before line `at`.
fn with_line(at: usize, line: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = LOG.as_bytes().split(|&byte| byte == b'\n').collect();
    lines.insert(at - 1, line);
    lines.join(&b'\n')
}

#[test]
fn the_small_log_is_flawless() {
    let (report, diagnostics) = run(LOG.as_bytes());
    assert_eq!(diagnostics, []);
    assert!(report.contains(PAIR), "{report}");
    assert!(report.contains("asyncblocks\nclass: LA;  field:8\n"), "{report}");
}

#[test]
fn a_bad_line_is_said_with_its_place_and_the_rest_is_analysed() {
    let cases: [(&[u8], &trace::Code, u64); 26] = [
        (b"hello", &codes::UNKNOWN_LINE, 1),
        (b"\0\0\0", &codes::UNKNOWN_LINE, 1),
        (b"100 FROB tid:1", &codes::UNKNOWN_KIND, 5),
        (b"100 A\xff", &codes::UNKNOWN_KIND, 5),
        (b"rwId:9 PEEK tid:1", &codes::UNKNOWN_KIND, 8),
        (b"rwId:9", &codes::UNKNOWN_KIND, 7),
        (b"rwId:x READ tid:1", &codes::BAD_FIELD, 6),
        (b"rwId: READ tid:1", &codes::BAD_FIELD, 6),
        (b"rwId:9 READ tid:1", &codes::MISSING_FIELD, 18),
        (b"rwId:9 READ tid:1 obj:10 class:LA; field:8", &codes::BAD_FIELD, 23),
        (b"rwId:2 READ tid:1 obj:0x10 class:LA; field:8", &codes::DUPLICATE_ACCESS, 1),
        (b"99999999999999999999999 START", &codes::BAD_FIELD, 1),
        (b"100 POST src:1 msg:5", &codes::MISSING_FIELD, 21),
        (b"100 POST", &codes::MISSING_FIELD, 9),
        (b"100 POST src:1 msg:5 dest:-1 delay:1e9", &codes::BAD_FIELD, 36),
        (b"100 CALL tid:4294967296 msg:5", &codes::BAD_FIELD, 14),
        (b"100 CALL tid: msg:5", &codes::BAD_FIELD, 14),
        (b"100 LOCK tid:1 lock-obj:0xfffffffffffffffff", &codes::BAD_FIELD, 25),
        (b"100 ENABLE-EVENT tid:1 view:4294967296 event:0", &codes::BAD_FIELD, 29),
        (b"100 WAIT tid:1 tid:2", &codes::EXTRA_TEXT, 15),
        (b"100 TRIGGER-SERVICE tid:1 component:A id:0 state:NAP", &codes::UNKNOWN_STATE, 1),
        (b"12 WAIT tid:1", &codes::DUPLICATE_OPERATION, 1),
        (b"100 CALL tid:3 msg:1", &codes::DUPLICATE_CALL, 1),
        (b"100 RET tid:1 msg:1", &codes::UNMATCHED_RET, 1),
        (b"100 ADD_IDLE_HANDLER idler:1 queue:8", &codes::UNKNOWN_QUEUE, 1),
        (b"100 TRIGGER-EVENT tid:1 view:1 event:0", &codes::TRIGGER_WITHOUT_ENABLE, 1),
    ];
    for (text, code, column) in cases {
        let shown = text.escape_ascii();
        let (report, diagnostics) = run(&with_line(19, text));
        let found: Vec<_> = diagnostics.iter().map(|one| (one.code.name, one.at)).collect();
        assert_eq!(found, [(code.name, Place::Line { line: 19, column })], "{shown}");
        assert!(report.contains(PAIR), "{shown}: {report}");
    }
}

#[test]
fn messages_that_cannot_be_are_said() {
    let cases: [(&str, &trace::Code); 4] = [
        ("100 POST src:2 msg:1 dest:-1 delay:0", &codes::DUPLICATE_POST),
        ("100 CALL tid:3 msg:77", &codes::CALL_WITHOUT_POST),
        ("100 CALL tid:3 msg:77\n101 POST src:3 msg:77 dest:-1 delay:0", &codes::POST_AFTER_CALL),
        (
            "100 CALL tid:3 msg:77\n101 CALL tid:3 msg:78\n\
             98 POST src:3 msg:77 dest:-1 delay:0\n99 POST src:3 msg:78 dest:-1 delay:0",
            &codes::NESTED_CALL,
        ),
    ];
    for (text, code) in cases {
        let (report, diagnostics) = run(&with_line(19, text.as_bytes()));
        let found: Vec<_> = diagnostics.iter().map(|one| one.code.name).collect();
        assert_eq!(found, [code.name], "{text}");
        assert!(report.contains(PAIR), "{text}: {report}");
    }
}

#[test]
fn missing_parts_are_said() {
    let body = LOG.split_once("\n\n").unwrap().1.split_once(" HB").unwrap().0;
    let cut = body.replace("1 START\n", "").replace("16 RET tid:1\t msg:2\n", "");
    let (report, diagnostics) = run(format!("{cut}rwId:3 READ tid:1 database:/a b\n").as_bytes());
    let found: Vec<_> = diagnostics.iter().map(|one| one.code.name).collect();
    let codes = [&codes::NO_HEADER, &codes::NO_REPORT, &codes::NO_START, &codes::UNCLOSED_ACCESS];
    assert_eq!(found, codes.map(|code| code.name));
    assert!(report.contains(PAIR), "{report}");
}

#[test]
fn an_input_that_is_no_log_is_an_error_with_its_line() {
    for (bytes, line) in [(&b""[..], 1), (b"\n\nELF\x7f\0\n", 3), (b"\xff\xfe", 1)] {
        let error = parse(bytes).unwrap_err();
        assert_eq!(error.at, Place::Line { line, column: 1 });
        assert!(error.to_string().contains("not an abc_log"), "{error}");
        assert!(error.to_string().is_ascii());
    }
}

#[test]
fn a_log_too_large_to_analyse_is_an_error_with_its_line() {
    let mut text = String::new();
    for id in 1..=MAX_OPERATIONS + 2 {
        writeln!(text, "{id} WAIT tid:1").unwrap();
    }
    let error = parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.at, Place::Line { line: MAX_OPERATIONS as u64 + 1, column: 1 });
}

#[test]
fn long_lines_are_quoted_in_short() {
    let long = vec![b'x'; 10 << 20];
    for prefix in ["", "100 ", "100 X", "100 CALL tid:", "rwId:9 READ tid:", "rwId:"] {
        let (report, diagnostics) = run(&with_line(19, &[prefix.as_bytes(), &long].concat()));
        assert_eq!(diagnostics.len(), 1, "{prefix}");
        assert!(diagnostics[0].message.len() < 300, "{prefix}");
        assert!(report.contains(PAIR));
    }
}

#[test]
fn names_are_escaped_where_they_are_shown() {
    let hostile: &[u8] = b"class:\x1b[2J\xff\0\xe2\x80\xae;";
    let mut bytes = Vec::new();
    for line in LOG.as_bytes().split_inclusive(|&byte| byte == b'\n') {
        match line.windows(9).position(|part| part == b"class:LA;") {
            Some(at) => bytes.extend([&line[..at], hostile, &line[at + 9..]].concat()),
            None => bytes.extend(line),
        }
    }
    let (report, _) = run(&bytes);
    let shown = r"class - \u{1b}[2J\xff\u{0}\u{202e};";
    assert!(report.contains(shown), "{report}");
    assert!(report.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
}

#[test]
fn line_ends_of_another_system_do_not_matter() {
    let (report, diagnostics) = run(LOG.replace('\n', "\r\n").as_bytes());
    assert_eq!(diagnostics, []);
    assert!(report.contains(PAIR));
}

#[test]
fn operations_within_the_report_count() {
    let (log, _) = parse(format!("{LOG}17 WAIT tid:5\nRaces detected\n").as_bytes()).unwrap();
    assert_eq!(log.operations.len(), 17);
    let (log, _) = parse(format!("{LOG} 17 WAIT tid:5\n17 wait\n17\n").as_bytes()).unwrap();
    assert_eq!(log.operations.len(), 16);
}

#[test]
fn operations_are_taken_by_number_not_by_line() {
    let mut lines: Vec<&str> = LOG.lines().collect();
    lines.swap(4, 5);
    let (log, _) = parse(lines.join("\n").as_bytes()).unwrap();
    assert!(log.operations.is_sorted_by_key(|op| op.id));
    let (report, _) = run(lines.join("\n").as_bytes());
    assert_eq!(report, run(LOG.as_bytes()).0);
}

#[test]
fn a_log_cut_anywhere_is_read() {
    for end in 0..LOG.len() {
        if let Ok((log, _)) = parse(&LOG.as_bytes()[..end]) {
            report(&log);
        }
    }
}

/// Generates operation lines of every kind over few threads, messages and components.
fn lines() -> impl Strategy<Value = String> {
    let templates = prop::sample::select(vec![
        "START",
        "THREADINIT tid:T",
        "THREADEXIT tid:T",
        "FORK par-tid:T child-tid:N",
        "ATTACH-Q tid:T\t queue:N",
        "LOOP tid:T\t queue:N",
        "NATIVE-ENTRY tid:Tthread-name:Binder",
        "NATIVE-EXIT tid:Tthread-name:Binder",
        "POST src:T msg:N dest:-1 delay:M",
        "POST src:T msg:N dest:-1 delay:0",
        "CALL tid:T\t msg:N",
        "RET tid:T\t msg:N",
        "LOCK tid:T\t lock-obj:0xN",
        "UNLOCK tid:T\t lock-obj:0xN",
        "NOTIFY tid:T notifiedTid:N",
        "WAIT tid:T",
        "ACCESS tid:T accessId:1",
        "ENABLE-EVENT tid:T view:N event:0",
        "TRIGGER-EVENT tid:T view:N event:0",
        "ENABLE-WINDOW-FOCUS tid:T windowHash:N",
        "TRIGGER-WINDOW-FOCUS tid:T windowHash:N",
        "ENABLE-LIFECYCLE tid:T component: id:N state:RESUME-ACT",
        "TRIGGER-LIFECYCLE tid:T component: id:N state:RESUME-ACT",
        "TRIGGER-LIFECYCLE tid:T component: id:N state:PAUSE-ACT",
        "TRIGGER-LIFECYCLE tid:T component: id:N state:BINDAPP-DONE",
        "INSTANCE-INTENT tid:T instance:N intentId:M",
        "TRIGGER-SERVICE tid:T component:S id:N state:REQUEST_START_SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:REQUEST_BIND_SERVICE",
        "TRIGGER-SERVICE tid:T component: id:N state:REQUEST_UNBIND_SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:REQUEST_STOP_SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:CREATE-SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:BIND-SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:SERVICE-ARGS",
        "TRIGGER-SERVICE tid:T component:S id:N state:SERVICE_CONNECT",
        "TRIGGER-SERVICE tid:T component:S id:N state:UNBIND-SERVICE",
        "TRIGGER-SERVICE tid:T component:S id:N state:STOP-SERVICE",
        "TRIGGER-BROADCAST tid:T action:A component:N intent:M onRecLater:-1 state:ABC_REGISTER_RECEIVER",
        "TRIGGER-BROADCAST tid:T action: component:N intent:0 onRecLater:-1 state:ABC_UNREGISTER_RECEIVER",
        "TRIGGER-BROADCAST tid:T action:A component:0 intent:M onRecLater:-1 state:ABC_SEND_BROADCAST",
        "TRIGGER-BROADCAST tid:T action:A component:0 intent:M onRecLater:-1 state:ABC_SEND_STICKY_BROADCAST",
        "TRIGGER-BROADCAST tid:T action:A component:N intent:M onRecLater:-1 state:ABC_TRIGGER_ONRECIEVE_LATER",
        "TRIGGER-BROADCAST tid:T action:A component:N intent:M onRecLater:N state:ABC_ONRECEIVE",
        "TRIGGER-BROADCAST tid:T action:android.intent.action.TIME_TICK component:N intent:M onRecLater:-1 state:ABC_ONRECEIVE",
        "ADD_IDLE_HANDLER idler:N queue:N",
        "REMOVE_IDLE_HANDLER idler:N queue:N",
        "QUEUE_IDLE tid:T idler:N queue:N",
    ]);
    (templates, 0..3u32, 0..6u32, 0..3u32).prop_map(|(template, thread, n, m)| {
        template
            .replace("tid:T", &format!("tid:{thread}"))
            .replace("src:T", &format!("src:{thread}"))
            .replace(":N", &format!(":{n}"))
            .replace("0xN", &format!("0x{n}"))
            .replace(":M", &format!(":{m}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok((log, _)) = parse(&bytes) {
            report(&log);
        }
    }

    #[test]
    fn a_log_with_bytes_changed_is_read(
        changes in vec((0..LOG.len(), any::<u8>()), 1..8),
    ) {
        let mut bytes = LOG.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        if let Ok((log, _)) = parse(&bytes) {
            report(&log);
        }
    }

    #[test]
    fn operations_in_any_order_are_analysed_alike_fast_and_slowly(lines in vec(lines(), 1..60)) {
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            writeln!(text, "rwId:{index} WRITE tid:{} obj:0x1 class:LA; field:1", index % 3).unwrap();
            writeln!(text, "{} {line}", index + 1).unwrap();
        }
        let (log, _) = parse(text.as_bytes()).unwrap();
        let (analysis, _) = analyse(&log, RuleSet::ALL);
        prop_assert_eq!(&analysis.relation, &close_slowly(&analysis.base));
        prop_assert_eq!(report(&log).0, report(&log).0);
    }
}

/// A cut log has no diagnostic only if the cut is between two lines or in the tool's output.
#[test]
fn a_cut_inside_a_line_is_stated() {
    let report = LOG.find(" HB Graph").expect("LOG has a report");
    let (mut unended, mut left_out) = (0, 0);
    for cut in 0..LOG.len() {
        let Ok((log, _)) = parse(&LOG.as_bytes()[..cut]) else { continue };
        let number = LOG[..cut].lines().count() as u64;
        let ended =
            parse(format!("{}\n", &LOG[..cut]).as_bytes()).expect("a line end harms none").0;
        let before = LOG[..cut].rfind('\n').map_or(0, |at| at + 1);
        let whole_lines = parse(&LOG.as_bytes()[..before])
            .map_or(0, |(log, _)| log.operations.len() + log.accesses.len());
        assert_eq!(ended.last_line, LastLine::Ended);
        let expected = if LOG[before..cut].trim().is_empty() || cut >= report + " HB Graph".len() {
            LastLine::Ended
        } else if ended.operations.len() + ended.accesses.len() > whole_lines {
            unended += 1;
            LastLine::Unended(number)
        } else {
            left_out += 1;
            LastLine::LeftOut(number)
        };
        assert_eq!(log.last_line, expected, "cut at {cut}: {}", &LOG[before..cut]);
    }
    assert!(unended > 20 && left_out > 100, "{unended} read, {left_out} left out");
}
