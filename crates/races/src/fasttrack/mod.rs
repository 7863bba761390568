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
//! **Where it deviates from the paper.** The reads of a location are forgotten at every write, not
//! only at writes to read-shared locations, and accesses in the epoch of the last one are checked
//! like any other: so the count of racing accesses has a definition that does not mention epochs.
//! The checks of an epoch by its own thread need no clock, so this costs little. Locks are re-entrant, and when sections of a lock overlap, releases join into the
//! lock's clock instead of replacing it. An acquire whose thread already knows the last release
//! skips the join.
//!
//! **What it costs.** An access takes constant time unless its location becomes read-shared or a
//! write ends that; a synchronisation takes O(threads). Memory: 24 bytes a location, 8 more for each
//! thread up to the last reader while it is read-shared, and a clock (4 bytes a thread) for each
//! thread, lock and handle.

mod clock;
mod detector;
mod location;
mod sync;

pub use detector::FastTrack;

use trace::{Id, LocationId, LockId, Op, OpId, ThreadId, Trace};

use crate::{Class, Race, RaceId, Races};

/// What an operation does to the order or to a location.
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
    /// Nothing; it only has a number.
    None,
}

/// One operation as the engine sees it. Operations are numbered as they come.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Who does it.
    pub thread: ThreadId,
    /// The id of the location, lock, thread or handle it is done to.
    pub target: u32,
    /// What is done.
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

/// What the engine found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The locations with a race, by their first one.
    pub locations: Vec<RacyLocation>,
    /// How many accesses race, over all locations.
    pub racing_accesses: u64,
    /// How many operations were releases of a lock that their thread did not hold.
    pub unheld_releases: u64,
    /// The first of them.
    pub first_unheld_release: Option<(OpId, LockId)>,
}

impl Findings {
    /// The findings as races: one for each of the first `listed` locations.
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

/// An upper bound of [`FastTrack::clock_bytes`] over `trace`: every thread, lock and handle that
/// learns anything learns of every thread, every location that two threads read is read by all.
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
    // Room for reads may be twice what is used.
    let wide = clocks * size_of::<u32>() + count(&shared) * 16;
    wide.saturating_mul(names.threads.len())
}

/// How many operations are worked on at a time.
const BATCH: usize = 128;

/// The races of `trace` under the default rules of model `threads`.
pub fn detect(trace: &Trace) -> Findings {
    let mut engine = FastTrack::default();
    let mut batch = Vec::with_capacity(BATCH);
    for op in trace.ops() {
        let (action, target) = action(trace.op(op));
        batch.push(Step { thread: trace.thread_of(op), target, action });
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
