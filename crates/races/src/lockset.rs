//! Computes locksets: the locks that a thread holds at an access.
//!
//! Locks are re-entrant. The release of a lock that is not held is ignored. Equal sets share an id.

use std::collections::HashMap;

use trace::{Id, LockId, Op, OpId, ThreadId, Trace};

/// The id of an interned set of locks. Id 0 is the empty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocksetId(u32);

/// All sets seen, and the set that each thread holds at the current operation.
pub(crate) struct Locksets {
    /// The locks of each set, sorted and without repetition.
    sets: Vec<Vec<LockId>>,
    ids: HashMap<Vec<LockId>, LocksetId>,
    threads: Vec<Held>,
}

#[derive(Clone)]
struct Held {
    /// Every acquisition that is not yet released, in order.
    acquired: Vec<LockId>,
    set: LocksetId,
}

impl Locksets {
    pub(crate) fn new(trace: &Trace) -> Self {
        let empty = LocksetId(0);
        Self {
            sets: vec![Vec::new()],
            ids: HashMap::from([(Vec::new(), empty)]),
            threads: vec![Held { acquired: Vec::new(), set: empty }; trace.names().threads.len()],
        }
    }

    /// Advances past one operation.
    pub(crate) fn advance(&mut self, trace: &Trace, op: OpId) {
        let held = &mut self.threads[trace.thread_of(op).index()];
        match trace.op(op) {
            Op::Lock(lock) => held.acquired.push(lock),
            Op::Unlock(lock) => match held.acquired.iter().rposition(|&l| l == lock) {
                Some(i) => {
                    held.acquired.remove(i);
                }
                None => return,
            },
            _ => return,
        }
        let mut set = held.acquired.clone();
        set.sort_unstable();
        set.dedup();
        let sets = &mut self.sets;
        held.set = *self.ids.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            LocksetId(sets.len() as u32 - 1)
        });
    }

    /// Returns the set that `thread` holds at the current operation.
    pub(crate) fn held(&self, thread: ThreadId) -> LocksetId {
        self.threads[thread.index()].set
    }

    /// Returns whether both sets contain a lock, but none in common.
    pub(crate) fn separate(&self, a: LocksetId, b: LocksetId) -> bool {
        let is_empty = |set: LocksetId| self.sets[set.0 as usize].is_empty();
        !is_empty(a) && !is_empty(b) && self.disjoint(a, b)
    }

    /// Returns whether no lock is in both sets.
    pub(crate) fn disjoint(&self, a: LocksetId, b: LocksetId) -> bool {
        let (a, b) = (&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        a.iter().all(|lock| b.binary_search(lock).is_err())
    }
}
