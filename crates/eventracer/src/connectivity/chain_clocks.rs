//! The default order: exact reachability over forward arcs, by clocks over chains.
//!
//! Chains come from walks along forward arcs, like the original's ([`super::paths`]): each is a
//! path, perhaps with ops left out that another chain has, so one entry a chain is exact. Ops are
//! then taken in order, each joining its predecessors' clocks.
//!
//! A clock does not mention its op's own chain, whose entry is the op's position by definition. An
//! op that only continues its predecessor's chain therefore has that predecessor's clock, and
//! clocks share their parts besides ([`super::rows`]). Time O(arcs × chains), in practice the
//! parts that differ; a query reads one entry.

use super::paths::{OpLists, cover_with_paths};
use super::rows::{RowBuilder, RowId, Rows};
use super::{Order, forward_predecessors};
use crate::graph::Graph;
use crate::ids::OpId;

/// Chains, positions and clocks of ops in trace order.
#[derive(Clone, Debug, Default)]
pub struct ChainClocks {
    /// The chain of each op, and its position there from 1; position 0 marks an op that is absent.
    place: Vec<(u32, u32)>,
    clock: Vec<RowId>,
    rows: Rows,
    chains: usize,
    predecessors: OpLists,
}

impl ChainClocks {
    /// The order of a graph's live ops by its forward arcs.
    pub fn of_graph(graph: &Graph) -> Self {
        let ops = (0..graph.len()).map(OpId::new);
        let predecessors = ops.map(|op| {
            let live = (!graph.is_deleted(op)).then(|| forward_predecessors(graph, op));
            live.into_iter().flatten()
        });
        Self::new(OpLists::new(predecessors), |op| !graph.is_deleted(op))
    }

    /// The order in which op i follows each of `predecessors[i]`, all smaller than i, and whatever
    /// these follow.
    pub fn of_predecessors<P: IntoIterator<Item = OpId>>(
        predecessors: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::new(OpLists::new(predecessors), |_| true)
    }

    /// The order of `ops` ops that `before` decides: a strict order in which only smaller ops come
    /// before larger ones. Asks about every pair.
    pub fn of_oracle(ops: usize, before: impl Fn(OpId, OpId) -> bool) -> Self {
        let before = &before;
        Self::of_predecessors(
            (0..ops).map(OpId::new).map(|op| {
                (0..op.index()).map(OpId::new).filter(move |&smaller| before(smaller, op))
            }),
        )
    }

    fn new(predecessors: OpLists, is_present: impl Fn(OpId) -> bool) -> Self {
        let (place, chains) = cover_with_paths(&predecessors, is_present);
        let mut this = Self { place, chains, predecessors, ..Self::default() };
        let mut rows = Rows::default();
        let mut clock = Vec::with_capacity(this.len());
        let mut builder = RowBuilder::default();
        for op in (0..this.len()).map(OpId::new) {
            this.start_clock(op, &clock, &mut rows, &mut builder);
            clock.push(builder.finish(&mut rows));
        }
        (this.rows, this.clock) = (rows, clock);
        this
    }

    /// Starts the clock of `op` with the clocks and places of its predecessors, without the op's
    /// own chain. The clocks may be those of any order that extends this one.
    pub(crate) fn start_clock(
        &self,
        op: OpId,
        clocks: &[RowId],
        rows: &mut Rows,
        builder: &mut RowBuilder,
    ) {
        let own_chain = self.place(op).0;
        let predecessors = self.predecessors(op);
        // The clock most likely to be this one's: that of the predecessor in the same chain.
        let continued = predecessors.iter().find(|op| self.place(**op).0 == own_chain);
        let base = continued.or(predecessors.first());
        builder.start(rows, base.map_or(RowId::ZERO, |op| clocks[op.index()]));
        for op in predecessors {
            debug_assert!(op.index() < clocks.len(), "predecessors come first");
            builder.join(rows, clocks[op.index()]);
            let (chain, position) = self.place(*op);
            if chain != own_chain {
                builder.raise(rows, chain, position);
            }
        }
    }

    /// The number of ops, absent ones included.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether there are no ops.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// The number of chains.
    pub fn chain_count(&self) -> usize {
        self.chains
    }

    /// The predecessors the order was built from.
    pub(crate) fn predecessors(&self, op: OpId) -> &[OpId] {
        self.predecessors.get(op)
    }

    /// The chain of an op, and its position there.
    pub(crate) fn place(&self, op: OpId) -> (u32, u32) {
        self.place[op.index()]
    }

    /// The clock of an op, without its own chain.
    pub(crate) fn clock(&self, op: OpId) -> RowId {
        self.clock[op.index()]
    }

    /// The rows the clocks stand in.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }
}

impl Order for ChainClocks {
    fn le(&self, a: OpId, b: OpId) -> bool {
        if a >= b {
            return a == b;
        }
        let (chain, position) = self.place[a.index()];
        let (own_chain, own_position) = self.place[b.index()];
        position != 0
            && own_position != 0
            && (chain == own_chain || self.rows.get(self.clock[b.index()], chain) >= position)
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.place[..])
            + size_of_val(&self.clock[..])
            + self.predecessors.bytes()
            + self.rows.bytes()
    }
}
