//! Chains: sequences of tasks, each of which ends before the next begins in happens-before.
//!
//! A task that begins continues a chain whose last node it follows: that of something it follows
//! directly, of a task that ended lately, or one of a few others. Below the floor of a window
//! everything happens before everything above it, so a chain that ends there can be continued by any
//! task. Chains are numbered in blocks, one for each *region*, a queue or all threads: their tasks
//! know much of each other, so their clocks share those blocks.

use std::collections::VecDeque;

use crate::engine::graph::{Clock, Clocks};

/// The chain that holds the floor of a window in every clock. No task lies on it.
pub(super) const FLOOR: u32 = 0;

/// The chain of accesses that belong to no task. No clock knows it.
pub(super) const NOWHERE: u32 = u32::MAX;

const BLOCK: usize = 16;
const LATEST_TRIED: usize = 8;
const OTHERS_TRIED: usize = 8;

#[derive(Clone, Copy, Default)]
struct Chain {
    /// The position of the last node.
    last: u32,
    /// Whether a task lies on the chain that is not over.
    busy: bool,
    region: u32,
    /// How many events had begun at the last node of the last task, once it is over.
    epoch: u32,
}

#[derive(Default)]
struct Region {
    /// Chains that became free lately, the latest last.
    free: VecDeque<u32>,
    used: Vec<u32>,
    hand: usize,
    next: Option<u32>,
}

/// All chains.
pub(super) struct Chains {
    all: Vec<Chain>,
    regions: Vec<Region>,
    /// How many chains have nodes.
    pub(super) used: usize,
}

impl Chains {
    pub(super) fn new() -> Self {
        let mut all = vec![Chain::default(); BLOCK];
        all[FLOOR as usize].busy = true;
        Self { all, regions: Vec::new(), used: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Chain>()
    }

    /// The position of the last node of a chain.
    pub(super) fn last(&self, chain: u32) -> u32 {
        self.all[chain as usize].last
    }

    /// Adds a node to a chain, and returns its position.
    #[inline]
    pub(super) fn push(&mut self, chain: u32) -> u32 {
        let chain = &mut self.all[chain as usize];
        chain.last += 1;
        chain.last
    }

    /// Ends the task of a chain, when so many events had begun.
    pub(super) fn free(&mut self, chain: u32, epoch: u32) {
        let row = &mut self.all[chain as usize];
        (row.busy, row.epoch) = (false, epoch);
        let free = &mut self.regions[row.region as usize].free;
        free.push_back(chain);
        if free.len() > 4 * LATEST_TRIED {
            free.pop_front();
        }
    }

    /// Chooses the chain of a task that begins knowing `clock`, after tasks on the chains `after`.
    /// Everything that happened while fewer than `floor` events had begun happens before it.
    pub(super) fn choose(
        &mut self,
        clocks: &Clocks,
        region: usize,
        clock: Clock,
        (after, floor): (&[u32], u32),
    ) -> u32 {
        if self.regions.len() <= region {
            self.regions.resize_with(region + 1, Region::default);
        }
        let may_follow = |&chain: &u32| {
            let row = &self.all[chain as usize];
            !row.busy
                && row.region as usize == region
                && (row.epoch < floor || clocks.get(clock, chain) >= row.last)
        };
        let Region { free, used, hand, .. } = &self.regions[region];
        let latest = free.iter().rev().take(LATEST_TRIED);
        let others = used[*hand..].iter().chain(&used[..*hand]).take(OTHERS_TRIED);
        let mut tried = 0;
        let found = after
            .iter()
            .chain(latest)
            .find(|&chain| may_follow(chain))
            .or_else(|| others.inspect(|_| tried += 1).find(|&chain| may_follow(chain)))
            .copied();
        let length = used.len().max(1);
        self.regions[region].hand = (hand + tried) % length;
        let chain = found.unwrap_or_else(|| self.new_chain(region));
        self.all[chain as usize].busy = true;
        chain
    }

    fn new_chain(&mut self, region: usize) -> u32 {
        self.used += 1;
        let Region { next, used, .. } = &mut self.regions[region];
        let chain = next.unwrap_or_else(|| {
            let chain = Chain { region: region as u32, ..Chain::default() };
            self.all.resize(self.all.len() + BLOCK, chain);
            (self.all.len() - BLOCK) as u32
        });
        used.push(chain);
        *next = Some(chain + 1).filter(|&next| !(next as usize).is_multiple_of(BLOCK));
        chain
    }
}
