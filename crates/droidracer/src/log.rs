//! The tool's `abc_log` as data.
//!
//! An [`AbcLog`] holds only what the lines state: operations in the order of their numbers,
//! accesses in the order of theirs, and interned names. [`parse`] creates it, and the environment
//! model reads it. Every value comes from the log and is untrusted.

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

/// The target of an access.
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
    /// The thread on which the access ran.
    pub thread: ThreadId,
    /// Whether it is a write.
    pub is_write: bool,
    /// The target of the access.
    pub target: Target,
    /// The operation to which the access belongs; none if the log ends before that operation.
    pub set: Option<AccessSet>,
}

/// How the last line of a log ends. Blank lines and the lines of the tool's output do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLine {
    /// The line ends with a line feed.
    #[default]
    Ended,
    /// The line with this number has no line feed. It was read as it is, and may be truncated.
    Unended(u64),
    /// The line with this number has no line feed. It was truncated, and is left out.
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
    /// The greatest operation number seen, whether the operation is used or not.
    pub max_operation: u64,
    /// The number of runs of accesses that were opened, closed or not.
    pub access_sets: u64,
    /// Whether the log may be truncated.
    pub last_line: LastLine,
}
