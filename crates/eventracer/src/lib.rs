//! Reads `EventRacer`'s logs, prepares their happens-before graph, and finds and judges races as
//! the original tool does (OOPSLA'13).
//!
//! [`read`] reads an [`ActionLog`] from bytes, and [`prepare()`] makes a graph of it. A
//! [`connectivity::Order`] decides which op happens before which. [`Analysis`] does the rest as the
//! original does. [`mod@import`] converts a prepared log to a trace.

pub mod access;
pub mod analysis;
mod builder;
pub mod codes;
pub mod compat;
pub mod connectivity;
pub mod detect;
pub mod graph;
pub mod harm;
pub mod ids;
pub mod import;
pub mod levels;
pub mod log;
pub mod prepare;
mod read;
pub mod stats;
pub mod strings;
pub mod tags;
pub mod undef;
mod write;

pub use analysis::Analysis;
pub use builder::LogBuilder;
pub use log::ActionLog;
pub use prepare::{LoggedArcs, Prepared, prepare};
pub use read::{ReadError, looks_like, read};
pub use write::write;
