//! The shared memory of an execution: locations, and the accesses of each.
//!
//! A location is a field of an object or a static field of a class.

use crate::base::{OpId, ThreadId};
use crate::log::{ObjectId, Symbol};

/// A location, numbered from 0 in the order of the tool's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// The owner of a location's field.
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
    /// The owner of the field.
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
    /// The number of the access in the log.
    pub id: u64,
    /// The number of the access's set in the log.
    pub set: u64,
    /// The operation to which the access belongs.
    pub op: OpId,
    /// The thread on which the access ran.
    pub thread: ThreadId,
    /// Whether it is a write.
    pub is_write: bool,
    /// The class that the access named.
    pub class: Symbol,
}

impl Location {
    /// Returns the class that the tool prints for the location: that of the first write, else of
    /// the first read.
    pub fn class(&self) -> Option<Symbol> {
        self.writes.first().or(self.reads.first()).map(|access| access.class)
    }
}

/// Every location of an execution.
#[derive(Clone, Debug)]
pub struct Memory {
    locations: Vec<Location>,
}

impl Memory {
    /// Returns the memory with these locations, which are in the order of the tool's output.
    pub fn new(locations: Vec<Location>) -> Self {
        Self { locations }
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
