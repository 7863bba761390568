//! The rules of model `threads`.

use trace::OpId;

use super::mini::Mini;
use crate::oracle::Model::Threads;

#[track_caller]
fn fires(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::new();
    let (alpha, beta) = write(&mut mini);
    mini.fires(Threads, rule, alpha, beta);
}

#[track_caller]
fn misses(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::new();
    let (alpha, beta) = write(&mut mini);
    mini.misses(Threads, rule, alpha, beta);
}

#[test]
fn thread_order() {
    fires("THREAD-ORDER", |t| (t.read("T", "x"), t.read("T", "x")));
    fires("THREAD-ORDER", |t| (t.event("T", "m").1, t.begin("T", "n")));
    misses("THREAD-ORDER", |t| (t.read("T", "x"), t.read("U", "x")));
}

#[test]
fn fork_thread() {
    fires("FORK-THREAD", |t| {
        let fork = t.fork("T", "U");
        t.read("U", "x");
        (fork, t.read("U", "x"))
    });
    fires("FORK-THREAD", |t| (t.fork("T", "U"), t.join("V", "U")));
    // What the parent does after the fork.
    misses("FORK-THREAD", |t| {
        t.fork("T", "U");
        (t.read("T", "x"), t.read("U", "x"))
    });
    // What the child did before the fork.
    misses("FORK-THREAD", |t| (t.read("U", "x"), t.fork("T", "U")));
}

#[test]
fn join_thread() {
    fires("JOIN-THREAD", |t| {
        let read = t.read("U", "x");
        t.read("U", "x");
        (read, t.join("T", "U"))
    });
    misses("JOIN-THREAD", |t| {
        let join = t.join("T", "U");
        (join, t.read("U", "x"))
    });
}

#[test]
fn lock() {
    fires("LOCK-ORDER", |t| {
        t.lock("T", "l");
        (t.unlock("T", "l"), t.lock("U", "l"))
    });
    // Another lock.
    misses("LOCK-ORDER", |t| {
        t.lock("T", "l");
        (t.unlock("T", "l"), t.lock("U", "k"))
    });
    // An inner release.
    misses("LOCK-ORDER", |t| {
        t.lock("T", "l");
        t.lock("T", "l");
        (t.unlock("T", "l"), t.lock("U", "l"))
    });
    // An inner acquire.
    misses("LOCK-ORDER", |t| {
        t.lock("T", "l");
        t.lock("U", "l");
        (t.unlock("T", "l"), t.lock("U", "l"))
    });
    // A release of what is not held.
    misses("LOCK-ORDER", |t| (t.unlock("T", "l"), t.lock("U", "l")));
}

#[test]
fn notify_wait() {
    fires("NOTIFY-WAIT", |t| (t.notify("T", "h"), t.wait("U", "h")));
    misses("NOTIFY-WAIT", |t| (t.notify("T", "h"), t.wait("U", "k")));
}
