//! The one pipeline from a trace to a report, and the ways to print it.
//!
//! [`analyze`] is the only way from a trace to a [`Report`], and every output format is printed
//! from a [`Report`]. No file is opened here.
//!
//! # Example
//!
//! From the bytes of a trace to a report as text. Excerpts of source files come through a trait, here
//! one that has none.
//!
//! ```
//! use report::text::{self, SourceFiles, TextOptions};
//! use report::{Engine, Request, analyze};
//!
//! struct NoSources;
//! impl SourceFiles for NoSources {
//!     fn get(&self, _file: &str) -> Option<String> {
//!         None
//!     }
//! }
//!
//! let notation = b"interloper-trace 1\nmain write list value=null\nworker read list value=null\n";
//! let (format, loaded) = codec::read(&notation[..])?;
//! let report = analyze(&Request {
//!     trace: &loaded.trace,
//!     diagnostics: &loaded.diagnostics,
//!     completeness: &loaded.completeness,
//!     origin: loaded.origin.as_ref(),
//!     format: format.name(),
//!     rules: &order::ANDROID.default_rules(),
//!     pairs: races::PairMode::Candidates,
//!     lists: &triage::Lists::builtin(),
//!     compat: false,
//!     engine: Engine::GRAPH,
//! });
//! assert_eq!(report.races.len(), 1);
//! assert_eq!(report.races[0].location, "list");
//!
//! let options = TextOptions { sources: &NoSources, groups: 10, styled: false, order_command: None };
//! let text = text::render(&report, &options);
//! assert!(text.starts_with("race["), "{text}");
//! // The same report for programs; `sarif`, `junit`, `github`, `markdown` and `html` print others.
//! let json = serde_json::to_string(&report)?;
//! assert!(json.contains("\"schema\":\"interloper-report/1\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyze;
pub mod baseline;
mod compat;
pub mod diff;
mod entries;
mod escape;
mod event;
pub mod github;
pub mod glossary;
pub mod html;
pub mod input;
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
