//! A happens-before order of events that run one after the other, by vector clocks over chains.
//!
//! A node is an event, and its arcs lead to later nodes. The order is reachability along arcs.
//! Chains come from walks along arcs, like those of EventRacer's chain decomposition ([`paths`]).
//! Each chain is a path from which nodes may be missing that belong to another chain, so one clock
//! entry for each chain is exact. Nodes are processed in order, and each joins its predecessors'
//! clocks.
//!
//! A clock has no entry for its node's own chain, where the entry would be the node's position. A
//! node that only continues its predecessor's chain therefore has the clock of that predecessor,
//! and other clocks share their equal parts ([`rows`]). Building takes O(arcs × chains) time at
//! worst, and in practice time proportional to the parts that differ. A query reads one entry.

mod paths;
mod rows;

use paths::{NodeLists, cover_with_paths};
pub(super) use rows::{RowBuilder, RowId, Rows};

use super::NodeId;

/// Chains, positions and clocks of nodes in trace order.
#[derive(Clone, Debug, Default)]
pub struct ChainClocks {
    /// The chain of each node, and its position there from 1.
    place: Vec<(u32, u32)>,
    clock: Vec<RowId>,
    rows: Rows,
    chains: usize,
    predecessors: NodeLists,
}

impl ChainClocks {
    /// Returns the order in which node i follows each of `predecessors[i]`, all smaller than i, and
    /// the predecessors of these in turn.
    pub fn of_predecessors<P: IntoIterator<Item = NodeId>>(
        predecessors: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::new(NodeLists::new(predecessors))
    }

    /// Returns the order of `nodes` nodes that `before` defines. It must be a strict order in which
    /// only smaller nodes precede larger ones. Calls `before` for every pair.
    pub fn of_oracle(nodes: usize, before: impl Fn(NodeId, NodeId) -> bool) -> Self {
        let before = &before;
        Self::of_predecessors((0..nodes).map(NodeId::new).map(|node| {
            (0..node.index()).map(NodeId::new).filter(move |&smaller| before(smaller, node))
        }))
    }

    fn new(predecessors: NodeLists) -> Self {
        let (place, chains) = cover_with_paths(&predecessors);
        let mut this = Self { place, chains, predecessors, ..Self::default() };
        let mut rows = Rows::default();
        let mut clock = Vec::with_capacity(this.len());
        let mut builder = RowBuilder::default();
        for node in (0..this.len()).map(NodeId::new) {
            this.start_clock(node, &clock, &mut rows, &mut builder);
            clock.push(builder.finish(&mut rows));
        }
        (this.rows, this.clock) = (rows, clock);
        this
    }

    /// Starts the clock of `node` with the clocks and places of its predecessors, without the node's
    /// own chain. The clocks may be those of any order that extends this one.
    pub(in crate::coverage) fn start_clock(
        &self,
        node: NodeId,
        clocks: &[RowId],
        rows: &mut Rows,
        builder: &mut RowBuilder,
    ) {
        let own_chain = self.place(node).0;
        let predecessors = self.predecessors(node);
        // The predecessor in the same chain most likely has the same clock.
        let continued = predecessors.iter().find(|node| self.place(**node).0 == own_chain);
        let base = continued.or(predecessors.first());
        builder.start(rows, base.map_or(RowId::ZERO, |node| clocks[node.index()]));
        for node in predecessors {
            debug_assert!(node.index() < clocks.len(), "predecessors come first");
            builder.join(rows, clocks[node.index()]);
            let (chain, position) = self.place(*node);
            if chain != own_chain {
                builder.raise(rows, chain, position);
            }
        }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// Returns the number of chains.
    pub fn chain_count(&self) -> usize {
        self.chains
    }

    /// Returns the predecessors of a node from which the order was built.
    pub(in crate::coverage) fn predecessors(&self, node: NodeId) -> &[NodeId] {
        self.predecessors.get(node)
    }

    /// Returns the chain of a node and the node's position in it.
    pub(in crate::coverage) fn place(&self, node: NodeId) -> (u32, u32) {
        self.place[node.index()]
    }

    /// Returns the clock of a node, which has no entry for the node's own chain.
    pub(in crate::coverage) fn clock(&self, node: NodeId) -> RowId {
        self.clock[node.index()]
    }

    /// Returns the rows that store the clocks.
    pub(in crate::coverage) fn rows(&self) -> &Rows {
        &self.rows
    }
}

impl ChainClocks {
    /// Returns whether `a` equals `b` or happens before it.
    pub fn le(&self, a: NodeId, b: NodeId) -> bool {
        if a >= b {
            return a == b;
        }
        let (chain, position) = self.place[a.index()];
        let own_chain = self.place[b.index()].0;
        chain == own_chain || self.rows.get(self.clock[b.index()], chain) >= position
    }

    /// Returns the memory that the order takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.place[..])
            + size_of_val(&self.clock[..])
            + self.predecessors.bytes()
            + self.rows.bytes()
    }
}
