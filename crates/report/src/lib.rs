//! The one pipeline from a trace to a report, and the ways to print it.
//!
//! [`analyze`] is the only way from a trace to a [`Report`], and every output format is printed
//! from a [`Report`]. No file is opened here.

mod analyze;
mod compat;
mod entries;
pub mod model;
pub mod name;
pub mod stats;
pub mod text;
mod why;

pub use analyze::{Request, analyze, oracle};
pub use model::Report;

/// The JSON schema of the report.
pub const JSON_SCHEMA: &str = include_str!("../../../schema/interloper-report-1.schema.json");
