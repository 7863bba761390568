//! Caches what the accesses of one moment know of other tasks.
//!
//! Code that runs together accesses locations that few other tasks accessed last. A small
//! direct-mapped table therefore answers most queries without reading the clock.

use order::View;

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    /// The moment of the query; see [`Known::moments`].
    moment: u32,
    task: u32,
    /// The position up to which the task is known.
    upto: u32,
}

/// The positions up to which tasks are known at the current moment.
pub(super) struct Known {
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
    pub(super) fn forget(&mut self) {
        self.moments = self.moments.wrapping_add(1);
        if self.moments == 0 {
            *self = Self { moments: 1, ..Self::default() };
        }
    }

    /// Returns whether the access of `task` with position `next` (see [`order::Node::position`])
    /// happens before the current moment, `now`.
    #[inline]
    pub(super) fn follows<V: View>(
        &mut self,
        view: &V,
        now: &V::Moment,
        (task, next): (u32, u32),
    ) -> bool {
        if task == view.task(now) {
            return true;
        }
        let slot = &mut self.slots[task as usize % SLOTS];
        if slot.moment != self.moments || slot.task != task {
            *slot = Slot { moment: self.moments, task, upto: view.reach(now, task) };
        }
        slot.upto >= next
    }
}
