//! Locks.
//!
//! Only the outermost entrance of a lock is logged. Per lock: the thread that unlocked it `last`,
//! per thread the unlocks U that still matter, and `seen`, the foreign unlocks the last thread has
//! already been ordered after.
//!
//! - LOCK by a thread other than `last`: every u ∈ U\[last\] → LOCK. `seen` becomes U\[last\] if the
//!   LOCK is in a task, else ∅, since then program order carries the edge on.
//! - LOCK by `last` inside a task: every u ∈ `seen` → LOCK, since the tasks of a thread are not
//!   ordered by themselves. The unlocks of the thread's own tasks order nothing.
//! - UNLOCK outside tasks: U\[tid\] := \[o\]. UNLOCK inside m: from U\[tid\] is dropped what o follows
//!   anyway: what is outside tasks, in m, or in a task whose end has a base edge to m's begin.
//!
//! The first LOCK only makes the record.

use hashbrown::HashMap;

use crate::base::{Base, OpId, ThreadId};
use crate::log::ObjectId;
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct Locks {
    locks: HashMap<ObjectId, LockRecord>,
}

#[derive(Default)]
struct LockRecord {
    last: Option<ThreadId>,
    unlocks: HashMap<ThreadId, Vec<OpId>>,
    seen: Vec<OpId>,
}

impl Locks {
    pub(super) fn lock(&mut self, base: &mut Base, id: OpId, object: ObjectId) {
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

    pub(super) fn unlock(&mut self, base: &mut Base, id: OpId, object: ObjectId) {
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
