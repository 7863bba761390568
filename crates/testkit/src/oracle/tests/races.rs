//! Races: which pairs, and which of them a lock protects.

use trace::OpId;
use trace::Posting::Delayed;

use super::mini::Mini;
use crate::oracle::Model::{self, Android, Event};
use crate::oracle::{Race, RuleSwitches, happens_before, races_all, races_candidates};

/// All races and the candidates, as (first, second) pairs.
fn pairs(t: Mini, model: Model) -> [Vec<(OpId, OpId)>; 2] {
    let trace = t.build();
    let order = happens_before(&trace, model, &RuleSwitches::default());
    [races_all(&trace, model, &order), races_candidates(&trace, model, &order)]
        .map(|races| races.iter().map(|race| (race.first, race.second)).collect())
}

/// An event on `thread` that runs one access.
fn access(t: &mut Mini, thread: &str, event: &str, what: fn(&mut Mini, &str) -> OpId) -> OpId {
    t.begin(thread, event);
    let op = what(t, thread);
    t.end(thread, event);
    op
}

fn read(t: &mut Mini, thread: &str) -> OpId {
    t.read(thread, "x")
}

fn write(t: &mut Mini, thread: &str) -> OpId {
    t.write(thread, "x")
}

#[test]
fn a_race_is_an_unordered_conflict() {
    let mut t = Mini::new();
    let a = t.write("T", "x");
    t.read("T", "x");
    t.write("U", "y");
    t.notify("T", "h");
    let b = t.write("U", "x");
    t.wait("V", "h");
    let c = t.read("V", "x");
    let [all, _] = pairs(t, Android);
    assert_eq!(all, [(a, b), (OpId(1), b), (b, c)]);
}

#[test]
fn candidates_of_one_looper_have_no_write_of_that_looper_between_them() {
    let mut t = Mini::with_loopers();
    let r1 = access(&mut t, "L", "m1", read);
    let w1 = access(&mut t, "L", "m2", write);
    let other = access(&mut t, "L2", "n", write);
    let r2 = access(&mut t, "L", "m3", read);
    let w2 = access(&mut t, "L", "m4", write);
    let w3 = access(&mut t, "L", "m5", write);
    let [all, candidates] = pairs(t, Android);
    assert_eq!(all.len(), 15 - 1, "all but the two reads");
    let with_other = [(r1, other), (w1, other), (other, r2), (other, w2), (other, w3)];
    let mut expected = vec![(r1, w1), (w1, r2), (w1, w2), (r2, w2), (w2, w3)];
    expected.extend(with_other);
    expected.sort_by_key(|&(first, second)| (second, first));
    assert_eq!(candidates, expected);
}

#[test]
fn candidates_of_model_event_range_over_the_whole_trace() {
    let mut t = Mini::with_loopers();
    let w1 = access(&mut t, "L", "m1", write);
    let w2 = access(&mut t, "L2", "m2", write);
    let outside = t.read("T", "x");
    let w3 = access(&mut t, "L", "m3", write);
    let [all, candidates] = pairs(t, Event);
    assert_eq!(all.len(), 6);
    assert_eq!(candidates, [(w1, w2), (w2, outside), (w2, w3), (outside, w3)]);
}

#[test]
fn locks_protect_pairs_that_are_not_of_one_looper() {
    let locked = |t: &mut Mini, thread: &str, event: &str| {
        t.begin(thread, event);
        t.lock(thread, "l");
        let op = t.write(thread, "x");
        t.unlock(thread, "l");
        t.end(thread, event);
        op
    };
    let mut t = Mini::with_loopers();
    let first = locked(&mut t, "L", "m");
    let other = locked(&mut t, "L2", "n");
    let again = locked(&mut t, "L", "o");
    let bare = t.write("T", "x");
    let trace = t.build();
    for (model, protected) in [(Android, true), (Event, false)] {
        let order = happens_before(&trace, model, &RuleSwitches::default());
        let all = races_all(&trace, model, &order);
        let expected = [
            (first, other, protected),
            (first, again, false),
            (other, again, protected),
            (first, bare, false),
            (other, bare, false),
            (again, bare, false),
        ]
        .map(|(first, second, lock_protected)| Race { second, first, lock_protected });
        assert_eq!(all, expected, "{}", model.name());
    }
}

#[test]
fn tasks_of_a_pool_are_compared_with_locks() {
    let mut t = Mini::new();
    for (thread, task) in [("P1", "m"), ("P2", "n")] {
        t.enqueue("T", task, "pool", Delayed(0));
        t.begin(thread, task);
        t.lock(thread, "l");
        t.write(thread, "x");
        t.unlock(thread, "l");
        t.end(thread, task);
    }
    let trace = t.build();
    let order = happens_before(&trace, Android, &RuleSwitches::default());
    let candidates = races_candidates(&trace, Android, &order);
    assert_eq!(candidates.iter().map(|race| race.lock_protected).collect::<Vec<_>>(), [true]);
}
