//! Sync barriers posted to one queue, by the chain that posted them.

use std::collections::HashMap;

use trace::{BarrierId, Id, OpId};

use super::accumulator::{Accumulators, ListId, Prefix};
use super::nodes::NodeId;

struct Posted {
    position: u32,
    op: OpId,
    barrier: BarrierId,
}

/// The barriers one chain posted to one queue, by position.
#[derive(Default)]
pub(crate) struct ChainBarriers {
    posted: Vec<Posted>,
    /// How many of them have no removal to come.
    settled: usize,
    /// The removals of the settled ones.
    removals: ListId,
    /// How many removals the first k have.
    counts: Vec<usize>,
}

/// The barriers posted to one queue.
#[derive(Default)]
pub(crate) struct Barriers {
    pub(crate) chains: HashMap<u32, ChainBarriers>,
    /// The keys, in the order of their first posts.
    pub(crate) order: Vec<u32>,
}

impl Barriers {
    pub(crate) fn push(&mut self, chain: u32, position: u32, op: OpId, barrier: BarrierId) {
        let order = &mut self.order;
        let log = self.chains.entry(chain).or_insert_with(|| {
            order.push(chain);
            ChainBarriers::default()
        });
        log.posted.push(Posted { position, op, barrier });
    }
}

/// Where the removals of barriers stand.
pub(crate) struct Taken<'a> {
    pub(crate) lists: &'a mut Accumulators,
    /// When each barrier is taken away, in the order of the trace.
    pub(crate) removals: &'a [Vec<OpId>],
    /// The removals so far.
    pub(crate) node_of: &'a HashMap<OpId, NodeId>,
}

impl ChainBarriers {
    /// The removals, before `now`, of the barriers posted up to a position. With `settle`, which
    /// is for a `now` that never goes back, those of the first barriers are told together.
    pub(crate) fn removed(
        &mut self,
        with: &mut Taken<'_>,
        upto: u32,
        now: OpId,
        settle: bool,
    ) -> (Option<Prefix>, Vec<NodeId>) {
        let upto = self.posted.partition_point(|p| p.position <= upto);
        let all = with.removals;
        let of = |posted: &Posted| {
            let ops = &all[posted.barrier.index()];
            &ops[ops.partition_point(|&op| op < posted.op)..]
        };
        while let Some(next) = self.posted.get(self.settled).filter(|_| settle) {
            let ops = of(next);
            if ops.last().is_some_and(|&last| last >= now) {
                break;
            }
            for op in ops {
                with.lists.add(&mut self.removals, with.node_of[op]);
            }
            self.counts.push(with.lists.len(self.removals));
            self.settled += 1;
        }
        let settled = if settle { self.settled.min(upto) } else { 0 };
        let count = settled.checked_sub(1).map_or(0, |last| self.counts[last]);
        let rest = self.posted[settled..upto].iter().flat_map(of);
        let rest = rest.filter(|&&op| op < now).map(|op| with.node_of[op]).collect();
        (with.lists.prefix(self.removals, count), rest)
    }
}
