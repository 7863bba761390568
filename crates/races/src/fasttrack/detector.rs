//! Runs the operations, batch by batch.

use trace::{HandleId, Id, LocationId, LockId, OpId, ThreadId};

use super::location::{Accessor, Locations};
use super::sync::Sync;
use super::{Action, Findings, RacyLocation, Step};

/// The engine: feed it the operations in the order of the trace, then ask what it found.
#[derive(Default)]
pub struct FastTrack {
    sync: Sync,
    locations: Locations,
    /// How many operations were run.
    ops: u32,
    /// The row of `findings.locations` for each location, plus one; 0 or absent without a race.
    rows: Vec<u32>,
    findings: Findings,
}

impl FastTrack {
    /// Runs operations.
    ///
    /// The locations of the whole batch are asked for first: the loads do not depend on each other
    /// and overlap, where one by one each would wait for memory. A batch of 128 stays in the
    /// first-level cache meanwhile.
    pub fn run(&mut self, batch: &[Step]) {
        let is_access = |step: &&Step| matches!(step.action, Action::Read | Action::Write);
        let accesses = batch.iter().filter(is_access);
        self.locations.grow(accesses.clone().map(|s| s.target as usize + 1).max().unwrap_or(0));
        let touch = |sum, step: &Step| sum ^ self.locations.touch(step.target);
        std::hint::black_box(accesses.clone().fold(0, touch));
        let touch = |sum, step: &Step| sum ^ self.locations.touch_shared(step.target, step.thread);
        std::hint::black_box(accesses.fold(0, touch));
        for &step in batch {
            self.step(step);
        }
    }

    /// What grows with the square of the threads, in bytes: the clocks, and the reads of read-shared
    /// locations. The caller decides how much is too much.
    pub fn clock_bytes(&self) -> usize {
        self.sync.bytes() + self.locations.shared_bytes()
    }

    /// What was found.
    pub fn finish(mut self) -> Findings {
        // Rows are made in the order of their first race.
        self.findings.racing_accesses =
            self.findings.locations.iter().map(|l| l.racing_accesses).sum();
        self.findings
    }

    fn step(&mut self, Step { thread, target, action }: Step) {
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
