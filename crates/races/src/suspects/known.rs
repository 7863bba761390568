//! What the accesses of one moment know of other tasks, asked once.
//!
//! Code goes on where code before it left off: the locations of a run were accessed last by few other
//! tasks. So a small table, direct-mapped, answers most questions without a look at the clock.

use order::View;

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    /// When it was asked; see [`Known::moments`].
    moment: u32,
    task: u32,
    /// How far the task is known.
    upto: u32,
}

/// How far tasks are known at the present moment.
pub(super) struct Known {
    /// How many moments there were, this one included; 0 is before the first.
    moments: u32,
    slots: [Slot; SLOTS],
}

impl Default for Known {
    fn default() -> Self {
        Self { moments: 0, slots: [Slot { moment: 0, task: 0, upto: 0 }; SLOTS] }
    }
}

impl Known {
    /// Another moment has come.
    pub(super) fn forget(&mut self) {
        self.moments = self.moments.wrapping_add(1);
        if self.moments == 0 {
            *self = Self { moments: 1, ..Self::default() };
        }
    }

    /// Whether what stood at `next` in `task` happens before the present moment, `now`.
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
