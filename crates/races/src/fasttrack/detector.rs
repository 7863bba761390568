//! Runs FastTrack over operations, batch by batch.

use trace::{HandleId, Id, LocationId, LockId, OpId, ThreadId};

use super::location::{Accessor, Locations};
use super::sync::Sync;
use super::{Action, Findings, Operation, RacyLocation};

/// The FastTrack engine. [`Self::run`] takes the operations in trace order, and [`Self::finish`]
/// returns the races.
#[derive(Default)]
pub struct FastTrack {
    sync: Sync,
    locations: Locations,
    /// The number of operations run so far.
    ops: u32,
    /// For each location, 1 + the index of its row in `findings.locations`; 0 or absent if it has
    /// no race.
    rows: Vec<u32>,
    findings: Findings,
}

impl FastTrack {
    /// Runs a batch of operations.
    ///
    /// The locations of the whole batch are loaded from memory first. These loads do not depend on
    /// each other and overlap, whereas one by one each would wait for memory. A batch of 128
    /// operations stays in the first-level cache meanwhile.
    pub fn run(&mut self, batch: &[Operation]) {
        let is_access =
            |operation: &&Operation| matches!(operation.action, Action::Read | Action::Write);
        let accesses = batch.iter().filter(is_access);
        self.locations.grow(accesses.clone().map(|s| s.target as usize + 1).max().unwrap_or(0));
        let touch = |sum, operation: &Operation| sum ^ self.locations.touch(operation.target);
        std::hint::black_box(accesses.clone().fold(0, touch));
        let touch = |sum, operation: &Operation| {
            sum ^ self.locations.touch_shared(operation.target, operation.thread)
        };
        std::hint::black_box(accesses.fold(0, touch));
        for &operation in batch {
            self.apply(operation);
        }
    }

    /// Returns the bytes that can grow with the square of the threads: the clocks, and the reads of
    /// read-shared locations. The caller sets the limit.
    pub fn clock_bytes(&self) -> usize {
        self.sync.bytes() + self.locations.shared_bytes()
    }

    /// Returns the races found.
    pub fn finish(mut self) -> Findings {
        // Rows are in the order of their first races.
        self.findings.racing_accesses =
            self.findings.locations.iter().map(|l| l.racing_accesses).sum();
        self.findings
    }

    fn apply(&mut self, Operation { thread, target, action }: Operation) {
        let op = OpId(self.ops);
        self.ops += 1;
        match action {
            Action::Read | Action::Write => {
                let by = Accessor { thread, clock: self.sync.thread(thread), op };
                let race = match action {
                    Action::Read => self.locations.read(target, by),
                    _ => self.locations.write(target, by),
                };
                if let Some(first) = race {
                    self.race(LocationId(target), first, op);
                }
            }
            Action::Acquire => self.sync.acquire(thread, LockId(target)),
            Action::Release => {
                if !self.sync.release(thread, LockId(target)) {
                    self.findings.unheld_releases += 1;
                    self.findings.first_unheld_release.get_or_insert((op, LockId(target)));
                }
            }
            Action::Fork => self.sync.fork(thread, ThreadId(target)),
            Action::Join => self.sync.join(thread, ThreadId(target)),
            Action::Notify => self.sync.notify(thread, HandleId(target)),
            Action::Wait => self.sync.wait(thread, HandleId(target)),
            Action::None => {}
        }
    }

    #[cold]
    fn race(&mut self, location: LocationId, first: OpId, second: OpId) {
        if self.rows.len() <= location.index() {
            self.rows.resize(location.index() + 1, 0);
        }
        let row = &mut self.rows[location.index()];
        if *row == 0 {
            let found = RacyLocation { location, first, second, racing_accesses: 0 };
            self.findings.locations.push(found);
            *row = self.findings.locations.len() as u32;
        }
        self.findings.locations[*row as usize - 1].racing_accesses += 1;
    }
}
