//! The rules of model `event`.

use trace::OpId;
use trace::Posting::Delayed;

use super::mini::Mini;
use crate::oracle::Model::Event;
use crate::oracle::{RuleSwitches, happens_before};

#[track_caller]
fn fires(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::new();
    let (alpha, beta) = write(&mut mini);
    mini.fires(Event, rule, alpha, beta);
}

#[track_caller]
fn misses(rule: &str, write: fn(&mut Mini) -> (OpId, OpId)) {
    let mut mini = Mini::new();
    let (alpha, beta) = write(&mut mini);
    mini.misses(Event, rule, alpha, beta);
}

#[test]
fn event_order() {
    fires("EVENT-ORDER", |t| t.event("T", "m"));
    misses("EVENT-ORDER", |t| (t.read("T", "x"), t.read("T", "x")));
    misses("EVENT-ORDER", |t| (t.event("T", "m").1, t.begin("T", "n")));
}

#[test]
fn fork_event() {
    // The whole forking event is before, not only what precedes the fork.
    fires("FORK-EVENT", |t| {
        t.begin("T", "m");
        t.enqueue("T", "n", "Q", Delayed(0));
        (t.end("T", "m"), t.begin("T", "n"))
    });
    // Outside events nothing forks.
    misses("FORK-EVENT", |t| (t.enqueue("T", "n", "Q", Delayed(0)), t.begin("T", "n")));
    // The target began before its enqueue.
    misses("FORK-EVENT", |t| {
        t.begin("T", "m");
        t.begin("U", "n");
        t.enqueue("T", "n", "Q", Delayed(0));
        (t.end("T", "m"), t.end("U", "n"))
    });
    // Queues order nothing.
    misses("FORK-EVENT", |t| {
        t.begin("T", "m");
        t.enqueue("T", "n", "Q", Delayed(0));
        t.enqueue("T", "o", "Q", Delayed(0));
        t.end("T", "m");
        (t.event("T", "n").1, t.begin("T", "o"))
    });
}

#[test]
fn arc() {
    fires("ARC", |t| {
        t.arc("T", "m", "n");
        (t.event("T", "m").0, t.event("T", "n").1)
    });
    misses("ARC", |t| {
        t.arc("T", "n", "m");
        (t.event("T", "m").1, t.begin("T", "n"))
    });
    // The source does not end, or ends after its target began.
    misses("ARC", |t| {
        t.arc("T", "m", "n");
        (t.begin("T", "m"), t.begin("U", "n"))
    });
    misses("ARC", |t| {
        t.arc("T", "m", "n");
        let (a, b) = (t.begin("T", "m"), t.begin("U", "n"));
        t.end("T", "m");
        (a, b)
    });
}

#[test]
fn the_order_of_events_is_transitive_and_only_then_one_of_operations() {
    // m forks n and goes on after n's end; n forks o. What m does last is before o all the same.
    let mut t = Mini::new();
    t.begin("T", "m");
    t.enqueue("T", "n", "Q", Delayed(0));
    t.begin("U", "n");
    t.enqueue("U", "o", "Q", Delayed(0));
    let end_n = t.end("U", "n");
    let late = t.write("T", "x");
    t.end("T", "m");
    let begin_o = t.begin("U", "o");
    let order = happens_before(&t.build(), Event, &RuleSwitches::default());
    assert!(order.holds(late, begin_o));
    assert!(!order.holds(end_n, late) && !order.holds(late, end_n));
}
