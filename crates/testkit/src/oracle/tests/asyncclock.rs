//! The rules of model `asyncclock`.

use trace::OpId;
use trace::Posting::{self, AtTime, Delayed, Display, Front, Idle, Input, Ipc};

use super::mini::Mini;
use crate::oracle::Model::AsyncClock;
use crate::oracle::{RuleSwitches, happens_before};

#[track_caller]
fn fires(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.fires(AsyncClock, rule, alpha, beta);
}

#[track_caller]
fn misses(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.misses(AsyncClock, rule, alpha, beta);
}

fn two_posts(t: &mut Mini, m: (Posting, &str), n: (Posting, &str)) -> (OpId, OpId) {
    t.enqueue_flagged("T", "m", "Q", m.0, m.1);
    t.enqueue_flagged("T", "n", "Q", n.0, n.1);
    (t.event("L", "m").1, t.event("L", "n").0)
}

#[test]
fn po() {
    fires("PO", |t| (t.read("T", "x"), t.read("T", "y")));
    fires("PO", |t| (t.read("L", "x"), t.read("L", "y")));
    fires("PO", |t| t.event("L", "m"));
    misses("PO", |t| (t.read("T", "x"), t.read("U", "y")));
    misses("PO", |t| (t.event("L", "m").1, t.begin("L", "n")));
    misses("PO", |t| (t.event("L", "m").1, t.read("L", "x")));
    misses("PO", |t| (t.read("L", "x"), t.begin("L", "m")));
}

#[test]
fn fork_join_signal_send() {
    fires("FORK", |t| (t.fork("T", "U"), t.init("U")));
    misses("FORK", |t| (t.fork("T", "U"), t.init("V")));
    fires("JOIN", |t| (t.exit("U"), t.join("T", "U")));
    misses("JOIN", |t| (t.exit("V"), t.join("T", "U")));
    fires("SIGNAL", |t| (t.notify("T", "h"), t.wait("U", "h")));
    misses("SIGNAL", |t| (t.notify("T", "h"), t.wait("U", "i")));
    fires("SIGNAL", |t| (t.register("T", "c"), t.invoke("U", "c", false)));
    misses("SIGNAL", |t| (t.register("T", "c"), t.unregister("U", "c")));
    misses("SIGNAL", |t| (t.invoke("T", "c", true), t.invoke("U", "c", true)));
    fires("SEND", |t| (t.enqueue("T", "m", "pool", Idle), t.begin("P", "m")));
    fires("SEND", |t| (t.enqueue("T", "m", "binder", Ipc), t.begin("P", "m")));
    misses("SEND", |t| (t.enqueue("T", "m", "Q", Idle), t.begin("L", "n")));
}

#[test]
fn loop_begin_and_end() {
    fires("LOOPBEGIN", |t| (t.init("L"), t.begin("L", "m")));
    misses("LOOPBEGIN", |t| (t.init("L2"), t.begin("L", "m")));
    misses("LOOPBEGIN", |t| {
        t.enqueue("T", "m", "pool", Delayed(0));
        (t.init("L"), t.begin("L", "m"))
    });
    misses("LOOPBEGIN", |t| (t.init("P"), t.begin("P", "m")));
    fires("LOOPEND", |t| (t.event("L", "m").1, t.exit("L")));
    misses("LOOPEND", |t| (t.event("L", "m").1, t.exit("L2")));
    misses("LOOPEND", |t| (t.event("P", "m").1, t.exit("P")));
    misses("LOOPEND", |t| (t.begin("L", "m"), t.exit("L2")));
}

/// Table 1 cell by cell: rows and columns are Delayed, `AtTime` (async, then sync each), `AtFront`
/// async, `AtFront` sync; `≤` holds when the first is not later.
#[test]
fn priority_table() {
    const TABLE: [&str; 6] = ["≤≤00 00", "0≤00 00", "00≤≤ 00", "000≤ 00", "1111 00", "0101 00"];
    let tags = |time| {
        [
            (Delayed(time), "async"),
            (Delayed(time), ""),
            (AtTime(time), "async"),
            (AtTime(time), ""),
            (Front, "async"),
            (Front, ""),
        ]
    };
    for (first, second) in [(1, 1), (1, 2), (2, 1)] {
        for (m, row) in tags(first).into_iter().zip(TABLE) {
            for (n, cell) in tags(second).into_iter().zip(row.chars().filter(|&c| c != ' ')) {
                let mut t = Mini::with_loopers();
                let (a, b) = two_posts(&mut t, m, n);
                if cell == '1' || cell == '≤' && first <= second {
                    t.fires(AsyncClock, "PRIORITY", a, b);
                } else {
                    t.misses(AsyncClock, "PRIORITY", a, b);
                }
            }
        }
    }
}

#[test]
fn priority_needs_ordered_sends_to_one_looper() {
    misses("PRIORITY", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.enqueue("U", "n", "Q", Delayed(0));
        (t.event("L", "m").1, t.begin("L", "n"))
    });
    misses("PRIORITY", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.enqueue("T", "n", "Q2", Delayed(0));
        (t.event("L", "m").1, t.begin("L2", "n"))
    });
    misses("PRIORITY", |t| {
        t.enqueue("T", "m", "pool", Delayed(0));
        t.enqueue("T", "n", "pool", Delayed(0));
        (t.event("P", "m").1, t.begin("P", "n"))
    });
    misses("PRIORITY", |t| two_posts(t, (Idle, ""), (Idle, "")));
    misses("PRIORITY", |t| two_posts(t, (Delayed(0), ""), (Idle, "")));
    misses("PRIORITY", |t| two_posts(t, (Display, ""), (Display, "")));
}

#[test]
fn atomic() {
    // AsyncClock, Fig. 8a: ordered from the wait on, not from the begin on.
    let write = |t: &mut Mini, looper: &str| {
        t.begin("L", "m");
        t.notify("L", "h");
        let end = t.end("L", "m");
        t.begin(looper, "n");
        let before = t.read(looper, "x");
        let wait = t.wait(looper, "h");
        (end, before, wait)
    };
    let mut t = Mini::with_loopers();
    let (end, _, wait) = write(&mut t, "L");
    t.fires(AsyncClock, "ATOMIC", end, wait);
    let mut t = Mini::with_loopers();
    let (end, before, _) = write(&mut t, "L");
    t.misses(AsyncClock, "ATOMIC", end, before);
    let mut t = Mini::with_loopers();
    let (end, _, wait) = write(&mut t, "L2");
    t.misses(AsyncClock, "ATOMIC", end, wait);
    // β runs on the looper's thread, but in no event.
    misses("ATOMIC", |t| {
        t.begin("L", "m");
        t.notify("L", "h");
        let end = t.end("L", "m");
        (end, t.wait("L", "h"))
    });
}

#[test]
fn at_front() {
    fires("ATFRONT", |t| {
        t.begin("L", "posts");
        t.enqueue_flagged("L", "n", "Q", Delayed(0), "async");
        t.enqueue("L", "m", "Q", Front);
        t.end("L", "posts");
        (t.event("L", "m").1, t.begin("L", "n"))
    });
    misses("ATFRONT", |t| {
        t.begin("L", "posts");
        t.enqueue("L", "n", "Q", Delayed(5));
        t.enqueue("L", "m", "Q", Delayed(0));
        t.end("L", "posts");
        (t.event("L", "m").1, t.begin("L", "n"))
    });
    // The front send goes to another queue.
    misses("ATFRONT", |t| {
        t.begin("L", "posts");
        t.enqueue("L", "n", "Q", Delayed(0));
        t.enqueue("L", "m", "Q2", Front);
        t.end("L", "posts");
        (t.event("L2", "m").1, t.begin("L", "n"))
    });
    // n may begin before the front send.
    misses("ATFRONT", |t| {
        t.enqueue("T", "n", "Q", Delayed(0));
        t.enqueue("T", "m", "Q", Front);
        (t.event("L", "m").1, t.begin("L", "n"))
    });
}

#[test]
fn input() {
    let write = |queues: [&str; 2], kinds: [Posting; 2]| {
        let mut t = Mini::with_loopers();
        t.enqueue("T", "m", queues[0], kinds[0]);
        t.enqueue("U", "n", queues[1], kinds[1]);
        let (_, a) = t.event("L", "m");
        let b = t.begin("L", "n");
        (t, a, b)
    };
    let (t, a, b) = write(["Q", "Q"], [Input, Input]);
    t.fires(AsyncClock, "INPUT", a, b);
    for (queues, kinds) in [
        (["Q", "Q2"], [Input, Input]),
        (["Q", "Q"], [Input, Display]),
        (["Q", "Q"], [Display, Display]),
        (["pool", "pool"], [Input, Input]),
    ] {
        let (t, a, b) = write(queues, kinds);
        t.misses(AsyncClock, "INPUT", a, b);
    }
}

#[test]
fn ipc_on_binders_only() {
    let write = |queue: &str, threads: [&str; 2]| {
        let mut t = Mini::with_loopers();
        t.enqueue(threads[0], "m", queue, Ipc);
        t.enqueue(threads[1], "n", queue, Ipc);
        let (_, a) = t.event("B1", "m");
        let b = t.begin("B2", "n");
        (t, a, b)
    };
    let (t, a, b) = write("binder", ["T", "U"]);
    t.fires(AsyncClock, "IPC-HANDLE", a, b);
    let (t, a, b) = write("Q", ["T", "U"]);
    t.misses(AsyncClock, "IPC-HANDLE", a, b);
    let alone = RuleSwitches::default().off("IPC-HANDLE");
    for (queue, threads, ordered) in
        [("binder", ["T", "T"], true), ("binder", ["T", "U"], false), ("Q", ["T", "T"], false)]
    {
        let (t, a, b) = write(queue, threads);
        let trace = t.build();
        assert_eq!(happens_before(&trace, AsyncClock, &alone).holds(a, b), ordered);
        let neither = alone.clone().off("IPC-ASYNC");
        assert!(!happens_before(&trace, AsyncClock, &neither).holds(a, b));
    }
}

#[test]
fn removal_and_blocking_order_nothing() {
    misses("PO", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        (t.event("L", "m").0, t.remove("T", "m"))
    });
    misses("PO", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        (t.event("L", "m").1, t.enqueue_end("T", "m"))
    });
}
