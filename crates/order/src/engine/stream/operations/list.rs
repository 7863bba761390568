//! Everything that happened so far of one kind: forks of a thread, notifications of a handle, ends of
//! the events of a thread.

use super::OperationStream;
use super::held::Held;
use crate::engine::graph::Clock;

/// A growing set of nodes that later operations follow all at once. The nodes are joined on demand,
/// because most lists are never followed; until then, each chain keeps its last node only.
#[derive(Default)]
pub(super) struct List {
    /// The joined clocks of the nodes added before those in `new`.
    joined: Option<Held>,
    new: Vec<Held>,
    /// The length of `new` at which it is tidied.
    limit: u32,
}

const LEAST: usize = 8;

impl List {
    pub(super) fn add(&mut self, node: Held) {
        self.new.push(node);
        if self.new.len() > LEAST.max(self.limit as usize) {
            self.tidy();
        }
    }

    /// Keeps the last node of each chain.
    fn tidy(&mut self) {
        self.new.sort_by_key(|node| (node.chain, std::cmp::Reverse(node.position)));
        self.new.dedup_by_key(|node| node.chain);
        self.limit = 2 * self.new.len() as u32;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.joined.is_none() && self.new.is_empty()
    }

    pub(super) fn visit(&mut self, each: &mut impl FnMut(&mut Held)) {
        self.joined.iter_mut().chain(&mut self.new).for_each(each);
    }

    /// Forgets the nodes up to operation `floor`, which everything later follows anyway. Returns whether
    /// any are left.
    pub(super) fn forget(&mut self, floor: u64) -> bool {
        self.new.retain(|node| node.number > floor);
        self.joined = self.joined.filter(|joined| joined.number > floor);
        !self.is_empty()
    }
}

impl OperationStream {
    /// Joins all nodes of a list to a clock.
    pub(super) fn take_list(&mut self, clock: Clock, list: &mut List) -> Clock {
        if list.is_empty() {
            return clock;
        }
        let mut joined = match list.joined {
            Some(joined) => self.fresh(joined),
            None => self.joined(Clock::EMPTY),
        };
        if !list.new.is_empty() {
            for node in std::mem::take(&mut list.new) {
                let node = self.fresh(node);
                joined.clock = self.join(joined.clock, 0, node);
            }
            list.limit = 0;
            joined.number = self.number;
        }
        list.joined = Some(joined);
        self.clocks.join(clock, joined.clock)
    }
}
