//! Vector clocks over a chain decomposition (paper §4.1.4), exactly as the original tool does it.
//!
//! A chain is found by walking from its first op along the first unassigned successor, or through
//! assigned ops along the first successor, to the end. Clocks are joined over predecessors whose
//! clocks exist already, so backward arcs are ignored there, but not in the walks. With backward
//! arcs a chain need not be a path, and the order then claims more than the graph contains. This
//! order reproduces the original; the sound one is `races::coverage::ChainClocks`.

use super::Order;
use crate::graph::Graph;
use crate::ids::OpId;

/// The original's chains and clocks of 16-bit entries.
#[derive(Debug)]
pub struct ChainDecomposition {
    /// The chain of each op, or [`UNASSIGNED`] for deleted ops.
    chain: Vec<u32>,
    /// Each op's entry for its own chain.
    own: Vec<u16>,
    width: usize,
    clocks: Vec<u16>,
}

const UNASSIGNED: u32 = u32::MAX;
/// The largest number of ops that one walk visits. It keeps entries within 16 bits, and ends walks
/// around a cycle.
const LONGEST_WALK: usize = 32_766;

impl ChainDecomposition {
    /// The order of a graph.
    pub fn new(graph: &Graph) -> Self {
        let (chain, width) = decompose(graph);
        let mut clocks = vec![0; width * graph.len()];
        let mut own = vec![0; graph.len()];
        for op in graph.live_ops() {
            let (before, clock) = clocks.split_at_mut(op.index() * width);
            let clock = &mut clock[..width];
            for predecessor in super::forward_predecessors(graph, op) {
                let at = predecessor.index() * width;
                for (entry, &other) in clock.iter_mut().zip(&before[at..at + width]) {
                    *entry = other.max(*entry);
                }
            }
            let entry = &mut clock[chain[op.index()] as usize];
            *entry += 1;
            own[op.index()] = *entry;
        }
        Self { chain, own, width, clocks }
    }

    /// The number of chains.
    pub fn chain_count(&self) -> usize {
        self.width
    }
}

/// The chain of each op, and the number of chains.
fn decompose(graph: &Graph) -> (Vec<u32>, usize) {
    let mut chain = vec![UNASSIGNED; graph.len()];
    let mut chains = 0;
    for start in graph.live_ops() {
        if chain[start.index()] != UNASSIGNED {
            continue;
        }
        let mut walk = Some(start);
        for _ in 0..LONGEST_WALK {
            let Some(op) = walk else { break };
            if chain[op.index()] == UNASSIGNED {
                chain[op.index()] = chains;
            }
            walk = graph
                .successors(op)
                .find(|successor| chain[successor.index()] == UNASSIGNED)
                .or_else(|| graph.successors(op).next());
        }
        chains += 1;
    }
    (chain, chains as usize)
}

impl Order for ChainDecomposition {
    fn le(&self, a: OpId, b: OpId) -> bool {
        if a >= b {
            return a == b;
        }
        let chain = self.chain[a.index()];
        chain != UNASSIGNED
            && self.own[a.index()] <= self.clocks[b.index() * self.width + chain as usize]
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.chain[..]) + size_of_val(&self.own[..]) + size_of_val(&self.clocks[..])
    }
}
