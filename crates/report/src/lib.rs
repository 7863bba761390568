//! The report on an analysis, and its output formats.
//!
//! [`Report::of`] is the only way from an [`analysis::Analysis`] to a [`Report`], and every output
//! format is printed from a [`Report`]. [`Report::merge`] makes one report of the reports on several
//! recordings. This crate opens no file.
//!
//! # Example
//!
//! The example makes a report from the bytes of a trace and prints it as text. Excerpts of source
//! files come from a trait; this implementation has none.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use analysis::{Request, Source};
//! use report::Report;
//! use report::text::{self, SourceFiles, TextOptions};
//!
//! struct NoSources;
//! impl SourceFiles for NoSources {
//!     fn get(&self, _file: &str) -> Option<String> {
//!         None
//!     }
//! }
//!
//! let notation = b"interloper-trace 1\nmain write list value=null\nworker read list value=null\n";
//! let lists = triage::Lists::builtin();
//! let source = Source::pipe(&notation[..], None);
//! let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()))?;
//! let report = Report::of(&analysis);
//! assert_eq!(report.races.len(), 1);
//! assert_eq!(report.races[0].location, "list");
//!
//! let options = TextOptions { sources: &NoSources, groups: 10, styled: false, order_command: None };
//! let text = text::render(&report, &options);
//! assert!(text.starts_with("race["), "{text}");
//! // JSON is for programs. `sarif`, `junit`, `github`, `markdown` and `html` print other formats.
//! let json = serde_json::to_string(&report)?;
//! assert!(json.contains("\"schema\":\"interloper-report/1\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod baseline;
pub mod describe;
pub mod diff;
mod entries;
mod escape;
mod event;
pub mod github;
pub mod glossary;
mod headline;
pub mod html;
pub mod input;
pub mod junit;
pub mod markdown;
mod merge;
pub mod model;
pub mod name;
mod of;
mod phrase;
mod read;
pub mod replay;
pub mod robustness;
pub mod sarif;
pub mod standing;
pub mod stats;
pub mod story;
pub mod suppress;
pub mod text;
mod why;

pub use model::Report;
pub use read::ReadError;

/// The JSON schema of the report.
pub const JSON_SCHEMA: &str = include_str!("../../../schema/interloper-report-1.schema.json");
