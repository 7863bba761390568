//! What is remembered of a location: its last write and the reads since (the paper's §3).

use trace::{Id, OpId, ThreadId};

use super::clock::{Epoch, ThreadClock};

/// An access: when, and which operation.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) epoch: Epoch,
    pub(super) op: OpId,
}

impl Access {
    const NONE: Self = Self { epoch: Epoch::NONE, op: OpId(0) };
}

/// A location: 24 bytes, so that 2.7 of them share a line of the cache.
#[derive(Clone, Copy)]
pub(super) struct Location {
    write: Access,
    /// The last read since the write, if it follows all others; else clock [`SHARED`] and the row
    /// of [`Locations::shared`] in place of the thread.
    read: Access,
}

const _: () = assert!(size_of::<Location>() == 24);

/// Marks a location whose reads are kept thread by thread. No clock comes this far: it would take
/// as many operations as have numbers.
const SHARED: u32 = u32::MAX;

/// A thread's last read of a read-shared location; clock 0 if it has none.
#[derive(Clone, Copy, Default)]
struct SharedRead {
    clock: u32,
    op: u32,
}

/// All locations.
#[derive(Default)]
pub(super) struct Locations {
    rows: Vec<Location>,
    /// The reads of each read-shared location, by thread.
    shared: Vec<Vec<SharedRead>>,
    free: Vec<u32>,
    /// How many reads there is room for in `shared`.
    room: usize,
}

/// Who accesses, and what is known there.
#[derive(Clone, Copy)]
pub(super) struct Accessor<'a> {
    pub(super) thread: ThreadId,
    pub(super) clock: &'a ThreadClock,
    pub(super) op: OpId,
}

impl Accessor<'_> {
    fn knows(&self, access: Access) -> bool {
        self.clock.knows(self.thread, access.epoch)
    }

    fn access(&self) -> Access {
        Access { epoch: Epoch { thread: self.thread, clock: self.clock.own }, op: self.op }
    }

    /// The operation of `access`, if it is not known to come before.
    fn race(&self, access: Access) -> Option<OpId> {
        (!self.knows(access)).then_some(access.op)
    }
}

impl Locations {
    /// What the reads of read-shared locations take in memory.
    pub(super) fn shared_bytes(&self) -> usize {
        self.room * size_of::<SharedRead>()
    }

    /// Makes rows for locations below `len`.
    pub(super) fn grow(&mut self, len: usize) {
        if self.rows.len() < len {
            self.rows.resize(len, Location { write: Access::NONE, read: Access::NONE });
        }
    }

    /// Asks memory for a location, which may lie on two lines of the cache; the value says nothing.
    pub(super) fn touch(&self, location: u32) -> u32 {
        let location = &self.rows[location as usize];
        location.write.epoch.thread.0 ^ location.read.op.0
    }

    /// Asks memory for what `thread` last read of a read-shared location. The location itself was
    /// asked for before.
    pub(super) fn touch_shared(&self, location: u32, thread: ThreadId) -> u32 {
        let read = self.rows[location as usize].read.epoch;
        if read.clock != SHARED {
            return 0;
        }
        let reads = &self.shared[read.thread.index()];
        reads.get(thread.index()).map_or(0, |read| read.clock)
    }

    /// A read: the access it races with, if any.
    pub(super) fn read(&mut self, location: u32, by: Accessor<'_>) -> Option<OpId> {
        let location = &mut self.rows[location as usize];
        let now = by.access();
        if location.read.epoch.clock == SHARED {
            let row = location.read.epoch.thread.0;
            self.room += note(&mut self.shared[row as usize], now);
        } else if by.knows(location.read) {
            location.read = now;
        } else {
            let row = self.free.pop().unwrap_or_else(|| {
                self.shared.push(Vec::new());
                self.shared.len() as u32 - 1
            });
            let reads = &mut self.shared[row as usize];
            self.room += note(reads, location.read) + note(reads, now);
            location.read.epoch = Epoch { thread: ThreadId(row), clock: SHARED };
        }
        by.race(location.write)
    }

    /// A write: the latest access it races with, if any.
    pub(super) fn write(&mut self, location: u32, by: Accessor<'_>) -> Option<OpId> {
        let location = &mut self.rows[location as usize];
        // Reads since the write are later than the write.
        let read_race = if location.read.epoch.clock == SHARED {
            let row = location.read.epoch.thread.0;
            self.free.push(row);
            latest_race(&mut self.shared[row as usize], by)
        } else {
            by.race(location.read)
        };
        let race = read_race.or_else(|| by.race(location.write));
        *location = Location { write: by.access(), read: Access::NONE };
        race
    }
}

/// Makes `read` its thread's last one; tells how much more room that took.
fn note(reads: &mut Vec<SharedRead>, read: Access) -> usize {
    let thread = read.epoch.thread.0 as usize;
    let room = reads.capacity();
    if reads.len() <= thread {
        reads.resize(thread + 1, SharedRead::default());
    }
    reads[thread] = SharedRead { clock: read.epoch.clock, op: read.op.0 };
    reads.capacity() - room
}

/// The latest of `reads` that is not known to come before, all of which are forgotten.
fn latest_race(reads: &mut Vec<SharedRead>, by: Accessor<'_>) -> Option<OpId> {
    let epochs = reads.iter().enumerate().map(|(thread, read)| Access {
        epoch: Epoch { thread: ThreadId(thread as u32), clock: read.clock },
        op: OpId(read.op),
    });
    let latest = epochs.filter_map(|read| by.race(read)).max();
    reads.clear();
    latest
}
