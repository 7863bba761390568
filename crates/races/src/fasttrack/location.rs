//! The state of a location: its last write and the reads since (the paper's §3).

use trace::{Id, OpId, ThreadId};

use super::clock::{Epoch, ThreadClock};

/// An access: its epoch and its operation.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) epoch: Epoch,
    pub(super) op: OpId,
}

impl Access {
    const NONE: Self = Self { epoch: Epoch::NONE, op: OpId(0) };
}

/// The state of a location. It takes 24 bytes, so 2.7 of them share a cache line.
#[derive(Clone, Copy)]
pub(super) struct Location {
    write: Access,
    /// The last read since the write, if it follows all others. For a read-shared location, the
    /// clock is [`SHARED`] and the thread is the row of [`Locations::shared`].
    read: Access,
}

const _: () = assert!(size_of::<Location>() == 24);

/// The clock that marks a read-shared location, whose reads are kept thread by thread. No thread's
/// clock reaches this value: it would need more operations than there are operation numbers.
const SHARED: u32 = u32::MAX;

/// A thread's last read of a read-shared location; clock 0 if it has none.
#[derive(Clone, Copy, Default)]
struct SharedRead {
    clock: u32,
    op: u32,
}

/// The states of all locations.
#[derive(Default)]
pub(super) struct Locations {
    rows: Vec<Location>,
    /// The reads of each read-shared location, by thread.
    shared: Vec<Vec<SharedRead>>,
    free: Vec<u32>,
    /// The capacity of the vectors in `shared`, in reads.
    room: usize,
}

/// The thread that accesses a location, with its clock and the operation.
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

    /// Returns the operation of `access`, unless it is known to happen before.
    fn race(&self, access: Access) -> Option<OpId> {
        (!self.knows(access)).then_some(access.op)
    }
}

impl Locations {
    /// Returns the memory that the reads of read-shared locations take, in bytes.
    pub(super) fn shared_bytes(&self) -> usize {
        self.room * size_of::<SharedRead>()
    }

    /// Adds states for the locations below `len`.
    pub(super) fn grow(&mut self, len: usize) {
        if self.rows.len() < len {
            self.rows.resize(len, Location { write: Access::NONE, read: Access::NONE });
        }
    }

    /// Loads a location, which may lie on two cache lines, into the cache. The returned value has
    /// no meaning.
    pub(super) fn touch(&self, location: u32) -> u32 {
        let location = &self.rows[location as usize];
        location.write.epoch.thread.0 ^ location.read.op.0
    }

    /// Loads the last read of `thread` of a read-shared location into the cache. The location
    /// itself must have been loaded before.
    pub(super) fn touch_shared(&self, location: u32, thread: ThreadId) -> u32 {
        let read = self.rows[location as usize].read.epoch;
        if read.clock != SHARED {
            return 0;
        }
        let reads = &self.shared[read.thread.index()];
        reads.get(thread.index()).map_or(0, |read| read.clock)
    }

    /// Records a read, and returns the access with which it races, if any.
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

    /// Records a write, and returns the latest access with which it races, if any.
    pub(super) fn write(&mut self, location: u32, by: Accessor<'_>) -> Option<OpId> {
        let location = &mut self.rows[location as usize];
        // Reads since the last write are later than the write.
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

/// Makes `read` its thread's last read, and returns by how many reads the capacity grew.
fn note(reads: &mut Vec<SharedRead>, read: Access) -> usize {
    let thread = read.epoch.thread.0 as usize;
    let room = reads.capacity();
    if reads.len() <= thread {
        reads.resize(thread + 1, SharedRead::default());
    }
    reads[thread] = SharedRead { clock: read.epoch.clock, op: read.op.0 };
    reads.capacity() - room
}

/// Removes all `reads`, and returns the latest one that is not known to happen before.
fn latest_race(reads: &mut Vec<SharedRead>, by: Accessor<'_>) -> Option<OpId> {
    let epochs = reads.iter().enumerate().map(|(thread, read)| Access {
        epoch: Epoch { thread: ThreadId(thread as u32), clock: read.clock },
        op: OpId(read.op),
    });
    let latest = epochs.filter_map(|read| by.race(read)).max();
    reads.clear();
    latest
}
