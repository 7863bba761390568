//! The locks that threads hold, in a trace that is read once. Locks are re-entrant. The release of a
//! lock that is not held is ignored. Equal sets share an id.

use std::collections::HashMap;

use trace::{Id, LockId, Op, ThreadId};

/// The id of an interned set of locks. Id 0 is the empty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LocksetId(u32);

#[derive(Clone, Default)]
struct Held {
    /// Every acquisition that is not yet released, in order.
    acquired: Vec<LockId>,
    set: LocksetId,
}

pub(super) struct Locksets {
    /// The locks of each set, sorted and without repetition.
    sets: Vec<Vec<LockId>>,
    ids: HashMap<Vec<LockId>, LocksetId>,
    threads: Vec<Held>,
}

impl Default for Locksets {
    fn default() -> Self {
        let ids = HashMap::from([(Vec::new(), LocksetId(0))]);
        Self { sets: vec![Vec::new()], ids, threads: Vec::new() }
    }
}

impl Locksets {
    /// Advances past an acquire or a release.
    pub(super) fn advance(&mut self, thread: ThreadId, op: Op) {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, Held::default());
        }
        let held = &mut self.threads[thread.index()];
        match op {
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

    pub(super) fn held(&self, thread: ThreadId) -> LocksetId {
        self.threads.get(thread.index()).map_or(LocksetId(0), |held| held.set)
    }

    fn locks(&self, set: LocksetId) -> &[LockId] {
        &self.sets[set.0 as usize]
    }

    /// Returns whether both sets contain a lock, but none in common.
    pub(super) fn separate(&self, a: LocksetId, b: LocksetId) -> bool {
        a.0 != 0 && b.0 != 0 && self.disjoint(a, b)
    }

    /// Returns whether no lock is in both sets.
    pub(super) fn disjoint(&self, a: LocksetId, b: LocksetId) -> bool {
        let (a, b) = (self.locks(a), self.locks(b));
        a.iter().all(|lock| b.binary_search(lock).is_err())
    }

    /// Returns whether every lock of `a` is in `b`.
    pub(super) fn contained(&self, a: LocksetId, b: LocksetId) -> bool {
        a == b || self.locks(a).iter().all(|lock| self.locks(b).binary_search(lock).is_ok())
    }
}
