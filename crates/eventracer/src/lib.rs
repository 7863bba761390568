//! `EventRacer`'s logs: reading them, preparing their happens-before graph, finding and judging
//! races as the original tool does (OOPSLA'13).
//!
//! [`read`] makes an [`ActionLog`] of bytes; [`prepare()`] makes it a graph; a
//! [`connectivity::Order`] answers which op happens before which; [`Analysis`] does the rest as
//! the original does it. [`mod@import`] turns a prepared log into a trace.

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
