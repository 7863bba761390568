//! The rules in which model `android` differs from `eventracer-android`.

use trace::OpId;
use trace::Posting::{self, AtTime, Delayed, Front, Idle};

use super::mini::Mini;
use crate::oracle::Model::Android;

#[track_caller]
fn fires(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.fires(Android, rule, alpha, beta);
}

#[track_caller]
fn misses(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::with_loopers();
    let (alpha, beta) = write(&mut mini);
    mini.misses(Android, rule, alpha, beta);
}

fn two_posts(t: &mut Mini, m: (Posting, &str), n: (Posting, &str)) -> (OpId, OpId) {
    t.enqueue_flagged("T", "m", "Q", m.0, m.1);
    t.enqueue_flagged("T", "n", "Q", n.0, n.1);
    (t.event("L", "m").1, t.event("L", "n").0)
}

#[test]
fn a_front_post_is_never_held_back() {
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (Delayed(0), "async")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (AtTime(5), "async")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Front, ""), (Idle, "async")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Idle, ""), (Idle, "async")));
    fires("MSG-BEGIN-2", |t| {
        t.begin("L", "posts");
        t.enqueue_flagged("L", "n", "Q", Delayed(0), "async");
        t.enqueue("L", "m", "Q", Front);
        t.end("L", "posts");
        (t.event("L", "m").1, t.event("L", "n").0)
    });
}

#[test]
fn normal_form() {
    fires("MSG-BEGIN-1", |t| two_posts(t, (AtTime(0), ""), (Delayed(0), "async")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (AtTime(-1), ""), (Delayed(0), "")));
    misses("MSG-BEGIN-1", |t| two_posts(t, (Delayed(0), ""), (AtTime(0), "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(-1), ""), (Idle, "")));
    fires("MSG-BEGIN-1", |t| two_posts(t, (Delayed(-1), ""), (Delayed(-2), "")));
    fires("MSG-BEGIN-2", |t| {
        t.begin("L", "posts");
        t.enqueue("L", "n", "Q", Delayed(0));
        t.enqueue("L", "m", "Q", AtTime(0));
        t.end("L", "posts");
        (t.event("L", "m").1, t.event("L", "n").0)
    });
}

#[test]
fn msg_remove_elsewhere_than_on_the_looper() {
    misses("MSG-REMOVE", |t| {
        t.enqueue("T", "m", "Q", Delayed(0));
        let (a, _) = t.event("L", "m");
        (a, t.remove("T", "m"))
    });
    misses("MSG-REMOVE", |t| {
        t.enqueue("T", "m", "pool", Delayed(0));
        let (a, _) = t.event("L", "m");
        (a, t.remove("T", "m"))
    });
    // A second thread that attaches the queue does not own it.
    misses("MSG-REMOVE", |t| {
        t.attach("T", "Q");
        t.enqueue("T", "m", "Q", Delayed(0));
        let (a, _) = t.event("L", "m");
        (a, t.remove("T", "m"))
    });
}

/// A barrier is posted before m, and removed on another thread before m begins.
fn barrier(t: &mut Mini, m: (Posting, &str), queue: &str) -> (OpId, OpId) {
    t.post_barrier("T", "b", "Q");
    t.enqueue_flagged("T", "m", queue, m.0, m.1);
    (t.remove_barrier("U", "b"), t.begin("L", "m"))
}

#[test]
fn remove_barrier() {
    fires("REMOVE-BARRIER", |t| barrier(t, (Delayed(0), ""), "Q"));
    fires("REMOVE-BARRIER", |t| barrier(t, (Delayed(9), ""), "Q"));
    misses("REMOVE-BARRIER", |t| barrier(t, (Delayed(0), "async"), "Q"));
    misses("REMOVE-BARRIER", |t| barrier(t, (Front, ""), "Q"));
    misses("REMOVE-BARRIER", |t| barrier(t, (AtTime(0), ""), "Q"));
    misses("REMOVE-BARRIER", |t| barrier(t, (AtTime(5), ""), "Q"));
    misses("REMOVE-BARRIER", |t| barrier(t, (Delayed(0), ""), "Q2"));
    misses("REMOVE-BARRIER", |t| barrier(t, (Delayed(0), ""), "pool"));
    // The post of the barrier is not ordered before the message.
    misses("REMOVE-BARRIER", |t| {
        t.post_barrier("T", "b", "Q");
        t.enqueue("V", "m", "Q", Delayed(0));
        (t.remove_barrier("U", "b"), t.begin("L", "m"))
    });
    // Another barrier.
    misses("REMOVE-BARRIER", |t| {
        t.post_barrier("T", "b", "Q");
        t.enqueue("T", "m", "Q", Delayed(0));
        (t.remove_barrier("U", "c"), t.begin("L", "m"))
    });
    // Removed before it was posted.
    misses("REMOVE-BARRIER", |t| {
        let a = t.remove_barrier("U", "b");
        t.post_barrier("T", "b", "Q");
        t.enqueue("T", "m", "Q", Delayed(0));
        (a, t.begin("L", "m"))
    });
}

#[test]
fn at_time() {
    fires("AT-TIME", |t| two_posts(t, (AtTime(5), ""), (AtTime(5), "")));
    fires("AT-TIME", |t| two_posts(t, (AtTime(5), "async"), (AtTime(6), "async")));
    misses("AT-TIME", |t| two_posts(t, (AtTime(5), ""), (AtTime(6), "async")));
    misses("AT-TIME", |t| two_posts(t, (AtTime(6), ""), (AtTime(5), "")));
    misses("AT-TIME", |t| two_posts(t, (AtTime(5), ""), (Delayed(9), "")));
    misses("AT-TIME", |t| {
        t.enqueue("T", "m", "Q", AtTime(5));
        t.enqueue("U", "n", "Q", AtTime(6));
        (t.event("L", "m").1, t.event("L", "n").0)
    });
    misses("AT-TIME", |t| {
        t.enqueue("T", "m", "Q", AtTime(5));
        t.enqueue("T", "n", "Q2", AtTime(6));
        (t.event("L", "m").1, t.begin("L2", "n"))
    });
}

#[test]
fn optional_rules_are_off() {
    let off: Vec<_> = Android.rules().into_iter().filter(|&(_, on)| !on).collect();
    assert_eq!(off, [("AT-TIME", false), ("USER-THREAD-OP", false), ("WINDOW", false)]);
    // MSG-BEGIN-1 stands for "any rule": only the defaults are on.
    misses("MSG-BEGIN-1", |t| two_posts(t, (AtTime(5), ""), (AtTime(6), "")));
}

#[test]
fn user_thread_op() {
    use crate::oracle::{RuleSwitches, happens_before};
    let mut t = Mini::with_loopers();
    let user = (t.read("T", "x"), t.read("T", "y"));
    let looper = (t.read("L", "x"), t.read("L", "y"));
    t.event("P", "task");
    let pool = (t.read("P", "x"), t.read("P", "y"));
    let trace = t.build();
    let switches = RuleSwitches::default().off("THREAD-OP");
    let without = happens_before(&trace, Android, &switches);
    let with = happens_before(&trace, Android, &switches.on("USER-THREAD-OP"));
    for ((a, b), ordered) in [(user, true), (looper, false), (pool, false)] {
        assert!(!without.holds(a, b));
        assert_eq!(with.holds(a, b), ordered, "{a:?} {b:?}");
    }
}
