//! Ways to hold an order that grows in trace order.

use std::cell::RefCell;

use crate::skeleton::Node;

/// An order of nodes, made by opening, joining and closing one node after the other.
pub trait Relation: Default {
    /// Forgets everything.
    fn reset(&mut self);
    /// The next node, which nothing precedes yet.
    fn open(&mut self, node: Node);
    /// Makes `a`, and what precedes it, precede the open node `b`.
    fn join(&mut self, a: Node, b: Node);
    /// The node is done; it was joined with `predecessors`.
    fn close(&mut self, node: Node, predecessors: &[Node]);
    /// a ≺ b.
    fn before(&self, a: Node, b: Node) -> bool;
    /// On how many chains the nodes lie, where there are any.
    fn chains(&self) -> Option<usize> {
        None
    }
}

/// For each node a bit for every node before it: n²/16 bytes.
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

/// Nothing but the edges: O(edges) a query.
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

/// Which nodes a search has seen.
#[derive(Default)]
pub(crate) struct Marks {
    round: u32,
    seen: Vec<u32>,
    pub(crate) queue: Vec<Node>,
}

impl Marks {
    /// Forgets all, for a graph of `nodes` nodes.
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

    /// Marks a node; tells whether it was not.
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
