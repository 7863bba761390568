//! The reads of locations since their last write that no later one follows, as far as it matters.
//!
//! Reads are added without a look at the others; those that later ones follow are dropped when there
//! are three times as many as were left the last time. A chain keeps one, the latest: whoever follows
//! it follows what stood before it on the chain.
//!
//! A run of accesses reads many such locations, each of which has a list elsewhere in memory. So reads
//! wait in a buffer for a block of lists, and are added by the block: what was far apart is then near.

use order::{Node, View};

/// A task that read, with [`Node::position`] of its last read.
type Read = (u32, u32);

/// The readers of one location.
#[derive(Default)]
struct Readers {
    reads: Vec<Read>,
    /// Tidied up at this length.
    limit: u32,
}

/// The readers of all locations that several tasks read.
#[derive(Default)]
pub(super) struct ReaderLists {
    lists: Vec<Readers>,
    /// Lists that are no longer used.
    free: Vec<u32>,
    /// What is still to be added, by block.
    waiting: Vec<Vec<(u32, Read)>>,
}

const LEAST: u32 = 4;

/// So many lists are a block, and so many reads wait for one.
const BLOCK: usize = 256;
const WAITING: usize = 1024;

impl ReaderLists {
    /// A list of two, and where it is.
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

    /// Takes the readers from a list, which is not used any more.
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

    /// Drops what `latest` follows, and all but the latest of every chain. What nothing outside its
    /// task follows is not part of a chain in this.
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
