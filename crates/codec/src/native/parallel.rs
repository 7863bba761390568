//! Decodes blocks on several threads and hands them on in file order.
//!
//! One thread reads; whichever worker is free decodes the next block. Each block has a place of
//! its own for its result, and the places are emptied in the order they were made: the order of
//! the file, whoever was first. Blocks are not dealt out in turn, because a window's small sync
//! block and its large data block alternate: of two workers, one would get all the work.
//!
//! The channels are bounded: as many blocks are in memory as there are places, however long the
//! file is.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use super::block::{Block, BlockReader, Stop};
use super::data::Wanted;
use super::decode::{BlockDecoder, Decoded};

/// Blocks in memory for each worker: one in work, and some read ahead or waiting for their turn.
const PLACES: usize = 4;

type Outcome = Result<Decoded, Stop>;

/// A block, and the place of its result.
struct Job {
    block: Block,
    result: SyncSender<Outcome>,
}

/// Decodes ahead of its consumer.
pub(crate) struct Ahead {
    /// The places of the blocks that were read, in file order.
    places: Receiver<Receiver<Outcome>>,
}

impl Ahead {
    /// Decodes `blocks` on `workers` threads, besides one that reads.
    pub(crate) fn new<R>(
        blocks: BlockReader<R>,
        workers: usize,
        wanted: &Wanted,
    ) -> io::Result<Self>
    where
        R: Read + Send + 'static,
    {
        let workers = workers.max(1);
        let (place, places) = sync_channel(PLACES * workers);
        let (job, jobs) = sync_channel(PLACES * workers);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..workers {
            let (jobs, decoder) = (Arc::clone(&jobs), BlockDecoder::new(wanted.clone())?);
            thread::Builder::new().name("decode".to_owned()).spawn(move || work(decoder, &jobs))?;
        }
        thread::Builder::new().name("read".to_owned()).spawn(move || read(blocks, &job, &place))?;
        Ok(Self { places })
    }
}

/// Reads until the input ends or the consumer is gone.
fn read<R: Read>(
    blocks: BlockReader<R>,
    jobs: &SyncSender<Job>,
    places: &SyncSender<Receiver<Outcome>>,
) {
    for block in blocks {
        let (result, place) = sync_channel(1);
        if places.send(place).is_err() {
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
        self.places.recv().ok()?.recv().ok()
    }
}
