//! The rules of model `web`. `L` has attached `Q`, `L2` has attached `Q2`; `P` is a pool.

use trace::OpId;
use trace::Posting::{self, Delayed, Display, Idle, Input};

use super::mini::Mini;
use crate::oracle::Model::Web;

#[track_caller]
fn fires(rule: &str, write: impl Fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.fires(Web, rule, alpha, beta);
}

#[track_caller]
fn misses(rule: &str, write: impl Fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.misses(Web, rule, alpha, beta);
}

#[test]
fn arcs_by_their_causes() {
    let rules = [
        ("PARSER-ORDER", "parser"),
        ("LOAD-ORDER", "load"),
        ("NETWORK-ORDER", "network"),
        ("INTERVAL-ORDER", "interval"),
        ("SCRIPT-ORDER", "script"),
        ("TARGET-ORDER", "target"),
        ("ARC", "message"),
    ];
    for (rule, cause) in rules {
        fires(rule, |t| {
            t.arc_by("L", "m", "n", cause);
            (t.event("L", "m").0, t.event("L", "n").1)
        });
        // Against the trace.
        misses(rule, |t| {
            t.arc_by("L", "n", "m", cause);
            (t.event("L", "m").1, t.begin("L", "n"))
        });
        // The source does not end before its target begins.
        misses(rule, |t| {
            t.arc_by("L", "m", "n", cause);
            let (a, b) = (t.begin("L", "m"), t.begin("L2", "n"));
            t.end("L", "m");
            (a, b)
        });
    }
    fires("ARC", |t| {
        t.arc("L", "m", "n");
        (t.event("L", "m").0, t.event("L", "n").1)
    });
}

#[test]
fn listener() {
    fires("LISTENER", |t| {
        let begin = t.begin("L", "m");
        t.register("L", "c");
        t.end("L", "m");
        t.begin("L", "n");
        t.invoke("L", "c", false);
        (begin, t.end("L", "n"))
    });
    // Another registration came in between.
    misses("LISTENER", |t| {
        let begin = t.begin("L", "m");
        t.register("L", "c");
        t.end("L", "m");
        t.register("L", "c");
        t.begin("L", "n");
        t.invoke("L", "c", false);
        (begin, t.end("L", "n"))
    });
    // The registering event goes on.
    misses("LISTENER", |t| {
        let begin = t.begin("L", "m");
        t.register("L", "c");
        t.begin("L2", "n");
        t.invoke("L2", "c", false);
        t.end("L", "m");
        (begin, t.end("L2", "n"))
    });
}

#[test]
fn task_order() {
    for of_type in ["microtask", "listener"] {
        fires("TASK-ORDER", |t| (t.event("L", "m").1, t.part("L", "n", of_type).0));
        // Another task started in between, or the part runs elsewhere.
        misses("TASK-ORDER", |t| {
            let end = t.event("L", "m").1;
            t.event("L", "o");
            (end, t.part("L", "n", of_type).0)
        });
        misses("TASK-ORDER", |t| (t.event("L", "m").1, t.part("L2", "n", of_type).0));
    }
    misses("TASK-ORDER", |t| (t.event("L", "m").1, t.part("L", "n", "timer").0));
    fires("TASK-ORDER", |t| {
        t.event("L", "task");
        (t.part("L", "m", "listener").1, t.part("L", "n", "listener").0)
    });
    // Without a task before them, parts stand alone.
    misses("TASK-ORDER", |t| (t.part("L", "m", "microtask").1, t.part("L", "n", "microtask").0));
}

/// Queues m and n in one event, in the order given, and runs m first.
fn queued(t: &mut Mini, order: [&str; 2]) -> (OpId, OpId) {
    t.begin("L", "poster");
    for message in order {
        t.enqueue("L", message, "P", Delayed(0));
    }
    t.end("L", "poster");
    (t.part("L", "m", "microtask").1, t.part("L", "n", "microtask").0)
}

#[test]
fn microtask_order() {
    fires("MICROTASK-ORDER", |t| queued(t, ["m", "n"]));
    misses("MICROTASK-ORDER", |t| queued(t, ["n", "m"]));
    // Each waits for a registration as well, which only one order keeps.
    let registered = |t: &mut Mini, order: [&str; 2]| {
        t.begin("L", "script");
        for callback in order {
            t.register("L", callback);
        }
        t.end("L", "script");
        t.event("L", "task");
        t.begin_part("L", "m", "microtask");
        t.invoke("L", "first", false);
        let end = t.end("L", "m");
        let begin = t.begin_part("L", "n", "microtask");
        t.invoke("L", "second", false);
        (end, begin)
    };
    fires("MICROTASK-ORDER", |t| registered(t, ["first", "second"]));
    misses("MICROTASK-ORDER", |t| registered(t, ["second", "first"]));
    // One of the causes of the first is no cause of the second.
    misses("MICROTASK-ORDER", |t| {
        t.event("L", "other");
        let (end, begin) = queued(t, ["m", "n"]);
        t.arc("L", "other", "m");
        (end, begin)
    });
}

#[test]
fn checkpoint() {
    let posts = |t: &mut Mini, queue: &str| {
        t.begin("L", "m");
        t.enqueue("L", "o", queue, Delayed(0));
        t.end("L", "m");
        t.part("L", "n", "microtask").1
    };
    fires("CHECKPOINT", |t| (posts(t, "Q"), t.begin("L", "o")));
    // On another thread, or without any part that comes before.
    misses("CHECKPOINT", |t| (posts(t, "Q2"), t.begin("L2", "o")));
    misses("CHECKPOINT", |t| (posts(t, "Q"), t.begin("L", "other")));
    // A listener that was added in an event that does not come before.
    let added = |t: &mut Mini, to: &str| {
        t.begin("L", "script");
        t.register("L", "c");
        t.end("L", "script");
        t.arc("L", to, "next");
        t.event("L", "dispatch");
        t.begin_part("L", "m", "listener");
        t.invoke("L", "c", false);
        let end = t.end("L", "m");
        t.arc("L", "dispatch", "next");
        (end, t.begin("L", "next"))
    };
    fires("CHECKPOINT", |t| added(t, "script"));
    misses("CHECKPOINT", |t| added(t, "dispatch"));
    // Of its own task, a part precedes only what comes later.
    misses("CHECKPOINT", |t| {
        let end = posts(t, "Q");
        (t.part("L", "late", "microtask").0, end)
    });
}

/// Posts m like `eta` and n like `gamma` in one event, and runs them in this order.
fn two(
    t: &mut Mini,
    (eta, to): (Posting, &str),
    (gamma, also_to): (Posting, &str),
) -> (OpId, OpId) {
    t.begin("L", "poster");
    t.enqueue("L", "m", to, eta);
    t.enqueue("L", "n", also_to, gamma);
    t.end("L", "poster");
    (t.event("L", "m").1, t.begin("L", "n"))
}

#[test]
fn queues_that_keep_order() {
    fires("TIMER-ORDER", |t| two(t, (Delayed(5), "Q"), (Delayed(5), "Q")));
    fires("TIMER-ORDER", |t| two(t, (Delayed(0), "Q"), (Delayed(-1), "Q")));
    misses("TIMER-ORDER", |t| two(t, (Delayed(6), "Q"), (Delayed(5), "Q")));
    misses("TIMER-ORDER", |t| two(t, (Delayed(5), "Q"), (Delayed(5), "Q2")));
    misses("TIMER-ORDER", |t| two(t, (Delayed(5), "P"), (Delayed(5), "P")));
    misses("TIMER-ORDER", |t| two(t, (Delayed(0), "Q"), (Idle, "Q")));
    fires("FRAME-ORDER", |t| two(t, (Display, "Q"), (Display, "Q")));
    misses("FRAME-ORDER", |t| two(t, (Display, "Q"), (Delayed(9), "Q")));
    misses("FRAME-ORDER", |t| two(t, (Display, "P"), (Display, "P")));
    fires("IDLE-ORDER", |t| two(t, (Idle, "Q"), (Idle, "Q")));
    misses("IDLE-ORDER", |t| two(t, (Idle, "Q"), (Idle, "Q2")));
    misses("IDLE-ORDER", |t| two(t, (Idle, "P"), (Idle, "P")));
}

#[test]
fn posts_have_to_be_ordered() {
    // By events that nothing orders, or outside events.
    misses("TIMER-ORDER", |t| {
        t.begin("L", "one");
        t.enqueue("L", "m", "Q", Delayed(0));
        t.end("L", "one");
        t.begin("L", "other");
        t.enqueue("L", "n", "Q", Delayed(0));
        t.end("L", "other");
        (t.event("L", "m").1, t.begin("L", "n"))
    });
    misses("TIMER-ORDER", |t| {
        t.enqueue("L", "m", "Q", Delayed(0));
        t.enqueue("L", "n", "Q", Delayed(0));
        (t.event("L", "m").1, t.begin("L", "n"))
    });
}

#[test]
fn input_order() {
    let taps = |t: &mut Mini, queue: &str, posting: Posting| {
        t.enqueue("L", "m", queue, Input);
        let end = t.event("L", "m").1;
        t.enqueue("L", "n", queue, posting);
        (end, t.begin("L", "n"))
    };
    fires("INPUT-ORDER", |t| taps(t, "Q", Input));
    misses("INPUT-ORDER", |t| taps(t, "P", Input));
    misses("INPUT-ORDER", |t| taps(t, "Q", Delayed(0)));
}
