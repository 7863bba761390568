//! The rules of locks.
//!
//! Only the outermost entrance of a lock is logged. Each lock has the thread that unlocked it
//! `last`; for each thread the unlocks U that still matter; and `seen`, the unlocks of other
//! threads after which the last thread is already ordered.
//!
//! - LOCK by a thread other than `last`: every u ∈ U\[last\] → LOCK. `seen` becomes U\[last\] if
//!   the LOCK is in a task. Otherwise it becomes ∅, because program order then extends the edge.
//! - LOCK by `last` inside a task: every u ∈ `seen` → LOCK, because the tasks of a thread are not
//!   ordered by themselves. The unlocks of the thread's own tasks order nothing.
//! - UNLOCK outside tasks: U\[tid\] := \[o\]. UNLOCK inside m: U\[tid\] loses the unlocks that o
//!   follows anyway: those outside tasks, in m, or in a task whose end has a base edge to m's
//!   begin.
//!
//! The first LOCK of a lock only creates its record.

use hashbrown::HashMap;

use crate::base::{Base, OpId, ThreadId};
use crate::log::ObjectId;
use crate::rules::Rule;

#[derive(Default)]
pub(crate) struct Locks {
    locks: HashMap<ObjectId, LockRecord>,
}

#[derive(Default)]
struct LockRecord {
    last: Option<ThreadId>,
    unlocks: HashMap<ThreadId, Vec<OpId>>,
    seen: Vec<OpId>,
}

impl Locks {
    pub(crate) fn lock(&mut self, base: &mut Base, id: OpId, object: ObjectId) {
        let record = self.locks.entry(object).or_default();
        let Some(last) = record.last else { return };
        let in_task = base.op(id).task.is_some();
        if base.op(id).thread != Some(last) {
            let unlocks = record.unlocks.get(&last).cloned().unwrap_or_default();
            order(base, &unlocks, id);
            record.seen = if in_task { unlocks } else { Vec::new() };
        } else if in_task {
            order(base, &record.seen, id);
        }
    }

    pub(crate) fn unlock(&mut self, base: &mut Base, id: OpId, object: ObjectId) {
        let Some(thread) = base.op(id).thread else { return };
        let record = self.locks.entry(object).or_default();
        record.last = Some(thread);
        let unlocks = record.unlocks.entry(thread).or_default();
        match base.op(id).task {
            None => unlocks.clear(),
            Some(task) => {
                let call = base.task(task).call;
                unlocks.retain(|&earlier| {
                    let follows =
                        base.ret_of(earlier).is_some_and(|ret| base.edge_rule(ret, call).is_some());
                    base.op(earlier).task.is_some_and(|other| other != task) && !follows
                });
            }
        }
        unlocks.push(id);
    }
}

fn order(base: &mut Base, unlocks: &[OpId], lock: OpId) {
    for &unlock in unlocks {
        base.edge(unlock, lock, Rule::Lock);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{edges, task};
    use crate::rules::Rule;

    const LOCK: &str = "LOCK tid:1 lock-obj:0x1";
    const UNLOCK: &str = "UNLOCK tid:1 lock-obj:0x1";

    fn by_thread_2(first: u64) -> String {
        format!("{first} LOCK tid:2 lock-obj:0x1\n{} UNLOCK tid:2 lock-obj:0x1\n", first + 1)
    }

    #[test]
    fn an_unlock_precedes_the_lock_of_another_thread_only() {
        let log =
            format!("{}{}{}", by_thread_2(1), by_thread_2(3), task(10, 9, 1, &[LOCK, UNLOCK]));
        assert_eq!(edges(Rule::Lock, &log), [(4, 12)]);
        let other = log.replace("12 LOCK tid:1 lock-obj:0x1", "12 LOCK tid:1 lock-obj:0x2");
        assert_eq!(edges(Rule::Lock, &other), []);
    }

    #[test]
    fn a_second_task_follows_what_the_first_had_seen() {
        let log = format!(
            "{}{}{}",
            by_thread_2(1),
            task(10, 9, 1, &[LOCK, UNLOCK]),
            task(20, 9, 2, &[LOCK, UNLOCK]),
        );
        assert_eq!(edges(Rule::Lock, &log), [(2, 12), (2, 22)]);
    }

    #[test]
    fn nothing_is_seen_outside_tasks() {
        let outside = format!("10 {LOCK}\n11 {UNLOCK}\n");
        let log = format!("{}{outside}{}", by_thread_2(1), task(20, 9, 2, &[LOCK, UNLOCK]));
        assert_eq!(edges(Rule::Lock, &log), [(2, 10)]);
    }

    #[test]
    fn unlocks_of_unordered_tasks_all_count() {
        let tasks = format!(
            "{}{}",
            task(10, 9, 1, &[LOCK, UNLOCK, LOCK, UNLOCK]),
            task(20, 9, 2, &[LOCK, UNLOCK]),
        );
        let log = format!("{tasks}{}", by_thread_2(30));
        assert_eq!(edges(Rule::Lock, &log), [(15, 30), (23, 30)]);
    }

    #[test]
    fn an_unlock_that_a_base_edge_puts_before_the_task_is_dropped() {
        let child = "POST src:1 msg:2 dest:-1 delay:0";
        let log = format!(
            "{}20 CALL tid:1 msg:2\n21 {LOCK}\n22 {UNLOCK}\n23 RET tid:1 msg:2\n{}",
            task(10, 9, 1, &[LOCK, UNLOCK, child]),
            by_thread_2(30),
        );
        assert_eq!(edges(Rule::Lock, &log), [(22, 30)]);
    }
}
