//! The default order: exact reachability over forward arcs, by clocks over chains.
//!
//! Ops are taken in order. Each joins its predecessors' clocks and extends a chain whose last op
//! happens before it, a predecessor's if possible, any other the clock knows to be at its end
//! otherwise; failing that it starts a new chain. So chains are paths in the order by construction,
//! and there are never more than the ops unordered with each other force upon a first-fit choice.
//!
//! A clock does not mention its op's own chain, whose entry is the op's position by definition. An
//! op that only continues its predecessor's chain therefore has that predecessor's clock, and
//! clocks share their parts besides ([`super::rows`]). Time O(arcs × chains), in practice the
//! parts that differ; a query reads one entry.

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
    /// The last position of each chain.
    lengths: Vec<u32>,
    predecessors: Vec<OpId>,
    /// Where each op's predecessors end.
    ends: Vec<u32>,
}

impl ChainClocks {
    /// The order of a graph's live ops by its forward arcs.
    pub fn of_graph(graph: &Graph) -> Self {
        let mut clocks = Self::default();
        let mut builder = RowBuilder::default();
        for op in (0..graph.len()).map(OpId::new) {
            if graph.is_deleted(op) {
                clocks.push_absent();
            } else {
                clocks.push_op(forward_predecessors(graph, op), &mut builder);
            }
        }
        clocks
    }

    /// The order in which op i follows each of `predecessors[i]`, all smaller than i, and whatever
    /// these follow.
    pub fn of_predecessors<P: IntoIterator<Item = OpId>>(
        predecessors: impl IntoIterator<Item = P>,
    ) -> Self {
        let mut clocks = Self::default();
        let mut builder = RowBuilder::default();
        for list in predecessors {
            clocks.push_op(list, &mut builder);
        }
        clocks
    }

    /// The order of `ops` ops that `before` decides: a strict order in which only smaller ops come
    /// before larger ones. Asks about every pair.
    pub fn of_oracle(ops: usize, before: impl Fn(OpId, OpId) -> bool) -> Self {
        let before = &before;
        Self::of_predecessors((0..ops).map(OpId::new).map(|op| {
            (0..op.index()).map(OpId::new).filter(move |&smaller| before(smaller, op))
        }))
    }

    fn push_absent(&mut self) {
        self.place.push((0, 0));
        self.clock.push(RowId::ZERO);
        self.ends.push(self.predecessors.len() as u32);
    }

    fn push_op(
        &mut self,
        predecessors: impl IntoIterator<Item = OpId>,
        builder: &mut RowBuilder,
    ) {
        let first = self.predecessors.len();
        self.predecessors.extend(predecessors);
        self.ends.push(self.predecessors.len() as u32);
        let predecessors = &self.predecessors[first..];
        debug_assert!(predecessors.iter().all(|op| op.index() < self.clock.len()));

        let is_last = |op: &OpId| {
            let (chain, position) = self.place[op.index()];
            self.lengths[chain as usize] == position
        };
        let extended = predecessors.iter().copied().find(is_last);
        let chain = extended.map(|op| self.place[op.index()].0);
        let base = extended.or(predecessors.first().copied());
        builder.start(&self.rows, base.map_or(RowId::ZERO, |op| self.clock[op.index()]));
        for op in predecessors {
            builder.join(&mut self.rows, self.clock[op.index()]);
            let (other, position) = self.place[op.index()];
            if chain != Some(other) {
                builder.raise(&mut self.rows, other, position);
            }
        }
        let chain = chain
            .or_else(|| builder.first_equal(&self.rows, &self.lengths))
            .unwrap_or(self.lengths.len() as u32);
        if chain as usize == self.lengths.len() {
            self.lengths.push(0);
        }
        let length = &mut self.lengths[chain as usize];
        *length += 1;
        self.place.push((chain, *length));
        self.clock.push(builder.finish(&mut self.rows));
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
        self.lengths.len()
    }

    /// The predecessors the order was built from.
    pub(crate) fn predecessors(&self, op: OpId) -> &[OpId] {
        let start = op.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.predecessors[start as usize..self.ends[op.index()] as usize]
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
            + size_of_val(&self.lengths[..])
            + size_of_val(&self.predecessors[..])
            + size_of_val(&self.ends[..])
            + self.rows.bytes()
    }
}
