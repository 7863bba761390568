//! The one pipeline from a trace to a report, and the ways to print it.
//!
//! [`analyze`] is the only way from a trace to a [`Report`], and every output format is printed
//! from a [`Report`]. No file is opened here.

mod analyze;
pub mod baseline;
mod compat;
pub mod diff;
mod entries;
mod escape;
pub mod github;
pub mod glossary;
pub mod html;
pub mod junit;
mod lanes;
pub mod markdown;
pub mod model;
pub mod name;
mod native;
mod phrase;
mod read;
pub mod robustness;
pub mod sarif;
pub mod standing;
pub mod stats;
mod stream;
pub mod suppress;
pub mod text;
mod threads;
mod watch;
mod why;

pub use analyze::{Engine, Request, analyze, analyze_watched, order};
pub use lanes::{Streamed, stream};
pub use model::Report;
pub use native::{NativeRequest, analyze_native};
pub use read::ReadError;
pub use stream::{CLOCK_LIMIT, analyze_log};
pub use watch::{Milestone, Watch};

/// The JSON schema of the report.
pub const JSON_SCHEMA: &str = include_str!("../../../schema/interloper-report-1.schema.json");
