//! The clocks of threads, locks and handles.

use std::collections::HashMap;

use trace::{HandleId, Id, LockId, ThreadId};

use super::clock::{Epoch, ThreadClock, VectorClock};

/// The state of a lock.
#[derive(Clone)]
struct Lock {
    /// The clock that an acquire joins.
    released: VectorClock,
    /// The last release.
    last: Epoch,
    /// The thread that holds the lock, and how many times.
    holder: Option<ThreadId>,
    depth: u32,
    /// Whether sections of this lock ever overlapped. If so, the last release need not know the
    /// earlier ones.
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

/// The clocks of all threads, locks and handles.
#[derive(Default)]
pub(super) struct Sync {
    threads: Vec<ThreadClock>,
    locks: Vec<Lock>,
    handles: Vec<VectorClock>,
    /// The number of entries in all clocks.
    entries: usize,
    /// How many times a thread holds a lock that it acquired while another thread held it. Logs
    /// that contradict themselves have such acquires.
    overlapping: HashMap<(ThreadId, LockId), u32>,
}

/// Returns the row of `id`, and adds rows up to it if needed.
fn row<I: Id, T: Clone + Default>(table: &mut Vec<T>, id: I) -> &mut T {
    if table.len() <= id.index() {
        table.resize(id.index() + 1, T::default());
    }
    &mut table[id.index()]
}

impl Sync {
    /// Returns the memory that the clocks take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.entries * size_of::<u32>()
    }

    /// Returns the clock of a thread.
    pub(super) fn thread(&mut self, thread: ThreadId) -> &ThreadClock {
        row(&mut self.threads, thread)
    }

    /// Applies [FT FORK].
    pub(super) fn fork(&mut self, thread: ThreadId, child: ThreadId) {
        self.pass(thread, child);
        row(&mut self.threads, thread).own += 1;
    }

    /// Applies [FT JOIN].
    pub(super) fn join(&mut self, thread: ThreadId, child: ThreadId) {
        self.pass(child, thread);
        row(&mut self.threads, child).own += 1;
    }

    /// Joins the clock of `from` into the clock of `to`.
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

    /// Applies [FT ACQUIRE] to an outermost acquire.
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

    /// Applies [FT RELEASE] to an outermost release. Returns whether the thread held the lock.
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
            clock.join_into(thread, &mut lock.released);
        } else {
            clock.replace(thread, &mut lock.released);
        }
        self.entries = self.entries + lock.released.len() - before;
        lock.last = Epoch { thread, clock: clock.own };
        clock.own += 1;
        true
    }

    /// Applies a notification: a release that every later wait on the handle acquires.
    pub(super) fn notify(&mut self, thread: ThreadId, handle: HandleId) {
        let clock = row(&mut self.threads, thread);
        let notified = row(&mut self.handles, handle);
        let before = notified.len();
        clock.join_into(thread, notified);
        self.entries += notified.len() - before;
        clock.own += 1;
    }

    /// Applies a wait that returned.
    pub(super) fn wait(&mut self, thread: ThreadId, handle: HandleId) {
        let clock = row(&mut self.threads, thread);
        let before = clock.len();
        clock.learn(row(&mut self.handles, handle));
        self.entries += clock.len() - before;
    }
}
