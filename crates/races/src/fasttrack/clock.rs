//! Vector clocks and epochs (the paper's §2.2 and §3).

use trace::{Id, ThreadId};

/// A point in a thread's life: `clock@thread`. Clocks count from 1; a clock of 0 is no point at all
/// and precedes everything (the paper's ⊥).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    pub(super) thread: ThreadId,
    pub(super) clock: u32,
}

impl Epoch {
    pub(super) const NONE: Self = Self { thread: ThreadId(0), clock: 0 };
}

/// The latest point of each thread that is known; threads beyond the end are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock(Vec<u32>);

impl VectorClock {
    pub(super) fn get(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    /// How many threads it has an entry for.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Learns of `epoch`.
    pub(super) fn raise(&mut self, epoch: Epoch) {
        let index = epoch.thread.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = self.0[index].max(epoch.clock);
    }

    /// Learns of all that `other` knows.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = theirs.max(*mine);
        }
    }

    /// Becomes `other`, in place.
    pub(super) fn copy(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

/// A thread's clock: how far it came itself, and what it knows of others.
///
/// Its own entry stands apart, so that a thread which meets no other costs no vector.
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
    /// Whether `epoch` ≼ this clock, the one of `thread`.
    pub(super) fn knows(&self, thread: ThreadId, epoch: Epoch) -> bool {
        epoch.thread == thread || epoch.clock <= self.others.get(epoch.thread)
    }

    /// How many other threads it has an entry for.
    pub(super) fn len(&self) -> usize {
        self.others.len()
    }

    /// Learns of all that `clock` knows.
    pub(super) fn learn(&mut self, clock: &VectorClock) {
        self.others.join(clock);
    }

    /// Learns of all that another thread, `from`, has done and knows.
    pub(super) fn learn_thread(&mut self, from: ThreadId, clock: &Self) {
        self.others.join(&clock.others);
        self.others.raise(Epoch { thread: from, clock: clock.own });
    }

    /// Tells `clock` all that this thread has done and knows.
    pub(super) fn tell(&self, thread: ThreadId, clock: &mut VectorClock) {
        clock.join(&self.others);
        clock.raise(Epoch { thread, clock: self.own });
    }

    /// As [`Self::tell`], to a clock of which this thread knows everything already.
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
