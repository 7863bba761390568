//! Plain vector clocks, an entry a chain, and chains made on the way (EventRacer Android, §6.4).
//!
//! A node joins the chain of a predecessor that is the last of its chain, or starts one. A clock is as
//! long as the last chain it knows of; nothing is shared: O(nodes · chains) memory, O(1) a query.

use crate::relation::Relation;
use crate::skeleton::Node;

/// Clocks of nodes in trace order.
#[derive(Default)]
pub struct Clocks {
    rows: Vec<Vec<u32>>,
    /// The chain of each node, and its position there from 1.
    place: Vec<(u32, u32)>,
    last: Vec<Node>,
}

impl Clocks {
    /// Joins the clock of `a` into that of `b`; tells whether that was news.
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
