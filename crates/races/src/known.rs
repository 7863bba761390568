//! Caches what the accesses of one moment know of other tasks.
//!
//! Code that runs together accesses locations that few other tasks accessed last. A small
//! direct-mapped table therefore answers most queries without reading the clock.

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    /// The moment of the query; see [`Known::moments`].
    moment: u32,
    task: u32,
    /// The position up to which the task is known.
    upto: u32,
}

/// The positions up to which tasks, or the chains that they lie on, are known at the current moment.
pub(crate) struct Known {
    /// The number of moments so far, including the current one; 0 before the first.
    moments: u32,
    slots: [Slot; SLOTS],
}

impl Default for Known {
    fn default() -> Self {
        Self { moments: 0, slots: [Slot { moment: 0, task: 0, upto: 0 }; SLOTS] }
    }
}

impl Known {
    /// Starts another moment.
    pub(crate) fn forget(&mut self) {
        self.moments = self.moments.wrapping_add(1);
        if self.moments == 0 {
            *self = Self { moments: 1, ..Self::default() };
        }
    }

    /// Returns the position up to which `task` is known at the current moment. Calls `reach` if the
    /// moment was not asked for it lately.
    #[inline]
    pub(crate) fn upto(&mut self, task: u32, reach: impl FnOnce() -> u32) -> u32 {
        let slot = &mut self.slots[task as usize % SLOTS];
        if slot.moment != self.moments || slot.task != task {
            *slot = Slot { moment: self.moments, task, upto: reach() };
        }
        slot.upto
    }
}
