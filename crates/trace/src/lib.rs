//! The trace model that every other crate uses: operations with dense ids in columnar tables, a
//! builder that checks and never fails, and diagnostics as data.
//!
//! This crate performs no I/O and parses no format. A [`Trace`] is immutable once built, and the
//! same operations pushed in the same order give the same tables.
//!
//! # Example
//!
//! Names are interned first, then operations are pushed in the order in which they were executed.
//!
//! ```
//! use trace::{Attributes, Op, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new();
//! let main = builder.names().threads.intern(b"main");
//! let worker = builder.names().threads.intern(b"worker");
//! let list = builder.names().locations.intern(b"list");
//! let none = Attributes::default();
//!
//! let value = Some(builder.text(b"null"));
//! builder.push(main, Op::Write(list), Attributes { value, ..none });
//! builder.push(main, Op::Fork(worker), none);
//! builder.push(worker, Op::Init, none);
//! let read = builder.push(worker, Op::Read(list), none);
//! // A contradiction is not an error: the operation stays in the trace, and is reported.
//! builder.push(worker, Op::Init, none);
//!
//! let (trace, diagnostics) = builder.finish();
//! assert_eq!(trace.len(), 5);
//! assert_eq!(trace.op(read).access(), Some((list, false)));
//! assert_eq!(trace.names().threads.get(trace.thread_of(read)), b"worker");
//! assert_eq!(diagnostics.len(), 1);
//! ```

pub mod anomaly;
mod builder;
mod census;
mod column;
mod conventions;
pub mod diagnostic;
mod escape;
mod id;
mod names;
mod op;
mod stack;
mod store;
mod table;
mod words;

pub use builder::{DEFAULT_PROCESS, TraceBuilder};
pub use census::Census;
pub use conventions::Conventions;
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
pub use words::OpKind;
