//! Decodes blocks on several threads and hands them on in file order.
//!
//! One thread reads, each worker decodes every n-th block, and the results are collected in the
//! same turn. The channels are bounded: as many blocks are in memory as there are places, however
//! long the file is.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::block::{Block, BlockReader, Stop};
use super::decode::{Decoded, decode};
use super::payload::Unpacker;

/// Blocks waiting before and after each worker.
const PLACES: usize = 2;

/// Decodes ahead of its consumer.
pub(crate) struct Ahead {
    results: Vec<Receiver<Result<Decoded, Stop>>>,
    turn: usize,
}

impl Ahead {
    /// Decodes `blocks` on `workers` threads, besides one that reads.
    pub(crate) fn new<R>(blocks: BlockReader<R>, workers: usize) -> io::Result<Self>
    where
        R: Read + Send + 'static,
    {
        let mut jobs = Vec::new();
        let mut results = Vec::new();
        for _ in 0..workers.max(1) {
            let (to_worker, from_reader) = sync_channel(PLACES);
            let (to_consumer, from_worker) = sync_channel(PLACES);
            let unpacker = Unpacker::new()?;
            thread::Builder::new()
                .name("decode".to_owned())
                .spawn(move || work(unpacker, &from_reader, &to_consumer))?;
            jobs.push(to_worker);
            results.push(from_worker);
        }
        thread::Builder::new().name("read".to_owned()).spawn(move || deal(blocks, &jobs))?;
        Ok(Self { results, turn: 0 })
    }
}

/// Deals blocks out in turn until the input ends or the consumer is gone.
fn deal<R: Read>(blocks: BlockReader<R>, jobs: &[SyncSender<Result<Block, Stop>>]) {
    for (block, worker) in blocks.zip(jobs.iter().cycle()) {
        let last = block.is_err();
        if worker.send(block).is_err() || last {
            return;
        }
    }
}

fn work(
    mut unpacker: Unpacker,
    jobs: &Receiver<Result<Block, Stop>>,
    results: &SyncSender<Result<Decoded, Stop>>,
) {
    for block in jobs {
        if results.send(block.and_then(|block| decode(&mut unpacker, block))).is_err() {
            return;
        }
    }
}

impl Iterator for Ahead {
    type Item = Result<Decoded, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.results[self.turn].recv().ok()?;
        self.turn = (self.turn + 1) % self.results.len();
        Some(result)
    }
}
