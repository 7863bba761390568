//! Decodes blocks on several threads and hands them on in file order.
//!
//! One thread reads; whichever worker is free decodes the next block. Each block has a place of
//! its own for its result, and the places are emptied in the order they were made: the order of
//! the file, whoever was first. Blocks are not dealt out in turn, because a window's small sync
//! block and its large data block alternate: of two workers, one would get all the work.
//!
//! However long the file is, the blocks that were read and not handed on have at most so many bytes
//! together before they were compressed, or there is only one of them.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::block::{Block, BlockReader, Stop};
use super::data::Wanted;
use super::decode::{BlockDecoder, Decoded};

type Outcome = Result<Decoded, Stop>;

/// Where blocks wait to be decoded and to be handed on.
struct Room {
    /// How many bytes there may be at once.
    most: u64,
    /// How many there are; none once nobody wants any.
    taken: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Room {
    fn taken(&self) -> MutexGuard<'_, Option<u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room; false once nobody wants any more.
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

/// The place of a block's result, and how many bytes the block takes.
struct Place {
    result: Receiver<Outcome>,
    bytes: u64,
}

/// A block, and the place of its result.
struct Job {
    block: Block,
    result: SyncSender<Outcome>,
}

/// Decodes ahead of its consumer.
pub(crate) struct Ahead {
    /// The places of the blocks that were read, in file order.
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
                // A consumer that is gone misses nothing.
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
        // A worker that panicked holds no job that is not its own.
        let next = jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
        let Ok(Job { block, result }) = next else { return };
        // The consumer may be gone; the reader then notices, and the jobs end.
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
