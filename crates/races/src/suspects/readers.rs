//! The reads of locations since their last write, except those that a later read is known to
//! follow.
//!
//! A read is added without comparing it with the others. When a list has three times as many reads
//! as the last tidying left, the reads that later ones follow are dropped. Each chain keeps only
//! its latest read: whatever follows it follows the earlier reads of the chain.
//!
//! A run of accesses reads many such locations, whose lists are scattered in memory. Reads
//! therefore wait in a buffer for each block of lists and are added block by block, so that memory
//! accesses are close together.

use order::{Node, View};

/// A task that read the location, with the [`Node::position`] of its last read.
type Read = (u32, u32);

/// The readers of one location.
#[derive(Default)]
struct Readers {
    reads: Vec<Read>,
    /// The length at which the list is tidied.
    limit: u32,
}

/// The readers of all locations that several tasks read.
#[derive(Default)]
pub(super) struct ReaderLists {
    lists: Vec<Readers>,
    /// The numbers of unused lists.
    free: Vec<u32>,
    /// The reads that are not yet added, by block.
    waiting: Vec<Vec<(u32, Read)>>,
}

const LEAST: u32 = 4;

/// The number of lists in a block, and of reads that wait for one.
const BLOCK: usize = 256;
const WAITING: usize = 1024;

impl ReaderLists {
    /// Starts a list with two reads, and returns its number.
    pub(super) fn start(&mut self, a: Read, b: Read) -> u32 {
        let list = self.free.pop().unwrap_or_else(|| {
            self.lists.push(Readers::default());
            if self.lists.len() > BLOCK * self.waiting.len() {
                self.waiting.push(Vec::new());
            }
            self.lists.len() as u32 - 1
        });
        self.lists[list as usize] = Readers { reads: vec![a, b], limit: LEAST };
        list
    }

    /// Adds a read.
    #[inline]
    pub(super) fn add(&mut self, list: u32, read: Read, view: &impl View) {
        let block = list as usize / BLOCK;
        let waiting = &mut self.waiting[block];
        waiting.push((list, read));
        if waiting.len() >= WAITING {
            self.settle(block, view);
        }
    }

    /// Returns the readers of a list, which becomes unused.
    pub(super) fn take(&mut self, list: u32, view: &impl View) -> Vec<Read> {
        self.settle(list as usize / BLOCK, view);
        self.free.push(list);
        std::mem::take(&mut self.lists[list as usize].reads)
    }

    fn settle(&mut self, block: usize, view: &impl View) {
        for (list, read) in self.waiting[block].drain(..) {
            self.lists[list as usize].add(read, view);
        }
    }
}

impl Readers {
    fn add(&mut self, read: Read, view: &impl View) {
        if let Some(last) = self.reads.last_mut()
            && last.0 == read.0
        {
            *last = read;
            return;
        }
        self.reads.push(read);
        if self.reads.len() as u32 > self.limit {
            self.tidy(view, read);
        }
    }

    /// Drops the reads that `latest` follows, and all but the latest read of every chain. A read
    /// that nothing outside its task follows counts as a chain of its own.
    fn tidy(&mut self, view: &impl View, latest: Read) {
        let now = view.moment_of(latest.0, latest.1);
        self.reads.retain(|&(task, next)| {
            let follows = |now| view.covers(now, Node::above_floors(task, next));
            task == latest.0 || !now.as_ref().is_some_and(follows)
        });
        let place = |(task, next): Read| match next {
            u32::MAX => (u32::MAX, task),
            _ => (view.chain(task), next),
        };
        self.reads.sort_unstable_by_key(|&read| std::cmp::Reverse(place(read)));
        self.reads.dedup_by_key(|&mut read| match place(read) {
            lone @ (u32::MAX, _) => lone,
            (chain, _) => (chain, 0),
        });
        self.limit = LEAST.max(3 * self.reads.len() as u32);
    }
}
