//! Sync barriers posted to one queue, by the chain that posted them.

use std::collections::HashMap;

use trace::{BarrierId, Id, OpId};

use super::accumulator::{Accumulators, ListId, Prefix};
use super::nodes::NodeId;
use crate::engine::graph::clock::ChainSet;

struct Posted {
    position: u32,
    op: OpId,
    barrier: BarrierId,
}

/// The barriers one chain posted to one queue, by position.
#[derive(Default)]
pub(crate) struct ChainBarriers {
    posted: Vec<Posted>,
    /// How many of the first barriers have no removal that is still to come.
    settled: usize,
    /// The removals of the settled barriers.
    removals: ListId,
    /// How many removals the first k barriers have, for each k.
    counts: Vec<usize>,
}

/// The barriers posted to one queue, by chain.
#[derive(Default)]
pub(crate) struct Barriers {
    of_chain: HashMap<u32, ChainBarriers>,
    /// The chains that posted barriers.
    pub(crate) chains: ChainSet,
}

impl Barriers {
    pub(crate) fn push(&mut self, chain: u32, position: u32, op: OpId, barrier: BarrierId) {
        self.chains.insert(chain);
        self.of_chain.entry(chain).or_default().posted.push(Posted { position, op, barrier });
    }

    /// Returns the barriers that a chain posted.
    pub(crate) fn of_chain(&mut self, chain: u32) -> Option<&mut ChainBarriers> {
        self.chains.contains(chain).then(|| self.of_chain.get_mut(&chain)).flatten()
    }
}

/// The removals of all barriers, and the nodes of those that the sweep has passed.
pub(crate) struct RemovalsSoFar<'a> {
    pub(crate) lists: &'a mut Accumulators,
    /// The removals of each barrier, in the order of the trace.
    pub(crate) removals: &'a [Vec<OpId>],
    /// The nodes of the removals that the sweep has passed.
    pub(crate) node_of: &'a HashMap<OpId, NodeId>,
}

/// The removals that a message had to wait for.
#[derive(Default)]
pub(crate) struct Removed {
    /// Prefixes of lists of removals, each for the barriers of one chain.
    pub(crate) prefixes: Vec<Prefix>,
    pub(crate) nodes: Vec<NodeId>,
    /// Whether some barrier is removed only later.
    pub(crate) irregular: bool,
}

/// How many barriers are tested one by one, because most are known.
const FEW: usize = 4;

impl ChainBarriers {
    /// Adds the removals, before `now`, of the barriers posted at positions above one and up to
    /// another. With `settle`, which is for a `now` that never goes back, the removals of the first
    /// barriers are added as one prefix.
    pub(crate) fn removed(
        &mut self,
        with: &mut RemovalsSoFar<'_>,
        (above, upto): (u32, u32),
        (now, settle): (OpId, bool),
        out: &mut Removed,
    ) {
        let mut from = self.posted.partition_point(|p| p.position <= above);
        let upto = self.posted.partition_point(|p| p.position <= upto);
        if from == upto {
            return;
        }
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
        if settled > from + FEW {
            out.prefixes.extend(with.lists.prefix(self.removals, self.counts[settled - 1]));
            from = settled;
        }
        for &op in self.posted[from..upto].iter().flat_map(of) {
            if op < now {
                out.nodes.push(with.node_of[&op]);
            } else {
                out.irregular = true;
            }
        }
    }
}
