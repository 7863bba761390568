//! Vector clocks as bit vectors (paper §4.1.3): for each op one bit for each op, and O(1) time for
//! each query.

use super::{Order, forward_predecessors};
use crate::graph::Graph;
use crate::ids::OpId;

/// For each op, the set of ops at or before it. Takes n²/8 bytes.
#[derive(Debug)]
pub struct BitVectors {
    words: usize,
    bits: Vec<u64>,
}

impl BitVectors {
    /// The order of a graph.
    pub fn new(graph: &Graph) -> Self {
        let words = graph.len().div_ceil(64);
        let mut bits = vec![0_u64; words * graph.len()];
        for op in graph.live_ops() {
            let (before, own) = bits.split_at_mut(op.index() * words);
            for predecessor in forward_predecessors(graph, op) {
                let at = predecessor.index() * words;
                for (own, &other) in own.iter_mut().zip(&before[at..at + words]) {
                    *own |= other;
                }
            }
            own[op.index() / 64] |= 1 << (op.index() % 64);
        }
        Self { words, bits }
    }
}

impl Order for BitVectors {
    fn le(&self, a: OpId, b: OpId) -> bool {
        let word = || self.bits[b.index() * self.words + a.index() / 64];
        a == b || (a < b && word() >> (a.index() % 64) & 1 == 1)
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.bits[..])
    }
}
