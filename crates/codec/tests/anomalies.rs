//! Every declared anomaly has a trace that shows it and a near miss that does not.

use std::collections::BTreeSet;

use codec::text::read;
use trace::{Code, Diagnostic};

/// One declared code.
struct Case {
    code: &'static str,
    /// A trace that shows the anomaly.
    shows: &'static str,
    /// The place of the anomaly: an operation by its number, or a line and column of the text.
    at: &'static str,
    /// The message of the diagnostic.
    says: &'static str,
    /// A trace as close as possible that does not show it.
    near_miss: &'static str,
}

macro_rules! case {
    ($code:literal at $at:literal: $says:literal, shows $shows:literal, not $near_miss:literal) => {
        Case { code: $code, shows: $shows, at: $at, says: $says, near_miss: $near_miss }
    };
}

/// Lines are separated by `;` here.
const CASES: &[Case] = &[
    case!("begin-without-enqueue" at "operation 0": "message m",
        shows "a begin m; a end m",
        not "b enqueue m q; a begin m; a end m"),
    case!("duplicate-enqueue" at "operation 1": "message m",
        shows "a enqueue m q; a enqueue m r",
        not "a enqueue m q; a enqueue n q"),
    case!("enqueue-after-begin" at "operation 2": "message m",
        shows "a begin m; a end m; b enqueue m q",
        not "b enqueue m q; a begin m; a end m"),
    case!("duplicate-begin" at "operation 3": "message m",
        shows "b enqueue m q; a begin m; a end m; a begin m",
        not "b enqueue m q; a begin m; a end m; a begin n"),
    case!("nested-begin" at "operation 1": "message n",
        shows "a begin m; a begin n; a end n; a end m",
        not "a begin m; b begin n; b end n; a end m"),
    case!("wrong-end" at "operation 2": "message m",
        shows "a begin m; a begin n; a end m; a end n",
        not "a begin m; a begin n; a end n; a end m"),
    case!("unended-event" at "operation 0": "message m",
        shows "a begin m; a read x",
        not "a begin m; a read x; a end m"),
    case!("begin-on-foreign-thread" at "operation 1": "message m",
        shows "b enqueue m q; b begin m; b end m; a attach q",
        not "b enqueue m q; b begin m; b end m; a attach r"),
    case!("begin-after-remove" at "operation 2": "message m",
        shows "b enqueue m q; b remove m; a begin m; a end m",
        not "b enqueue m q; a begin m; b remove m; a end m"),
    case!("message-not-posted" at "operation 0": "message m",
        shows "a remove m; a enqueue m q",
        not "a enqueue m q; a remove m; a enqueue_end m"),
    case!("unlock-without-lock" at "operation 1": "lock l",
        shows "a lock l; b unlock l",
        not "a lock l; a lock l; a unlock l; a unlock l"),
    case!("lock-held-at-exit" at "operation 3": "thread a",
        shows "a lock l; a lock l; a unlock l; a exit",
        not "a lock l; b exit; a unlock l; a exit"),
    case!("duplicate-init" at "operation 1": "thread a",
        shows "a init; a init",
        not "a init; b init"),
    case!("operation-before-init" at "operation 1": "thread a",
        shows "a read x; a init",
        not "b read x; a init"),
    case!("operation-after-exit" at "operation 1": "thread a",
        shows "a exit; a read x",
        not "a exit; b read x"),
    case!("fork-without-init" at "operation 1": "thread b",
        shows "b init; a fork b; b read x",
        not "a fork b; b init; b read x"),
    case!("fork-after-start" at "operation 1": "thread b",
        shows "b read x; a fork b; b init",
        not "a fork b; b init; b read x"),
    case!("join-without-exit" at "operation 0": "thread b",
        shows "a join b; b exit",
        not "b exit; a join b"),
    case!("wait-without-notify" at "operation 0": "handle h",
        shows "a wait h; b notify h",
        not "b notify h; a wait h; a wait h"),
    case!("second-queue" at "operation 1": "thread a",
        shows "a attach q; a attach r",
        not "a attach q; a attach q; b attach r"),
    case!("second-owner" at "operation 1": "thread b",
        shows "a attach q; b attach q",
        not "a attach q; b attach r"),
    case!("loop-without-attach" at "operation 0": "thread a",
        shows "a loop q; a attach q",
        not "a attach q; a loop q"),
    case!("duplicate-barrier" at "operation 2": "barrier b",
        shows "a post_barrier b q; a remove_barrier b; a post_barrier b q",
        not "a post_barrier b q; a remove_barrier b; a post_barrier c q"),
    case!("barrier-not-posted" at "operation 0": "barrier b",
        shows "a remove_barrier b; a post_barrier b q",
        not "a post_barrier b q; b remove_barrier b"),
    case!("callback-not-registered" at "operation 0": "callback c",
        shows "a invoke c; a register c; a unregister c",
        not "a register c; b invoke c; a unregister c"),
    case!("trigger-without-enable" at "operation 0": "environment event e",
        shows "a trigger e; a enable e",
        not "a enable e; b trigger e"),
    case!("arc-backward" at "operation 4": "m to n",
        shows "a begin m; b begin n; a end m; b end n; a arc m n",
        not "a arc m n; a begin m; a end m; b begin n"),
    case!("leave-without-enter" at "operation 2": "thread a",
        shows "a enter f; a begin m; a leave; a end m",
        not "a enter f; a begin m; a end m; a leave"),
    case!("function-left-open" at "operation 2": "message m",
        shows "a begin m; a enter f; a end m",
        not "a begin m; a enter f; a leave; a end m"),
    case!("sync-without-ipc" at "operation 0": "message m",
        shows "a enqueue m q delay=1 sync",
        not "a enqueue m q ipc sync"),
    case!("time-runs-backwards" at "operation 1": "thread a",
        shows "a read x at=2; a read x at=1",
        not "a read x at=2; b read x at=1; a read x at=2"),
    case!("unknown-key" at "2:10": "key `colour=red`",
        shows "a read x colour=red",
        not "a read x value=red"),
    case!("unknown-flag" at "2:18": "flag `volatile`",
        shows "a read x value=1 volatile",
        not "a enqueue m q async"),
    case!("misplaced-key" at "2:10": "key `value=1`",
        shows "a fork u value=1",
        not "a fork u at=1 src=f:1 id=1"),
    case!("misplaced-flag" at "2:12": "flag `front`",
        shows "a invoke c front",
        not "a invoke c sync"),
    case!("unknown-kind" at "2:16": "kind `library`",
        shows "a enter f kind=library",
        not "a enter f kind=framework"),
    case!("contradictory-header" at "3:11": "process of thread `t`",
        shows "process p t; process q t",
        not "process p t; process p u t; model m; model m"),
];

fn diagnose(lines: &str) -> Vec<Diagnostic> {
    let text = format!("interloper-trace 1\n{}\n", lines.replace("; ", "\n"));
    read(text.as_bytes()).unwrap_or_else(|e| panic!("{lines}: {e}")).diagnostics
}

fn declared() -> impl Iterator<Item = &'static Code> {
    trace::anomaly::CODES.iter().chain(codec::anomaly::CODES).copied()
}

#[test]
fn each_anomaly_shows_where_it_should() {
    for case in CASES {
        let found = diagnose(case.shows);
        let shown: Vec<(String, &str)> = found
            .iter()
            .filter(|d| d.code.name == case.code)
            .map(|d| (d.at.to_string(), d.message.as_str()))
            .collect();
        assert_eq!(shown, [(case.at.to_string(), case.says)], "{}: {found:?}", case.code);
    }
}

#[test]
fn no_anomaly_shows_in_its_near_miss() {
    for case in CASES {
        let found = diagnose(case.near_miss);
        let shown = found.iter().find(|d| d.code.name == case.code);
        assert_eq!(shown, None, "{}", case.near_miss);
    }
}

#[test]
fn every_declared_code_is_covered_and_every_case_is_declared() {
    let covered: BTreeSet<&str> = CASES.iter().map(|case| case.code).collect();
    let names: BTreeSet<&str> = declared().map(|code| code.name).collect();
    assert_eq!(covered, names);
    assert_eq!(names.len(), declared().count(), "a name is declared twice");
}

#[test]
fn codes_are_documented_and_spelled_alike() {
    for code in declared() {
        assert!(code.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", code.name);
        assert!(code.doc.ends_with('.') && code.doc.len() > 30, "{}", code.name);
    }
}

#[test]
fn an_operation_can_be_odd_in_more_than_one_way() {
    let names = |lines| -> Vec<&str> { diagnose(lines).iter().map(|d| d.code.name).collect() };
    assert_eq!(names("a exit; a init"), ["operation-before-init", "operation-after-exit"]);
    assert_eq!(names("a lock l; a exit; a exit").len(), 3);
}
