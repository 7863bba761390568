//! Threads, locks and handles: what each of them knows.

use std::collections::HashMap;

use trace::{HandleId, Id, LockId, ThreadId};

use super::clock::{Epoch, ThreadClock, VectorClock};

/// A lock.
#[derive(Clone)]
struct Lock {
    /// What an acquire learns.
    released: VectorClock,
    /// The last release.
    last: Epoch,
    /// Who holds it, and how often.
    holder: Option<ThreadId>,
    depth: u32,
    /// Whether its sections ever overlapped: then the last release need not know the ones before.
    overlapped: bool,
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            released: VectorClock::default(),
            last: Epoch::NONE,
            holder: None,
            depth: 0,
            overlapped: false,
        }
    }
}

/// The clocks of everything that synchronises.
#[derive(Default)]
pub(super) struct Sync {
    threads: Vec<ThreadClock>,
    locks: Vec<Lock>,
    handles: Vec<VectorClock>,
    /// How many entries all clocks have together.
    entries: usize,
    /// How often a thread holds a lock that another thread held when it acquired it: in logs that
    /// contradict themselves.
    overlapping: HashMap<(ThreadId, LockId), u32>,
}

/// The row of `id`; rows are made as ids come up.
fn row<I: Id, T: Clone + Default>(table: &mut Vec<T>, id: I) -> &mut T {
    if table.len() <= id.index() {
        table.resize(id.index() + 1, T::default());
    }
    &mut table[id.index()]
}

impl Sync {
    /// What the clocks take in memory.
    pub(super) fn bytes(&self) -> usize {
        self.entries * size_of::<u32>()
    }

    /// The clock of a thread.
    pub(super) fn thread(&mut self, thread: ThreadId) -> &ThreadClock {
        row(&mut self.threads, thread)
    }

    /// [FT FORK]
    pub(super) fn fork(&mut self, thread: ThreadId, child: ThreadId) {
        self.pass(thread, child);
        row(&mut self.threads, thread).own += 1;
    }

    /// [FT JOIN]
    pub(super) fn join(&mut self, thread: ThreadId, child: ThreadId) {
        self.pass(child, thread);
        row(&mut self.threads, child).own += 1;
    }

    /// Tells `to` what `from` knows.
    fn pass(&mut self, from: ThreadId, to: ThreadId) {
        row(&mut self.threads, from);
        row(&mut self.threads, to);
        if let Ok([from_clock, to_clock]) =
            self.threads.get_disjoint_mut([from.index(), to.index()])
        {
            let before = to_clock.len();
            to_clock.learn_thread(from, from_clock);
            self.entries += to_clock.len() - before;
        }
    }

    /// [FT ACQUIRE], for the outermost one.
    pub(super) fn acquire(&mut self, thread: ThreadId, id: LockId) {
        let lock = row(&mut self.locks, id);
        match lock.holder {
            Some(holder) if holder == thread => {
                lock.depth += 1;
                return;
            }
            None if !self.overlapping.contains_key(&(thread, id)) => {
                lock.holder = Some(thread);
                lock.depth = 1;
            }
            _ => {
                lock.overlapped = true;
                let depth = self.overlapping.entry((thread, id)).or_insert(0);
                *depth += 1;
                if *depth > 1 {
                    return;
                }
            }
        }
        let clock = row(&mut self.threads, thread);
        if lock.overlapped || !clock.knows(thread, lock.last) {
            let before = clock.len();
            clock.learn(&lock.released);
            self.entries += clock.len() - before;
        }
    }

    /// [FT RELEASE], for the outermost one. Tells whether the thread held the lock.
    pub(super) fn release(&mut self, thread: ThreadId, id: LockId) -> bool {
        let lock = row(&mut self.locks, id);
        if lock.holder == Some(thread) {
            lock.depth -= 1;
            if lock.depth > 0 {
                return true;
            }
            lock.holder = None;
        } else {
            let Some(depth) = self.overlapping.get_mut(&(thread, id)) else { return false };
            *depth -= 1;
            if *depth > 0 {
                return true;
            }
            self.overlapping.remove(&(thread, id));
        }
        let clock = row(&mut self.threads, thread);
        let before = lock.released.len();
        if lock.overlapped {
            clock.tell(thread, &mut lock.released);
        } else {
            clock.replace(thread, &mut lock.released);
        }
        self.entries = self.entries + lock.released.len() - before;
        lock.last = Epoch { thread, clock: clock.own };
        clock.own += 1;
        true
    }

    /// A notification: a release of what every later wait acquires.
    pub(super) fn notify(&mut self, thread: ThreadId, handle: HandleId) {
        let clock = row(&mut self.threads, thread);
        let told = row(&mut self.handles, handle);
        let before = told.len();
        clock.tell(thread, told);
        self.entries += told.len() - before;
        clock.own += 1;
    }

    /// A wait that returned.
    pub(super) fn wait(&mut self, thread: ThreadId, handle: HandleId) {
        let clock = row(&mut self.threads, thread);
        let before = clock.len();
        clock.learn(row(&mut self.handles, handle));
        self.entries += clock.len() - before;
    }
}
