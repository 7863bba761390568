//! The tool's `abc_log`, as data.
//!
//! An [`AbcLog`] holds what the lines say and nothing more: operations in the order of their
//! numbers, accesses in the order of theirs, and names interned. It is what [`parse`] makes and
//! what the environment model reads. Every value comes from the log and is untrusted.

mod fields;
mod lines;
mod names;
mod operation;
mod parser;
mod sink;

pub use names::{Names, Symbol};
pub use operation::{
    BroadcastState, Hash, LifecycleState, LogOp, MessageId, ObjectId, OpKind, ServiceState,
};
pub use parser::{MAX_OPERATIONS, ParseError, looks_like, parse};
pub use sink::Sink;
pub(crate) use sink::line;

use crate::base::ThreadId;

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A field of an object.
    Instance {
        /// The object.
        object: ObjectId,
        /// The class of the object.
        class: Symbol,
        /// The field.
        field: u32,
    },
    /// A static field of a class.
    Static {
        /// The class.
        class: Symbol,
        /// The field.
        field: u32,
    },
    /// A database, by its path.
    Database(Symbol),
}

/// The ACCESS operation that closes a run of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessSet {
    /// The number of the operation.
    pub operation: u64,
    /// The number of the set.
    pub id: u64,
}

/// A read or a write.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The number of the access in the log.
    pub id: u64,
    /// The thread it ran on.
    pub thread: ThreadId,
    /// Whether it is a write.
    pub is_write: bool,
    /// What it touches.
    pub target: Target,
    /// The operation it belongs to; none if the log ends before it.
    pub set: Option<AccessSet>,
}

/// How the last line of a log ends; blank ones, and those of the tool's report, do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLine {
    /// With a line feed.
    #[default]
    Ended,
    /// Without: the line of this number was read as it stands, and may have been cut.
    Unended(u64),
    /// Without: the line of this number was cut, and is left out.
    LeftOut(u64),
}

/// A parsed log.
#[derive(Clone, Debug, Default)]
pub struct AbcLog {
    /// The operations, by ascending number.
    pub operations: Vec<LogOp>,
    /// The accesses, by ascending number.
    pub accesses: Vec<Access>,
    /// The class names, actions, components and paths.
    pub names: Names,
    /// The greatest operation number seen, used or not.
    pub max_operation: u64,
    /// How many runs of accesses were opened, closed or not.
    pub access_sets: u64,
    /// Whether the log may have been cut.
    pub last_line: LastLine,
}
