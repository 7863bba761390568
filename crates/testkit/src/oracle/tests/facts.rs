//! Tests of the facts that the rules presuppose: events, queues and locksets, under every declared
//! anomaly.

use trace::Posting::{Delayed, Ipc};
use trace::{EventId, LockId, OpId, QueueId, QueueKind};

use super::mini::Mini;
use crate::oracle::facts::Facts;

/// The event of each operation, by the number its name was given.
fn events(facts: &Facts) -> Vec<Option<u32>> {
    facts.ops().map(|op| facts.event(op).map(|EventId(event)| event)).collect()
}

#[test]
fn nested_events_resume() {
    let mut t = Mini::new();
    t.begin("T", "0");
    t.begin("T", "1");
    t.read("T", "x");
    t.read("U", "x");
    t.end("T", "1");
    t.read("T", "x");
    t.end("T", "0");
    t.read("T", "x");
    assert_eq!(
        events(&Facts::of(&t.build())),
        [Some(0), Some(1), Some(1), None, Some(1), Some(0), Some(0), None]
    );
}

#[test]
fn a_second_begin_and_a_wrong_end_are_ignored() {
    let mut t = Mini::new();
    t.begin("T", "0");
    let second_begin = t.begin("U", "0");
    t.read("U", "x");
    let wrong_thread = t.end("U", "0");
    t.begin("T", "1");
    let not_innermost = t.end("T", "0");
    t.begin("T", "0");
    t.end("T", "1");
    let end = t.end("T", "0");
    let after = t.end("T", "0");
    let facts = Facts::of(&t.build());
    let (zero, one) = (Some(0), Some(1));
    assert_eq!(events(&facts), [zero, None, None, None, one, one, one, one, zero, None]);
    assert_eq!(facts.begin(EventId(0)), Some(OpId(0)));
    assert_eq!(facts.begun(second_begin), None);
    assert_eq!(facts.end(EventId(0)), Some(end));
    for ignored in [wrong_thread, not_innermost, after] {
        assert_eq!(facts.ended(ignored), None);
    }
}

#[test]
fn a_message_belongs_to_the_queue_of_its_first_enqueue_else_of_its_thread() {
    let mut t = Mini::new();
    t.enqueue("T", "0", "posted", Delayed(0));
    t.enqueue("T", "0", "again", Delayed(0));
    t.begin("L", "0");
    t.end("L", "0");
    t.begin("L", "1");
    t.end("L", "1");
    t.begin("T", "2");
    t.attach("L", "first");
    t.attach("L", "second");
    let facts = Facts::of(&t.build());
    let queues: Vec<_> = (0..3).map(|m| facts.queue(EventId(m)).map(|q| q.0)).collect();
    assert_eq!(queues, [Some(0), Some(2), None]);
    assert_eq!(facts.looper(EventId(0)), None);
    assert_eq!(facts.looper(EventId(1)), Some(QueueId(2)));
}

#[test]
fn queue_kinds_are_decided_over_the_whole_trace() {
    let mut t = Mini::new();
    t.enqueue("T", "m0", "looper", Ipc);
    t.enqueue("T", "m1", "binder", Delayed(0));
    t.enqueue("T", "m2", "pool", Delayed(0));
    t.enqueue("T", "m3", "binder", Ipc);
    t.attach("L", "looper");
    t.attach("L2", "looper");
    let trace = t.build();
    let facts = Facts::of(&trace);
    let kinds: Vec<_> = (0..3).map(|q| facts.queue_kind(QueueId(q))).collect();
    assert_eq!(kinds, [QueueKind::Looper, QueueKind::Binder, QueueKind::Pool]);
    assert_eq!(facts.owner(QueueId(0)), trace.names().threads.find(b"L"));
}

#[test]
fn locks_are_reentrant_and_held_by_threads() {
    let mut t = Mini::new();
    t.unlock("T", "l");
    t.lock("T", "l");
    t.lock("T", "l");
    t.lock("U", "k");
    t.unlock("T", "l");
    let held = t.read("T", "x");
    t.unlock("T", "l");
    let released = t.read("T", "x");
    t.unlock("T", "l");
    t.lock("T", "l");
    t.lock("T", "k");
    let both = t.read("T", "x");
    let facts = Facts::of(&t.build());
    let lockset = |op| facts.lockset(op).into_iter().collect::<Vec<_>>();
    assert_eq!(lockset(held), [LockId(0)]);
    assert_eq!(lockset(released), []);
    assert_eq!(lockset(both), [LockId(0), LockId(1)]);
}
