//! Plain vector clocks (paper §4.1.2): for each op one integer for each op, and O(1) time for each
//! query.

use super::{Order, forward_predecessors};
use crate::graph::Graph;
use crate::ids::OpId;

/// The matrix of clocks, with a row for each op. Takes 4·n² bytes.
#[derive(Debug)]
pub struct VectorClocks {
    width: usize,
    clocks: Vec<u32>,
}

impl VectorClocks {
    /// The order of a graph.
    pub fn new(graph: &Graph) -> Self {
        let width = graph.len();
        let mut clocks = vec![0; width * width];
        for op in graph.live_ops() {
            let (before, own) = clocks.split_at_mut(op.index() * width);
            for predecessor in forward_predecessors(graph, op) {
                let at = predecessor.index() * width;
                join(&mut own[..width], &before[at..at + width]);
            }
            own[op.index()] += 1;
        }
        Self { width, clocks }
    }

    fn entry(&self, op: OpId, slot: OpId) -> u32 {
        self.clocks[op.index() * self.width + slot.index()]
    }
}

fn join(own: &mut [u32], other: &[u32]) {
    for (own, &other) in own.iter_mut().zip(other) {
        *own = other.max(*own);
    }
}

impl Order for VectorClocks {
    fn le(&self, a: OpId, b: OpId) -> bool {
        a == b || (a < b && self.entry(a, a) != 0 && self.entry(a, a) <= self.entry(b, a))
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.clocks[..])
    }
}
