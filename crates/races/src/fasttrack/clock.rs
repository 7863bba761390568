//! Vector clocks and epochs (the paper's §2.2 and §3).

use trace::{Id, ThreadId};

/// A point in a thread's execution: `clock@thread`. Clocks count from 1. An epoch with clock 0
/// precedes everything (the paper's ⊥).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    pub(super) thread: ThreadId,
    pub(super) clock: u32,
}

impl Epoch {
    pub(super) const NONE: Self = Self { thread: ThreadId(0), clock: 0 };
}

/// The latest known point of each thread. Threads beyond the end of the vector are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock(Vec<u32>);

impl VectorClock {
    pub(super) fn get(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    /// Returns the number of threads with an entry.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Raises the entry of the epoch's thread to at least `epoch`.
    pub(super) fn raise(&mut self, epoch: Epoch) {
        let index = epoch.thread.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = self.0[index].max(epoch.clock);
    }

    /// Joins `other` into this clock.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = theirs.max(*mine);
        }
    }

    /// Copies `other` into this clock, in place.
    pub(super) fn copy(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

/// A thread's clock: its own point, and the known points of other threads.
///
/// The thread's own entry is stored apart, so a thread that never synchronises needs no vector.
#[derive(Clone, Debug)]
pub(super) struct ThreadClock {
    pub(super) own: u32,
    others: VectorClock,
}

impl Default for ThreadClock {
    fn default() -> Self {
        Self { own: 1, others: VectorClock::default() }
    }
}

impl ThreadClock {
    /// Returns whether `epoch` ≼ this clock, which is the clock of `thread`.
    pub(super) fn knows(&self, thread: ThreadId, epoch: Epoch) -> bool {
        epoch.thread == thread || epoch.clock <= self.others.get(epoch.thread)
    }

    /// Returns the number of other threads with an entry.
    pub(super) fn len(&self) -> usize {
        self.others.len()
    }

    /// Joins `clock` into this clock.
    pub(super) fn learn(&mut self, clock: &VectorClock) {
        self.others.join(clock);
    }

    /// Joins the clock of another thread, `from`, into this clock.
    pub(super) fn learn_thread(&mut self, from: ThreadId, clock: &Self) {
        self.others.join(&clock.others);
        self.others.raise(Epoch { thread: from, clock: clock.own });
    }

    /// Joins this clock, which is the clock of `thread`, into `clock`.
    pub(super) fn join_into(&self, thread: ThreadId, clock: &mut VectorClock) {
        clock.join(&self.others);
        clock.raise(Epoch { thread, clock: self.own });
    }

    /// Replaces `clock` by this clock. This equals [`Self::join_into`] if this thread already knows
    /// all of `clock`.
    pub(super) fn replace(&self, thread: ThreadId, clock: &mut VectorClock) {
        clock.copy(&self.others);
        clock.raise(Epoch { thread, clock: self.own });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_take_the_later_point_of_each_thread() {
        let epoch = |thread, clock| Epoch { thread: ThreadId(thread), clock };
        let (mut a, mut b) = (VectorClock::default(), VectorClock::default());
        a.raise(epoch(0, 5));
        a.raise(epoch(1, 2));
        b.raise(epoch(1, 7));
        b.raise(epoch(3, 1));
        a.join(&b);
        assert_eq!((0..5).map(|t| a.get(ThreadId(t))).collect::<Vec<_>>(), [5, 7, 0, 1, 0]);
        b.raise(epoch(1, 3));
        assert_eq!(b.get(ThreadId(1)), 7);
    }
}
