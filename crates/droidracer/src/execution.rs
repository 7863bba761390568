//! An execution as the input of the tool's relation and races, with its mapping to a trace.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::closure::{Relation, close};
use crate::log::Names;
use crate::memory::{Memory, MemoryAccess};
use crate::races::{Races, detect};

/// A base with its memory and its relation, mapped to the operations of a trace.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Operations, tasks and base edges.
    pub base: Base,
    /// The relation over the operations.
    pub relation: Relation,
    /// Locations and accesses.
    pub memory: Memory,
    names: Names,
    /// For each operation of the trace, the operation of the base.
    ops: Vec<OpId>,
    /// For each operation of the base, the first operation of the trace that maps to it.
    positions: Vec<Option<trace::OpId>>,
    /// For each access, by its number in `memory`, the operation of the trace.
    accesses: HashMap<u64, trace::OpId>,
}

impl Execution {
    /// Closes `base`. `ops` maps each operation of the trace to the base, and `accesses` maps each
    /// access of `memory` to the trace.
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

    /// Returns the number of bytes that the closure of `operations` operations takes.
    pub fn bytes_needed(operations: usize) -> usize {
        operations.div_ceil(64).saturating_mul(16).saturating_mul(operations)
    }

    /// Returns the operation of the base for an operation of the trace.
    pub fn op(&self, op: trace::OpId) -> OpId {
        self.ops[op.0 as usize]
    }

    /// Returns the first operation of the trace that maps to `op`.
    pub fn position(&self, op: OpId) -> Option<trace::OpId> {
        self.positions[op.index()]
    }

    /// Returns the operation of an access in the trace.
    pub fn access(&self, access: &MemoryAccess) -> trace::OpId {
        self.accesses[&access.id]
    }

    /// Returns whether a R b. Accesses of one operation are ordered as in the trace.
    pub fn before(&self, a: trace::OpId, b: trace::OpId) -> bool {
        let (one, two) = (self.op(a), self.op(b));
        if one == two { a < b } else { self.relation.before(one, two) }
    }

    /// Returns the pairs that the tool prints.
    pub fn races(&self) -> Races {
        detect(&self.base, &self.relation, &self.memory, &self.names)
    }
}
