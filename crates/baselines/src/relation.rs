//! Representations of an order that grows in trace order.

use std::cell::RefCell;

use crate::skeleton::Node;

/// An order of nodes, made by opening, joining and closing one node after the other.
pub trait Relation: Default {
    /// Removes all nodes.
    fn reset(&mut self);
    /// Adds the next node, which no node precedes yet.
    fn open(&mut self, node: Node);
    /// Makes `a`, and all nodes that precede it, precede the open node `b`.
    fn join(&mut self, a: Node, b: Node);
    /// Closes a node, which was joined with `predecessors`.
    fn close(&mut self, node: Node, predecessors: &[Node]);
    /// Whether a ≺ b.
    fn before(&self, a: Node, b: Node) -> bool;
    /// The number of chains, if the representation has chains.
    fn chains(&self) -> Option<usize> {
        None
    }
}

/// A bit vector for each node, with a bit for every node before it. It takes n²/16 bytes.
#[derive(Default)]
pub struct BitVectors {
    rows: Vec<Vec<u64>>,
}

impl Relation for BitVectors {
    fn reset(&mut self) {
        self.rows.clear();
    }

    fn open(&mut self, node: Node) {
        self.rows.push(vec![0; node.index() / 64 + 1]);
    }

    fn join(&mut self, a: Node, b: Node) {
        let (before, from) = self.rows.split_at_mut(b.index());
        for (own, &other) in from[0].iter_mut().zip(&before[a.index()]) {
            *own |= other;
        }
        from[0][a.index() / 64] |= 1 << (a.index() % 64);
    }

    fn close(&mut self, _: Node, _: &[Node]) {}

    fn before(&self, a: Node, b: Node) -> bool {
        a < b && self.rows[b.index()][a.index() / 64] >> (a.index() % 64) & 1 == 1
    }
}

/// Only the edges. A query takes O(edges).
#[derive(Default)]
pub struct BreadthFirst {
    predecessors: Vec<Vec<Node>>,
    scratch: RefCell<Marks>,
}

impl Relation for BreadthFirst {
    fn reset(&mut self) {
        self.predecessors.clear();
    }

    fn open(&mut self, _: Node) {
        self.predecessors.push(Vec::new());
    }

    fn join(&mut self, a: Node, b: Node) {
        self.predecessors[b.index()].push(a);
    }

    fn close(&mut self, _: Node, _: &[Node]) {}

    fn before(&self, a: Node, b: Node) -> bool {
        reaches(&self.predecessors, &mut self.scratch.borrow_mut(), a, b)
    }
}

/// The nodes that a search has visited.
#[derive(Default)]
pub(crate) struct Marks {
    round: u32,
    seen: Vec<u32>,
    pub(crate) queue: Vec<Node>,
}

impl Marks {
    /// Clears all marks, for a graph of `nodes` nodes.
    pub(crate) fn clear(&mut self, nodes: usize) {
        if self.round == u32::MAX {
            self.seen.clear();
            self.round = 0;
        }
        self.round += 1;
        if self.seen.len() < nodes {
            self.seen.resize(nodes, 0);
        }
        self.queue.clear();
    }

    /// Marks a node. Returns whether it was not marked before.
    pub(crate) fn insert(&mut self, node: Node) -> bool {
        std::mem::replace(&mut self.seen[node.index()], self.round) != self.round
    }
}

/// Searches backwards from `b`, never past `a`.
pub(crate) fn reaches(predecessors: &[Vec<Node>], marks: &mut Marks, a: Node, b: Node) -> bool {
    if a >= b {
        return false;
    }
    marks.clear(predecessors.len());
    marks.queue.push(b);
    let mut next = 0;
    while let Some(&node) = marks.queue.get(next) {
        next += 1;
        for &predecessor in &predecessors[node.index()] {
            if predecessor == a {
                return true;
            }
            if predecessor > a && marks.insert(predecessor) {
                marks.queue.push(predecessor);
            }
        }
    }
    false
}
