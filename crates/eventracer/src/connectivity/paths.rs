//! Covering the ops with few paths.
//!
//! Like the original's chain decomposition: from the first op without a chain, walk along the
//! first successor without one, or through ops of other chains along the first successor, to the
//! end. Here the arcs all point forward, so every chain is a path with gaps, and a walk through
//! ops whose successors all have chains jumps to where it would come out, so that the walks
//! together take near-linear time.

use crate::ids::OpId;

/// A list of ops for each op, one list after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpLists {
    ops: Vec<OpId>,
    /// Where each list ends; a list starts where the one before it ends.
    ends: Vec<u32>,
}

impl OpLists {
    pub(crate) fn new<L: IntoIterator<Item = OpId>>(lists: impl IntoIterator<Item = L>) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.ops.extend(list);
            all.ends.push(u32::try_from(all.ops.len()).expect("fewer than 2³² arcs"));
        }
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, op: OpId) -> &[OpId] {
        &self.ops[self.start(op)..self.ends[op.index()] as usize]
    }

    fn start(&self, op: OpId) -> usize {
        op.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// For each op, the ops in whose lists it stands, ascending.
    fn inverted(&self) -> Self {
        let mut ends = vec![0_u32; self.len() + 1];
        for op in &self.ops {
            ends[op.index() + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut ops = vec![OpId::new(0); self.ops.len()];
        for list in (0..self.len()).map(OpId::new) {
            for op in self.get(list) {
                let next = &mut ends[op.index()];
                ops[*next as usize] = list;
                *next += 1;
            }
        }
        ends.pop();
        Self { ops, ends }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.ops[..]) + size_of_val(&self.ends[..])
    }
}

/// The chain of each op and its position there, from 1, and the number of chains. An op that is
/// not present has position 0.
pub(crate) fn cover_with_paths(
    predecessors: &OpLists,
    is_present: impl Fn(OpId) -> bool,
) -> (Vec<(u32, u32)>, usize) {
    let mut walks = Walks::new(predecessors.inverted());
    let mut chains = 0;
    for start in (0..predecessors.len()).map(OpId::new).filter(|&op| is_present(op)) {
        if !walks.has_chain(start) {
            walks.walk(start, chains);
            chains += 1;
        }
    }
    (walks.place, chains as usize)
}

struct Walks {
    successors: OpLists,
    place: Vec<(u32, u32)>,
    /// Where in each op's list the successors start that may have no chain yet.
    open: Vec<u32>,
    /// For an op whose successors all have chains, an op its walk comes to; else the op itself.
    exit: Vec<OpId>,
}

impl Walks {
    fn new(successors: OpLists) -> Self {
        let ops = successors.len();
        Self {
            open: (0..ops).map(|op| successors.start(OpId::new(op)) as u32).collect(),
            exit: (0..ops).map(OpId::new).collect(),
            place: vec![(0, 0); ops],
            successors,
        }
    }

    fn has_chain(&self, op: OpId) -> bool {
        self.place[op.index()].1 != 0
    }

    fn walk(&mut self, start: OpId, chain: u32) {
        let mut position = 0;
        let mut next = Some(start);
        while let Some(op) = next {
            position += 1;
            self.place[op.index()] = (chain, position);
            next = self.next_open(op);
        }
    }

    /// The first op without a chain that a walk from `op` comes to.
    fn next_open(&mut self, op: OpId) -> Option<OpId> {
        let mut at = op;
        loop {
            if let Some(successor) = self.open_successor(at) {
                return Some(successor);
            }
            let via = match self.exit[at.index()] {
                exit if exit == at => *self.successors.get(at).first()?,
                exit => exit,
            };
            self.exit[at.index()] = self.exit[via.index()];
            at = self.exit[at.index()];
        }
    }

    /// The first successor without a chain.
    fn open_successor(&mut self, op: OpId) -> Option<OpId> {
        let open = &mut self.open[op.index()];
        let end = self.successors.ends[op.index()];
        while *open < end {
            let successor = self.successors.ops[*open as usize];
            if self.place[successor.index()].1 == 0 {
                return Some(successor);
            }
            *open += 1;
        }
        None
    }
}
