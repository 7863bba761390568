//! The shared memory of an execution: locations, and the accesses of each.
//!
//! A location is a field of an object or a static field of a class; databases are not reported.
//! Locations are ordered as the tool visits them: by address and field, then the statics by class
//! and field. Accesses that no ACCESS closed have no place in the graph and are left out.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::base::{Base, OpId, ThreadId};
use crate::log::{AbcLog, Access, ObjectId, Symbol, Target};

/// A location, numbered from 0 in the tool's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// What a location is a field of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An object.
    Object(ObjectId),
    /// A class.
    Class(Symbol),
}

/// A location and its accesses.
#[derive(Clone, Debug)]
pub struct Location {
    /// What it is a field of.
    pub owner: Owner,
    /// The field.
    pub field: u32,
    /// The reads, by ascending number.
    pub reads: Vec<MemoryAccess>,
    /// The writes, by ascending number.
    pub writes: Vec<MemoryAccess>,
}

/// An access to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Its number in the log.
    pub id: u64,
    /// The number of its set in the log.
    pub set: u64,
    /// The operation it belongs to.
    pub op: OpId,
    /// The thread it ran on.
    pub thread: ThreadId,
    /// Whether it is a write.
    pub is_write: bool,
    /// The class it named.
    pub class: Symbol,
}

impl Location {
    /// The class the tool knows it by: that of the first write, else of the first read.
    pub fn class(&self) -> Option<Symbol> {
        self.writes.first().or(self.reads.first()).map(|access| access.class)
    }
}

/// Every location of an execution.
#[derive(Clone, Debug)]
pub struct Memory {
    locations: Vec<Location>,
}

/// What locations are ordered by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Instance(ObjectId, u32),
    Static(&'a [u8], u32),
}

impl Memory {
    /// The memory of `log`, whose operations are those of `base`.
    pub fn new(log: &AbcLog, base: &Base) -> Self {
        let ids = (0u32..).map(OpId);
        let by_source: HashMap<u64, OpId> =
            base.ops().iter().map(|op| op.source).zip(ids).collect();
        let mut locations: BTreeMap<Key<'_>, Location> = BTreeMap::new();
        for access in &log.accesses {
            let Some(set) = access.set else { continue };
            let Some(&op) = by_source.get(&set.operation) else { continue };
            let Some((key, owner, class, field)) = locate(log, access) else { continue };
            let location = locations.entry(key).or_insert_with(|| Location {
                owner,
                field,
                reads: Vec::new(),
                writes: Vec::new(),
            });
            let list = if access.is_write { &mut location.writes } else { &mut location.reads };
            let (id, thread, is_write) = (access.id, access.thread, access.is_write);
            list.push(MemoryAccess { id, set: set.id, op, thread, is_write, class });
        }
        Self { locations: locations.into_values().collect() }
    }

    /// A location.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }

    /// Every location with its id, in order.
    pub fn locations(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        (0u32..).map(LocationId).zip(&self.locations)
    }
}

fn locate<'a>(log: &'a AbcLog, access: &Access) -> Option<(Key<'a>, Owner, Symbol, u32)> {
    Some(match access.target {
        Target::Instance { object, class, field } => {
            (Key::Instance(object, field), Owner::Object(object), class, field)
        }
        Target::Static { class, field } => {
            (Key::Static(log.names.text(class), field), Owner::Class(class), class, field)
        }
        Target::Database(_) => return None,
    })
}
