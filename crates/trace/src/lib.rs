//! The trace model every other crate speaks: operations with dense ids in columnar tables, a
//! builder that checks and never fails, and diagnostics as data.
//!
//! No I/O happens here and no format is known here. A [`Trace`] is immutable once built, and the
//! same operations pushed in the same order give the same tables.

pub mod anomaly;
mod builder;
mod column;
pub mod diagnostic;
mod escape;
mod id;
mod names;
mod op;
mod stack;
mod store;
mod table;

pub use builder::{DEFAULT_PROCESS, TraceBuilder};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Place, Severity};
pub use escape::{Escaped, is_plain};
pub use id::{
    BarrierId, CallbackId, EnvironmentId, EventId, FunctionId, HandleId, Id, LocationId, LockId,
    OpId, ProcessId, QueueId, SourceId, StackId, TextId, ThreadId,
};
pub use names::Names;
pub use op::{Attributes, Enqueue, Op, Posting, Provenance};
pub use stack::{Frame, Stacks};
pub use table::{Event, LocationKind, NameTables, Queue, QueueKind, Source, Thread, Trace};
