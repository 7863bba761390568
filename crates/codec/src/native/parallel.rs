//! Decodes blocks on several threads and returns them in file order.
//!
//! One thread reads, and any free worker decodes the next block. Each block has a slot of its own
//! for its result, and the consumer takes the slots in file order, whichever worker finished first.
//! Blocks are not assigned to workers in turn, because small sync blocks and large data blocks
//! alternate: of two workers, one would get all the work.
//!
//! Memory does not depend on the length of the file: the blocks that were read and not yet consumed
//! have at most a fixed number of uncompressed bytes together, unless there is only one of them.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::block::{Block, BlockReader, Stop};
use super::data::Wanted;
use super::decode::{BlockDecoder, Decoded};

type Outcome = Result<Decoded, Stop>;

/// The bounded room for blocks that were read and not yet consumed.
struct Room {
    /// The largest number of bytes at once.
    most: u64,
    /// The current number of bytes. None once the consumer is gone.
    taken: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Room {
    fn taken(&self) -> MutexGuard<'_, Option<u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room. Returns false once the consumer is gone.
    fn enter(&self, bytes: u64) -> bool {
        let is_full = |taken: &mut Option<u64>| {
            taken.is_some_and(|taken| taken > 0 && taken + bytes > self.most)
        };
        let waited = self.changed.wait_while(self.taken(), is_full);
        let mut taken = waited.unwrap_or_else(PoisonError::into_inner);
        *taken = taken.map(|taken| taken + bytes);
        taken.is_some()
    }

    fn leave(&self, bytes: u64) {
        let mut taken = self.taken();
        *taken = taken.map(|taken| taken.saturating_sub(bytes));
        self.changed.notify_one();
    }

    fn close(&self) {
        *self.taken() = None;
        self.changed.notify_one();
    }
}

/// The slot of a block's result, and the number of bytes of the block.
struct Place {
    result: Receiver<Outcome>,
    bytes: u64,
}

/// A block to decode, and the slot for its result.
struct Job {
    block: Block,
    result: SyncSender<Outcome>,
}

/// Decodes ahead of its consumer.
pub(crate) struct Ahead {
    /// The slots of the blocks that were read, in file order.
    places: Receiver<Place>,
    room: Arc<Room>,
}

impl Ahead {
    /// Decodes `blocks` on `workers` threads, besides one that reads, `most` bytes ahead.
    pub(crate) fn new<R>(
        blocks: BlockReader<R>,
        workers: usize,
        wanted: &Wanted,
        most: u64,
    ) -> io::Result<Self>
    where
        R: Read + Send + 'static,
    {
        let workers = workers.max(1);
        let room = Room { most, taken: Mutex::new(Some(0)), changed: Condvar::new() };
        let room = Arc::new(room);
        let (place, places) = channel();
        let (job, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..workers {
            let (jobs, decoder) = (Arc::clone(&jobs), BlockDecoder::new(wanted.clone())?);
            thread::Builder::new().name("decode".to_owned()).spawn(move || work(decoder, &jobs))?;
        }
        let until = Arc::clone(&room);
        let reader = thread::Builder::new().name("read".to_owned());
        reader.spawn(move || read(blocks, &until, &job, &place))?;
        Ok(Self { places, room })
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.room.close();
    }
}

/// Reads until the input ends or the consumer is gone.
fn read<R: Read>(blocks: BlockReader<R>, room: &Room, jobs: &Sender<Job>, places: &Sender<Place>) {
    for block in blocks {
        let bytes = block.as_ref().map_or(0, |block| u64::from(block.header.raw_len));
        let (result, place) = sync_channel(1);
        if !room.enter(bytes) || places.send(Place { result: place, bytes }).is_err() {
            return;
        }
        let sent = match block {
            Ok(block) => jobs.send(Job { block, result }).is_ok(),
            Err(stop) => {
                // Sending fails only if the consumer is gone.
                let _ = result.send(Err(stop));
                false
            }
        };
        if !sent {
            return;
        }
    }
}

fn work(mut decoder: BlockDecoder, jobs: &Mutex<Receiver<Job>>) {
    loop {
        // A worker that panicked while it held the lock has taken only its own job.
        let next = jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
        let Ok(Job { block, result }) = next else { return };
        // Sending fails if the consumer is gone. The reader then notices, and the jobs end.
        let _ = result.send(decoder.decode(block));
    }
}

impl Iterator for Ahead {
    type Item = Outcome;

    fn next(&mut self) -> Option<Self::Item> {
        let Place { result, bytes } = self.places.recv().ok()?;
        let outcome = result.recv().ok();
        self.room.leave(bytes);
        outcome
    }
}
