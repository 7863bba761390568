//! An order of events that run one after the other, by vector clocks over chains.
//!
//! A node is an event; its arcs lead to later nodes. The order is reachability along arcs. Chains
//! come from walks along arcs, like those of EventRacer's chain decomposition ([`paths`]): each is a
//! path, perhaps with nodes left out that another chain has, so one entry a chain is exact. Nodes are
//! then taken in order, each joining its predecessors' clocks.
//!
//! A clock does not mention its node's own chain, whose entry is the node's position by definition. An
//! node that only continues its predecessor's chain therefore has that predecessor's clock, and
//! clocks share their parts besides ([`rows`]). Time O(arcs × chains), in practice the
//! parts that differ; a query reads one entry.

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
    /// The order in which node i follows each of `predecessors[i]`, all smaller than i, and whatever
    /// these follow.
    pub fn of_predecessors<P: IntoIterator<Item = NodeId>>(
        predecessors: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::new(NodeLists::new(predecessors))
    }

    /// The order of `nodes` nodes that `before` decides: a strict order in which only smaller nodes come
    /// before larger ones. Asks about every pair.
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
        // The clock most likely to be this one's: that of the predecessor in the same chain.
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

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// The number of chains.
    pub fn chain_count(&self) -> usize {
        self.chains
    }

    /// The predecessors the order was built from.
    pub(in crate::coverage) fn predecessors(&self, node: NodeId) -> &[NodeId] {
        self.predecessors.get(node)
    }

    /// The chain of a node, and its position there.
    pub(in crate::coverage) fn place(&self, node: NodeId) -> (u32, u32) {
        self.place[node.index()]
    }

    /// The clock of a node, without its own chain.
    pub(in crate::coverage) fn clock(&self, node: NodeId) -> RowId {
        self.clock[node.index()]
    }

    /// The rows the clocks stand in.
    pub(in crate::coverage) fn rows(&self) -> &Rows {
        &self.rows
    }
}

impl ChainClocks {
    /// Whether `a` is `b` or happens before it.
    pub fn le(&self, a: NodeId, b: NodeId) -> bool {
        if a >= b {
            return a == b;
        }
        let (chain, position) = self.place[a.index()];
        let own_chain = self.place[b.index()].0;
        chain == own_chain || self.rows.get(self.clock[b.index()], chain) >= position
    }

    /// The memory the order holds, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.place[..])
            + size_of_val(&self.clock[..])
            + self.predecessors.bytes()
            + self.rows.bytes()
    }
}
