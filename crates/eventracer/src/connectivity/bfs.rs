//! Breadth-first search (paper §4.1.1): O(arcs) time for each query, and no memory besides the
//! graph.

use std::cell::RefCell;

use super::{Order, forward_predecessors};
use crate::graph::{Graph, Marks};
use crate::ids::OpId;

/// Reachability by searching backwards from the later op, never past the earlier one.
#[derive(Debug)]
pub struct BreadthFirst {
    predecessors: Vec<Vec<OpId>>,
    scratch: RefCell<(Marks, Vec<OpId>)>,
}

impl BreadthFirst {
    /// The order of a graph.
    pub fn new(graph: &Graph) -> Self {
        let mut predecessors = vec![Vec::new(); graph.len()];
        for op in graph.live_ops() {
            predecessors[op.index()].extend(forward_predecessors(graph, op));
        }
        Self { predecessors, scratch: RefCell::new((Marks::new(graph.len()), Vec::new())) }
    }
}

impl Order for BreadthFirst {
    fn le(&self, a: OpId, b: OpId) -> bool {
        if a >= b {
            return a == b;
        }
        let (seen, queue) = &mut *self.scratch.borrow_mut();
        seen.clear();
        queue.clear();
        queue.push(b);
        let mut next = 0;
        while let Some(&op) = queue.get(next) {
            next += 1;
            for &predecessor in &self.predecessors[op.index()] {
                if predecessor == a {
                    return true;
                }
                if predecessor > a && seen.insert(predecessor) {
                    queue.push(predecessor);
                }
            }
        }
        false
    }

    fn bytes(&self) -> usize {
        self.predecessors.iter().map(|list| size_of_val(list) + size_of_val(&list[..])).sum()
    }
}
