//! Races: conflicting accesses of different operations that R orders neither way.
//!
//! Per location, reads × writes, then pairs of writes, each by ascending number. The tool prints a
//! pair only if it is the first of its location in some class, so most pairs say nothing new; what
//! can be said of a pair depends only on its operations and the class of its first access, and
//! nothing new is said of a combination a third time (see [`Ledger::file`]). So of each run of
//! accesses that agree in both, two are kept, and a location costs the square of its operations,
//! not of its accesses.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::classes::{Attributes, Category, Ledger};
use crate::closure::Relation;
use crate::log::{Names, Symbol};
use crate::memory::{Location, LocationId, Memory, MemoryAccess};

/// A pair the tool prints.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Where.
    pub location: LocationId,
    /// The read, or the write of the lower number.
    pub first: MemoryAccess,
    /// The write.
    pub second: MemoryAccess,
    /// The class the pair is the first of.
    pub category: Category,
    /// For co-enabled events, the triggers.
    pub triggers: Option<(OpId, OpId)>,
}

/// The races of an execution.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// The pairs the tool prints, in its order.
    pub printed: Vec<Race>,
    /// The classes and fields of all races within a thread, ascending.
    pub async_fields: Vec<(Symbol, u32)>,
}

/// The races of `memory` under `relation`.
pub fn detect(base: &Base, relation: &Relation, memory: &Memory, names: &Names) -> Races {
    let attributes = Attributes::of_tasks(base);
    let mut races = Races::default();
    for (id, location) in memory.locations() {
        let mut ledger = Ledger::new(base, relation, &attributes, names);
        for_each_pair(location, |first, second| {
            if first.op == second.op || !relation.unordered(first.op, second.op) {
                return;
            }
            if first.thread == second.thread {
                races.async_fields.push((first.class, location.field));
            }
            if let Some((category, triggers)) = ledger.file(first, second) {
                let (first, second) = (*first, *second);
                races.printed.push(Race { location: id, first, second, category, triggers });
            }
        });
        races.async_fields.sort_unstable();
        races.async_fields.dedup();
    }
    races
}

fn for_each_pair(location: &Location, mut visit: impl FnMut(&MemoryAccess, &MemoryAccess)) {
    let reads = first_two(&location.reads);
    let writes = first_two(&location.writes);
    for read in &reads {
        for write in &writes {
            visit(read, write);
        }
    }
    for (index, first) in writes.iter().enumerate() {
        for second in &writes[index + 1..] {
            visit(first, second);
        }
    }
}

/// The first two accesses of each operation and class.
fn first_two(accesses: &[MemoryAccess]) -> Vec<MemoryAccess> {
    let mut seen: HashMap<(OpId, Symbol), u8> = HashMap::new();
    let mut kept = Vec::new();
    for access in accesses {
        let count = seen.entry((access.op, access.class)).or_default();
        if *count < 2 {
            *count += 1;
            kept.push(*access);
        }
    }
    kept
}
