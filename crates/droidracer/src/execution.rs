//! An execution as the tool's relation and report see it, and where it stands in a trace.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::closure::{Relation, close};
use crate::log::Names;
use crate::memory::{Memory, MemoryAccess};
use crate::races::{Races, detect};

/// A base with its memory and its relation, tied to the operations of a trace.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Operations, tasks and base edges.
    pub base: Base,
    /// Their relation.
    pub relation: Relation,
    /// Locations and accesses.
    pub memory: Memory,
    names: Names,
    /// The operation of the base behind each operation of the trace.
    ops: Vec<OpId>,
    /// The first operation of the trace that each operation of the base is behind.
    positions: Vec<Option<trace::OpId>>,
    /// The operation of the trace that each access is, by the number `memory` gives it.
    accesses: HashMap<u64, trace::OpId>,
}

impl Execution {
    /// Closes `base`. `ops` names the operation behind each one of the trace, `accesses` the
    /// operation of the trace each access of `memory` is.
    pub(crate) fn new(
        base: Base,
        memory: Memory,
        names: Names,
        ops: Vec<OpId>,
        accesses: HashMap<u64, trace::OpId>,
    ) -> Self {
        let relation = close(&base);
        let mut positions = vec![None; base.len()];
        for (position, op) in ops.iter().enumerate() {
            positions[op.index()].get_or_insert(trace::OpId(position as u32));
        }
        Self { base, relation, memory, names, ops, positions, accesses }
    }

    /// How many bytes the relation of `operations` operations takes while it is closed.
    pub fn bytes_needed(operations: usize) -> usize {
        operations.div_ceil(64).saturating_mul(16).saturating_mul(operations)
    }

    /// The operation behind an operation of the trace.
    pub fn op(&self, op: trace::OpId) -> OpId {
        self.ops[op.0 as usize]
    }

    /// The first operation of the trace that `op` is behind.
    pub fn position(&self, op: OpId) -> Option<trace::OpId> {
        self.positions[op.index()]
    }

    /// Where an access stands in the trace.
    pub fn access(&self, access: &MemoryAccess) -> trace::OpId {
        self.accesses[&access.id]
    }

    /// a R b; accesses of one operation follow the trace.
    pub fn before(&self, a: trace::OpId, b: trace::OpId) -> bool {
        let (one, two) = (self.op(a), self.op(b));
        if one == two { a < b } else { self.relation.before(one, two) }
    }

    /// The pairs the tool prints.
    pub fn races(&self) -> Races {
        detect(&self.base, &self.relation, &self.memory, &self.names)
    }
}
