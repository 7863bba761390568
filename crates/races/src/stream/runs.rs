//! What accesses of one run share, kept as long as an access of the run may race with later ones.

use std::collections::{HashMap, VecDeque};

use order::{Point, Stream};

use super::{Context, LocksetId};

/// The number of a run of accesses. The highest bit is free for another use.
pub(super) type RunId = u32;

/// What accesses of one run share.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) context: Context,
    pub(super) point: Point,
    pub(super) locks: LocksetId,
}

/// The runs of a trace, without those that the window dropped.
#[derive(Default)]
pub(super) struct Runs {
    rows: VecDeque<Run>,
    /// The number of the first run in `rows`.
    first: RunId,
    /// Runs before those in `rows` that nothing ever orders.
    apart: HashMap<RunId, Run>,
}

impl Runs {
    pub(super) fn add(&mut self, run: Run) -> RunId {
        self.rows.push_back(run);
        self.first + self.rows.len() as u32 - 1
    }

    pub(super) fn get(&self, id: RunId) -> Option<&Run> {
        match id.checked_sub(self.first) {
            Some(index) => self.rows.get(index as usize),
            None => self.apart.get(&id),
        }
    }

    /// The locks that a run holds; none if the run was dropped.
    pub(super) fn locks(&self, id: RunId) -> Option<LocksetId> {
        self.get(id).map(|run| run.locks)
    }

    /// Forgets the runs that everything to come follows.
    pub(super) fn forget(&mut self, stream: &Stream) {
        while let Some(run) = self.rows.front() {
            if run.point.is_nowhere() {
                self.apart.insert(self.first, *run);
            } else if !stream.is_dropped(run.point) {
                break;
            }
            self.rows.pop_front();
            self.first += 1;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.rows.capacity() + self.apart.capacity()) * size_of::<Run>()
    }
}
