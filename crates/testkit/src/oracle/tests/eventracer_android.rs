//! The rules that models `eventracer-android` and `android` share, in both, and then those that
//! only the first has as printed.

use trace::OpId;
use trace::Posting::{self, AtTime, Delayed, Display, Front, Idle, Input, Ipc};

use super::mini::Mini;
use crate::oracle::Model::{Android, EventRacerAndroid};
use crate::oracle::{RuleSwitches, happens_before};

type Write = fn(&mut Mini) -> (OpId, OpId);

#[track_caller]
fn fires(rule: &str, write: Write) {
    for model in [EventRacerAndroid, Android] {
        let mut mini = Mini::with_loopers();
        let (alpha, beta) = write(&mut mini);
        mini.fires(model, rule, alpha, beta);
    }
}

#[track_caller]
fn misses(rule: &str, write: Write) {
    for model in [EventRacerAndroid, Android] {
        let mut mini = Mini::with_loopers();
        let (alpha, beta) = write(&mut mini);
        mini.misses(model, rule, alpha, beta);
    }
}

/// Enqueues m then n from one thread, with the given posting and flag, runs both on `L` in that
/// order, and returns end(m), begin(n).
fn two_posts(t: &mut Mini, m: (Posting, &str), n: (Posting, &str)) -> (OpId, OpId) {
    t.enqueue_flagged("T", "m", "Q", m.0, m.1);
    t.enqueue_flagged("T", "n", "Q", n.0, n.1);
    (t.event("L", "m").1, t.event("L", "n").0)
}

/// Enqueues n then m inside an event of `L`, so that n begins after both; runs m before n, and
/// returns end(m), begin(n).
fn front_overtakes(t: &mut Mini, n: (Posting, &str), m: (Posting, &str)) -> (OpId, OpId) {
    t.begin("L", "posts");
    t.enqueue_flagged("L", "n", "Q", n.0, n.1);
    t.enqueue_flagged("L", "m", "Q", m.0, m.1);
    t.end("L", "posts");
    (t.event("L", "m").1, t.event("L", "n").0)
}

#[test]
fn event_op() {
    fires("EVENT-OP", |t| {
        t.begin("L", "m");
        let (a, b) = (t.read("L", "x"), t.write("L", "x"));
        t.end("L", "m");
        (a, b)
    });
    misses("EVENT-OP", |t| {
        t.begin("L", "m");
        let a = t.read("L", "x");
        t.end("L", "m");
        t.begin("L", "n");
        (a, t.read("L", "x"))
    });
    // Inside an event and after it, on one thread.
    misses("EVENT-OP", |t| {
        t.begin("L", "m");
        let a = t.read("L", "x");
        t.end("L", "m");
        (a, t.read("L", "x"))
    });
}

#[test]
fn callbacks() {
    fires("CALLBACK-REG-1", |t| (t.register("T", "c"), t.invoke("U", "c", false)));
    misses("CALLBACK-REG-1", |t| (t.register("T", "c"), t.invoke("U", "d", false)));
    misses("CALLBACK-REG-1", |t| (t.invoke("T", "c", false), t.register("U", "c")));
    fires("CALLBACK-REG-2", |t| (t.register("T", "c"), t.unregister("U", "c")));
    misses("CALLBACK-REG-2", |t| (t.register("T", "c"), t.unregister("U", "d")));
    fires("CALLBACK-UNREG", |t| (t.invoke("T", "c", false), t.unregister("U", "c")));
    misses("CALLBACK-UNREG", |t| (t.invoke("T", "c", false), t.unregister("U", "d")));
    misses("CALLBACK-UNREG", |t| (t.unregister("T", "c"), t.invoke("U", "c", true)));
    fires("CALLBACK-INV", |t| (t.invoke("T", "c", true), t.invoke("U", "c", true)));
    misses("CALLBACK-INV", |t| (t.invoke("T", "c", true), t.invoke("U", "c", false)));
    misses("CALLBACK-INV", |t| (t.invoke("T", "c", false), t.invoke("U", "c", true)));
    misses("CALLBACK-INV", |t| (t.invoke("T", "c", true), t.invoke("U", "d", true)));
}

#[test]
fn registrations_order_every_later_invocation() {
    fires("CALLBACK-REG-1", |t| {
        t.register("T", "c");
        let a = t.register("U", "c");
        t.invoke("V", "c", false);
        (a, t.invoke("W", "c", false))
    });
}

#[test]
fn looper_atomic() {
    // notify in m ≺ wait in n orders all of m before all of n.
    fires("LOOPER-ATOMIC", |t| {
        t.begin("L", "m");
        t.notify("L", "h");
        let a = t.write("L", "x");
        t.end("L", "m");
        t.begin("L", "n");
        let b = t.read("L", "x");
        t.wait("L", "h");
        t.end("L", "n");
        (a, b)
    });
    // Different Loopers.
    misses("LOOPER-ATOMIC", |t| {
        t.begin("L", "m");
        t.notify("L", "h");
        let a = t.end("L", "m");
        let b = t.begin("L2", "n");
        t.wait("L2", "h");
        t.end("L2", "n");
        (a, b)
    });
    // n does not end.
    misses("LOOPER-ATOMIC", |t| {
        t.begin("L", "m");
        t.notify("L", "h");
        let a = t.end("L", "m");
        let b = t.begin("L", "n");
        t.wait("L", "h");
        (a, b)
    });
    // A pool runs tasks on any thread.
    misses("LOOPER-ATOMIC", |t| {
        t.enqueue("T", "m", "pool", Delayed(0));
        t.enqueue("U", "n", "pool", Delayed(0));
        t.begin("P1", "m");
        t.notify("P1", "h");
        let a = t.end("P1", "m");
        let b = t.begin("P2", "n");
        t.wait("P2", "h");
        t.end("P2", "n");
        (a, b)
    });
}

#[test]
fn looper_atomic_reaches_what_the_later_event_posted_before_the_edge() {
    // n posts p before it waits for m: p is after m all the same.
    fires("LOOPER-ATOMIC", |t| {
        t.begin("L", "m");
        t.notify("L", "h");
        let a = t.end("L", "m");
        t.begin("L", "n");
        t.enqueue("L", "p", "Q2", Delayed(0));
        t.wait("L", "h");
        t.end("L", "n");
        (a, t.begin("L2", "p"))
    });
}

#[test]
fn msg_enqueue() {
    fires("MSG-ENQUEUE", |t| (t.enqueue("T", "m", "pool", Delayed(0)), t.begin("U", "m")));
    misses("MSG-ENQUEUE", |t| (t.enqueue("T", "m", "Q", Delayed(0)), t.begin("L", "n")));
    // The second enqueue of an id is ignored.
    misses("MSG-ENQUEUE", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        (t.enqueue("U", "m", "Q", Delayed(0)), t.begin("L", "m"))
    });
}

#[test]
fn msg_begin_1_follows_the_table() {
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(3), ""), (Delayed(3), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(4), ""), (Delayed(3), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), ""), (AtTime(9), "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), ""), (Idle, "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(1), ""), (Idle, "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (AtTime(1), ""), (Delayed(9), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (AtTime(1), ""), (AtTime(2), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (AtTime(1), ""), (Idle, "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (Delayed(0), "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (AtTime(5), "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (Idle, "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (Front, "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Idle, ""), (Delayed(0), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Idle, ""), (AtTime(5), "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Idle, ""), (Idle, "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), ""), (Input, "")));
}

#[test]
fn msg_begin_1_lets_async_messages_overtake() {
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), ""), (Delayed(0), "async")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), "async"), (Delayed(0), "async")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), "async"), (Delayed(0), "")));
}

#[test]
fn msg_begin_1_needs_ordered_posts_to_one_looper() {
    misses("MSG-BEGIN-1", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.enqueue("U", "n", "Q", Delayed(0));
        (t.event("L", "m").1, t.event("L", "n").0)
    });
    misses("MSG-BEGIN-1", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.enqueue("T", "n", "Q2", Delayed(0));
        (t.event("L", "m").1, t.begin("L2", "n"))
    });
    misses("MSG-BEGIN-1", |t| {
        t.enqueue("T", "m", "pool", Delayed(0));
        t.enqueue("T", "n", "pool", Delayed(0));
        (t.event("L", "m").1, t.begin("L2", "n"))
    });
}

#[test]
fn msg_begin_2() {
    fires("MSG-BEGIN-2", |t| front_overtakes(t, (Delayed(0), ""), (Front, "")));
    fires("MSG-BEGIN-2", |t| front_overtakes(t, (AtTime(7), ""), (Front, "")));
    fires("MSG-BEGIN-2", |t| front_overtakes(t, (Front, ""), (Front, "")));
    fires("MSG-BEGIN-2", |t| front_overtakes(t, (Idle, ""), (Front, "")));
    misses("MSG-BEGIN-2", |t| front_overtakes(t, (Input, ""), (Front, "")));
    misses("MSG-BEGIN-2", |t| front_overtakes(t, (Delayed(5), ""), (Delayed(0), "")));
    // The front post goes to another Looper.
    misses("MSG-BEGIN-2", |t| {
        t.begin("L", "posts");
        t.enqueue("L", "n", "Q", Delayed(0));
        t.enqueue("L", "m", "Q2", Front);
        t.end("L", "posts");
        (t.event("L2", "m").1, t.event("L", "n").0)
    });
    // n may begin before the front post.
    misses("MSG-BEGIN-2", |t| {
        t.enqueue("T", "n", "Q", Delayed(0));
        t.enqueue("T", "m", "Q", Front);
        (t.event("L", "m").1, t.event("L", "n").0)
    });
    // The posts are unordered.
    misses("MSG-BEGIN-2", |t| {
        t.enqueue("T", "n", "Q", Delayed(0));
        t.begin("L", "posts");
        t.enqueue("L", "m", "Q", Front);
        t.end("L", "posts");
        (t.event("L", "m").1, t.event("L", "n").0)
    });
}

#[test]
fn msg_remove_on_the_looper_thread() {
    fires("MSG-REMOVE", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.notify("T", "h");
        let (a, _) = t.event("L", "m");
        t.wait("L", "h");
        (a, t.remove("L", "m"))
    });
    // The enqueue could come after the removal.
    misses("MSG-REMOVE", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        let (a, _) = t.event("L", "m");
        (a, t.remove("L", "m"))
    });
    // Only the begin is ordered, and what precedes it.
    misses("MSG-REMOVE", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        t.notify("T", "h");
        let (_, a) = t.event("L", "m");
        t.wait("L", "h");
        (a, t.remove("L", "m"))
    });
}

#[test]
fn msg_blocking() {
    fires("MSG-BLOCKING", |t| {
        t.enqueue_flagged("T", "m", "binder", Ipc, "sync");
        (t.event("B", "m").1, t.enqueue_end("T", "m"))
    });
    misses("MSG-BLOCKING", |t| {
        t.enqueue_flagged("T", "m", "binder", Ipc, "sync");
        (t.event("B", "m").1, t.enqueue_end("T", "n"))
    });
    misses("MSG-BLOCKING", |t| {
        t.enqueue_flagged("T", "m", "binder", Ipc, "sync");
        (t.begin("B", "m"), t.enqueue_end("T", "m"))
    });
}

#[test]
fn threads() {
    fires("THREAD-FORK", |t| (t.fork("T", "U"), t.init("U")));
    misses("THREAD-FORK", |t| (t.fork("T", "U"), t.init("V")));
    misses("THREAD-FORK", |t| (t.fork("T", "U"), t.read("U", "x")));
    fires("THREAD-JOIN", |t| (t.exit("U"), t.join("T", "U")));
    misses("THREAD-JOIN", |t| (t.exit("V"), t.join("T", "U")));
    misses("THREAD-JOIN", |t| (t.read("U", "x"), t.join("T", "U")));
    fires("THREAD-INIT", |t| (t.init("T"), t.begin("T", "m")));
    misses("THREAD-INIT", |t| (t.init("T"), t.begin("U", "m")));
    fires("THREAD-EXIT", |t| (t.event("T", "m").1, t.exit("T")));
    misses("THREAD-EXIT", |t| (t.event("T", "m").1, t.exit("U")));
    fires("THREAD-OP", |t| (t.read("T", "x"), t.read("T", "y")));
    misses("THREAD-OP", |t| (t.read("T", "x"), t.read("U", "y")));
    misses("THREAD-OP", |t| (t.read("T", "x"), t.begin("T", "m")));
    fires("THREAD-OP", |t| {
        let a = t.read("T", "x");
        t.event("T", "m");
        (a, t.read("T", "x"))
    });
}

#[test]
fn notify_wait() {
    fires("NOTIFY-WAIT", |t| (t.notify("T", "h"), t.wait("U", "h")));
    misses("NOTIFY-WAIT", |t| (t.notify("T", "h"), t.wait("U", "i")));
    misses("NOTIFY-WAIT", |t| (t.wait("T", "h"), t.notify("U", "h")));
}

#[test]
fn locks_order_nothing() {
    misses("NOTIFY-WAIT", |t| {
        t.lock("T", "l");
        (t.unlock("T", "l"), t.lock("U", "l"))
    });
}

/// Enqueues m and n from different threads and runs them.
fn unordered_posts(t: &mut Mini, queues: [&str; 2], kinds: [Posting; 2]) -> (OpId, OpId) {
    t.enqueue("T", "m", queues[0], kinds[0]);
    t.enqueue("U", "n", queues[1], kinds[1]);
    (t.event("L", "m").1, t.event("L", "n").0)
}

#[test]
fn native() {
    fires("NATIVE", |t| unordered_posts(t, ["Q", "Q"], [Input, Input]));
    fires("NATIVE", |t| unordered_posts(t, ["Q", "Q"], [Display, Display]));
    misses("NATIVE", |t| unordered_posts(t, ["Q", "Q"], [Input, Display]));
    misses("NATIVE", |t| unordered_posts(t, ["Q", "Q2"], [Input, Input]));
    misses("NATIVE", |t| unordered_posts(t, ["Q", "Q"], [Front, Front]));
    misses("NATIVE", |t| unordered_posts(t, ["pool", "pool"], [Input, Input]));
}

/// Enqueues m and n from the given threads to a Binder and runs them on different threads.
fn two_calls(t: &mut Mini, m: (&str, &str), n: (&str, &str)) -> (OpId, OpId) {
    t.process("remote", "system");
    t.enqueue_flagged(m.0, "m", "binder", Ipc, m.1);
    t.enqueue_flagged(n.0, "n", "binder", Ipc, n.1);
    (t.event("B1", "m").1, t.begin("B2", "n"))
}

#[test]
fn ipc_handle() {
    fires("IPC-HANDLE", |t| two_calls(t, ("T", ""), ("U", "")));
    fires("IPC-HANDLE", |t| two_calls(t, ("T", "sync"), ("U", "")));
    fires("IPC-HANDLE", |t| two_calls(t, ("T", "sync"), ("U", "sync")));
    misses("IPC-HANDLE", |t| two_calls(t, ("T", ""), ("U", "sync")));
    misses("IPC-HANDLE", |t| two_calls(t, ("remote", ""), ("U", "")));
    misses("IPC-HANDLE", |t| {
        t.enqueue("T", "m", "binder", Ipc);
        t.enqueue("U", "n", "other", Ipc);
        (t.event("B1", "m").1, t.begin("B2", "n"))
    });
    // Dispatched in the order opposite to the posts.
    misses("IPC-HANDLE", |t| {
        t.enqueue("T", "n", "binder", Ipc);
        t.enqueue("U", "m", "binder", Ipc);
        (t.event("B1", "m").1, t.begin("B2", "n"))
    });
    misses("IPC-HANDLE", |t| {
        t.enqueue("T", "m", "binder", Ipc);
        t.enqueue("U", "n", "binder", Delayed(0));
        (t.event("B1", "m").1, t.begin("B2", "n"))
    });
}

/// Asserts whether m and n are ordered with IPC-HANDLE off, and that only IPC-ASYNC does it.
#[track_caller]
fn check_ipc_async(write: impl Fn(&mut Mini) -> (OpId, OpId), ordered: bool) {
    let mut t = Mini::new();
    let (a, b) = write(&mut t);
    let trace = t.build();
    let alone = RuleSwitches::default().off("IPC-HANDLE");
    let neither = alone.clone().off("IPC-ASYNC");
    for model in [EventRacerAndroid, Android] {
        assert_eq!(happens_before(&trace, model, &alone).holds(a, b), ordered);
        assert!(!happens_before(&trace, model, &neither).holds(a, b));
    }
}

#[test]
fn ipc_async() {
    check_ipc_async(|t| two_calls(t, ("T", ""), ("T", "")), true);
    check_ipc_async(|t| two_calls(t, ("T", "async"), ("T", "")), true);
    check_ipc_async(|t| two_calls(t, ("T", ""), ("U", "")), false);
    check_ipc_async(|t| two_calls(t, ("T", "sync"), ("T", "")), false);
    check_ipc_async(|t| two_calls(t, ("T", ""), ("T", "sync")), false);
    // Ordered, but from different threads.
    let from_two_threads = |t: &mut Mini| {
        t.enqueue("T", "m", "binder", Ipc);
        t.notify("T", "h");
        t.wait("U", "h");
        t.enqueue("U", "n", "binder", Ipc);
        (t.event("B1", "m").1, t.begin("B2", "n"))
    };
    check_ipc_async(from_two_threads, false);
    // From one thread, but in events that nothing orders.
    let from_two_events = |t: &mut Mini| {
        for (event, message) in [("e", "m"), ("f", "n")] {
            t.begin("T", event);
            t.enqueue("T", message, "binder", Ipc);
            t.end("T", event);
        }
        (t.event("B1", "m").1, t.begin("B2", "n"))
    };
    check_ipc_async(from_two_events, false);
    let to_two_binders = |t: &mut Mini| {
        t.enqueue("T", "m", "binder", Ipc);
        t.enqueue("T", "n", "other", Ipc);
        (t.event("B1", "m").1, t.begin("B2", "n"))
    };
    check_ipc_async(to_two_binders, false);
}

mod as_printed {
    use super::*;

    #[test]
    fn front_posts_respect_barriers() {
        let cases = [("", "async", false), ("", "", true), ("async", "async", true)];
        for (m, n, ordered) in cases {
            let mut t = Mini::with_loopers();
            let (a, b) = two_posts(&mut t, (Front, m), (Delayed(0), n));
            check(t, "MSG-BEGIN-1", a, b, ordered);
            let mut t = Mini::with_loopers();
            let (a, b) = front_overtakes(&mut t, (Delayed(0), n), (Front, m));
            check(t, "MSG-BEGIN-2", a, b, ordered);
        }
    }

    #[track_caller]
    fn check(t: Mini, rule: &str, a: OpId, b: OpId, ordered: bool) {
        if ordered {
            t.fires(EventRacerAndroid, rule, a, b);
        } else {
            t.misses(EventRacerAndroid, rule, a, b);
        }
    }

    #[test]
    fn removal_works_on_any_thread_and_for_pools() {
        for queue in ["Q", "pool"] {
            let mut t = Mini::with_loopers();
            t.enqueue("T", "m", queue, Delayed(0));
            let (a, _) = t.event("L", "m");
            let b = t.remove("T", "m");
            t.fires(EventRacerAndroid, "MSG-REMOVE", a, b);
        }
    }

    #[test]
    fn postings_have_no_normal_form() {
        let mut t = Mini::with_loopers();
        let (a, b) = two_posts(&mut t, (AtTime(0), ""), (Delayed(0), ""));
        t.misses(EventRacerAndroid, "MSG-BEGIN-1", a, b);
        let mut t = Mini::with_loopers();
        let (a, b) = two_posts(&mut t, (Delayed(-1), ""), (Idle, ""));
        t.misses(EventRacerAndroid, "MSG-BEGIN-1", a, b);
    }
}
