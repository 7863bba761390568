//! Readers and writers of every trace format.
//!
//! A reader turns bytes into a [`Loaded`]: a trace, its anomalies, and how much of the input was
//! read. It fails only when no trace can be made of the input, and its error states the place and
//! what was expected. This crate opens no files: it reads from and writes to streams of bytes.
//!
//! # Example
//!
//! [`read()`] detects the format; [`Format`] names one. This reads the text notation
//! (docs/notation.md), writes the native format, and reads that again:
//!
//! ```
//! use codec::Format;
//!
//! let text = b"interloper-trace 1\nmain write list\nworker read list\n";
//! let (format, loaded) = codec::read(&text[..])?;
//! assert_eq!(format, Format::Text);
//! assert_eq!(loaded.trace.len(), 2);
//! assert!(loaded.diagnostics.is_empty());
//!
//! let mut native = Vec::new();
//! Format::Native.write(&loaded.trace, &mut native)?;
//! let again = Format::Native.read(&native[..])?;
//! assert_eq!(again.trace.len(), 2);
//!
//! // Malformed input is an error with a place.
//! let error = codec::read(&b"interloper-trace 1\nmain jump list\n"[..]).err().expect("no operation");
//! assert!(error.to_string().starts_with("2:6: "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod anomaly;
pub mod chrome;
pub mod completeness;
pub mod droidracer;
mod error;
pub mod eventracer;
mod format;
pub mod native;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod rapid;
pub mod text;

pub use completeness::{Completeness, Extent};
pub use error::ReadError;
pub use format::{Format, START, read};

use trace::{Diagnostic, Trace};

/// The name of the threads on which code of other crates reads untrusted bytes that it may panic on.
const CONTAINED: &str = "contained";

/// Whether a panic of the thread with this name is reported as an error of the input, so that a program
/// need not print it.
pub fn is_contained(thread: Option<&str>) -> bool {
    thread == Some(CONTAINED)
}

/// The result of reading an input.
pub struct Loaded {
    /// The recorded execution.
    pub trace: Trace,
    /// The anomalies of the input, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// How much of the input was read.
    pub completeness: Completeness,
    /// The log that the trace was imported from, if it has information that the trace lacks.
    pub origin: Option<Origin>,
}

impl Loaded {
    /// Creates the result of reading a log without an [`Origin`].
    fn new(trace: Trace, mut diagnostics: Vec<Diagnostic>, completeness: Completeness) -> Self {
        if completeness.extent() == Extent::Damaged {
            completeness.note_in(&mut diagnostics);
        }
        let completeness = completeness.with_operations(trace.end());
        Self { trace, diagnostics, completeness, origin: None }
    }
}

/// The log of another tool that a trace was imported from.
pub enum Origin {
    /// A log of DroidRacer.
    DroidRacer(Box<::droidracer::import::Origin>),
    /// A log of EventRacer.
    EventRacer(Box<::eventracer::import::Origin>),
}
