//! Plain vector clocks with an entry for each chain. Chains are made on the way (EventRacer
//! Android, §6.4).
//!
//! A node joins the chain of a predecessor that is the last of its chain, or starts a new chain. A
//! clock is as long as its last chain, and clocks share no memory: they take O(nodes · chains)
//! memory, and a query takes O(1).

use crate::relation::Relation;
use crate::skeleton::Node;

/// The clocks of nodes, in trace order.
#[derive(Default)]
pub struct Clocks {
    rows: Vec<Vec<u32>>,
    /// The chain of each node, and the node's position in it, from 1.
    place: Vec<(u32, u32)>,
    last: Vec<Node>,
}

impl Clocks {
    /// Joins the clock of `a` into that of `b`. Returns whether the clock of `b` changed.
    pub(crate) fn raise(&mut self, a: Node, b: Node) -> bool {
        let (before, from) = self.rows.split_at_mut(b.index());
        let (other, own) = (&before[a.index()], &mut from[0]);
        let mut news = own.len() < other.len();
        own.resize(own.len().max(other.len()), 0);
        for (own, &other) in own.iter_mut().zip(other) {
            news |= *own < other;
            *own = other.max(*own);
        }
        news
    }
}

impl Relation for Clocks {
    fn reset(&mut self) {
        *self = Self::default();
    }

    fn open(&mut self, node: Node) {
        debug_assert_eq!(self.rows.len(), node.index(), "nodes come in trace order");
        self.rows.push(Vec::new());
    }

    fn join(&mut self, a: Node, b: Node) {
        self.raise(a, b);
    }

    fn close(&mut self, node: Node, predecessors: &[Node]) {
        let place = |p: &Node| self.place[p.index()];
        let ends_chain = |p: &&Node| self.last[place(p).0 as usize] == **p;
        let (chain, position) = match predecessors.iter().find(ends_chain) {
            Some(p) => (place(p).0, place(p).1 + 1),
            None => (self.last.len() as u32, 1),
        };
        if chain as usize == self.last.len() {
            self.last.push(node);
        }
        self.last[chain as usize] = node;
        self.place.push((chain, position));
        let row = &mut self.rows[node.index()];
        row.resize(row.len().max(chain as usize + 1), 0);
        row[chain as usize] = position;
        row.shrink_to_fit();
    }

    fn before(&self, a: Node, b: Node) -> bool {
        if a >= b {
            return false;
        }
        let (chain, position) = self.place[a.index()];
        self.rows[b.index()].get(chain as usize).is_some_and(|&entry| entry >= position)
    }

    fn chains(&self) -> Option<usize> {
        Some(self.last.len())
    }
}
