//! FastTrack (Flanagan & Freund, PLDI'09): the races of model `threads` in one pass.
//!
//! **What it computes.** Happens-before is that of the model: program order, forks, joins, locks
//! (outermost acquires and releases only), notifications. An access β *races* when it is unordered
//! with the last write of its location before it or, if β writes, with a read of its location since
//! that write. For every location with a race, [`RacyLocation`] holds the first β that races, the
//! latest earlier access that β is unordered and in conflict with, and how many accesses race.
//!
//! **What it guarantees.** A location is listed if and only if two conflicting accesses of it are
//! unordered, and its first β is the first access that is unordered with *any* earlier conflicting
//! access (the paper's Theorem 1, location by location). Later pairs are not all found: after the
//! first race only the last write and the reads since it are remembered. All of this is exact, also
//! on logs that contradict themselves; `tests/fasttrack.rs` compares it with the definition.
//!
//! **Where it deviates from the paper.** Every write forgets the reads of its location, not only a
//! write to a read-shared location, and an access in the same epoch as the last one is checked like
//! any other. The count of racing accesses therefore has a definition that does not mention epochs.
//! A thread checks its own epochs without a clock, so this costs little. Locks are re-entrant. When
//! sections of a lock overlap, releases join into the lock's clock instead of replacing it. An
//! acquire whose thread already knows the last release skips the join.
//!
//! **What it costs.** An access takes constant time unless its location becomes read-shared or a
//! write ends that; a synchronisation takes O(threads). A location takes 24 bytes, and while it is
//! read-shared 8 more for each thread up to the last reader. Each thread, lock and handle has a
//! clock of 4 bytes for each thread.

mod clock;
mod detector;
mod location;
mod sync;

pub use detector::FastTrack;

use trace::{Id, LocationId, LockId, Op, OpId, ThreadId, Trace};

use crate::{Class, Race, RaceId, Races};

/// The effect of an operation on the order or on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operations of the model")]
pub enum Action {
    Read,
    Write,
    Acquire,
    Release,
    Fork,
    Join,
    Notify,
    Wait,
    /// No effect: the operation only has a number.
    None,
}

/// One operation as FastTrack's input. Operations are numbered in the order in which they are run.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The thread that runs the operation.
    pub thread: ThreadId,
    /// The id of the location, lock, thread or handle that the operation concerns.
    pub target: u32,
    /// The effect of the operation.
    pub action: Action,
}

/// A location with a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RacyLocation {
    /// The location.
    pub location: LocationId,
    /// The latest access that conflicts with [`Self::second`] and is not ordered before it.
    pub first: OpId,
    /// The first access of the location that races.
    pub second: OpId,
    /// How many accesses of the location race.
    pub racing_accesses: u64,
}

/// The races that FastTrack found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The locations with a race, in the order of their first races.
    pub locations: Vec<RacyLocation>,
    /// How many accesses race, over all locations.
    pub racing_accesses: u64,
    /// How many operations were releases of a lock that their thread did not hold.
    pub unheld_releases: u64,
    /// The first release of a lock that its thread did not hold.
    pub first_unheld_release: Option<(OpId, LockId)>,
}

impl Findings {
    /// Returns one race for each of the first `listed` locations.
    pub fn races(&self, listed: usize) -> Races {
        let race = |(i, found): (usize, &RacyLocation)| Race {
            id: RaceId(i as u32),
            location: found.location,
            first: found.first,
            second: found.second,
            class: Class::MultiThreaded,
            lock_protected: false,
            separately_locked: false,
            covered_by: Vec::new(),
        };
        Races {
            races: self.locations.iter().take(listed).enumerate().map(race).collect(),
            pairs: usize::try_from(self.racing_accesses).unwrap_or(usize::MAX),
        }
    }
}

/// Returns an upper bound of [`FastTrack::clock_bytes`] for `trace`. It assumes that every clock
/// that gets any entry gets one for every thread, and that all threads read a location that two
/// threads read.
pub fn bytes_needed(trace: &Trace) -> usize {
    let names = trace.names();
    let mut learns = vec![false; names.threads.len()];
    let mut readers: Vec<Option<ThreadId>> = vec![None; names.locations.len()];
    let mut shared = vec![false; names.locations.len()];
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        match trace.op(op) {
            Op::Lock(_) | Op::Wait(_) | Op::Join(_) => learns[thread.index()] = true,
            Op::Fork(child) => learns[child.index()] = true,
            Op::Read(at) => {
                let last = readers[at.index()].replace(thread);
                shared[at.index()] |= last.is_some_and(|last| last != thread);
            }
            _ => {}
        }
    }
    let count = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count();
    let clocks = count(&learns) + names.locks.len() + names.handles.len();
    // The vectors of reads may have twice the capacity that is used.
    let wide = clocks * size_of::<u32>() + count(&shared) * 16;
    wide.saturating_mul(names.threads.len())
}

/// The number of operations in a batch.
const BATCH: usize = 128;

/// Returns the races of `trace` under the default rules of model `threads`.
pub fn detect(trace: &Trace) -> Findings {
    let mut engine = FastTrack::default();
    let mut batch = Vec::with_capacity(BATCH);
    for op in trace.ops() {
        let (action, target) = action(trace.op(op));
        batch.push(Operation { thread: trace.thread_of(op), target, action });
        if batch.len() == BATCH {
            engine.run(&batch);
            batch.clear();
        }
    }
    engine.run(&batch);
    engine.finish()
}

fn action(op: Op) -> (Action, u32) {
    match op {
        Op::Read(location) => (Action::Read, location.0),
        Op::Write(location) => (Action::Write, location.0),
        Op::Lock(lock) => (Action::Acquire, lock.0),
        Op::Unlock(lock) => (Action::Release, lock.0),
        Op::Fork(child) => (Action::Fork, child.0),
        Op::Join(child) => (Action::Join, child.0),
        Op::Notify(handle) => (Action::Notify, handle.0),
        Op::Wait(handle) => (Action::Wait, handle.0),
        _ => (Action::None, 0),
    }
}
