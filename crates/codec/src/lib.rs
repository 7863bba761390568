//! Every format to and from the trace model.
//!
//! A reader turns bytes into a [`Loaded`]: a trace, what was odd about it, and how much of the input
//! it is. It fails only when nothing sound can be made of the input, and then says where and what
//! was expected. Nothing here opens files: bytes come in, bytes go out.
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
//! // Input that makes no sense is an error with a place.
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

/// What a reader made of an input.
pub struct Loaded {
    /// The execution.
    pub trace: Trace,
    /// What was odd about it, in the order found.
    pub diagnostics: Vec<Diagnostic>,
    /// How much of the input it is.
    pub completeness: Completeness,
    /// The log it was imported from, where that says more than the trace.
    pub origin: Option<Origin>,
}

impl Loaded {
    /// A trace that nothing more is known about than what its reader found.
    fn new(trace: Trace, mut diagnostics: Vec<Diagnostic>, completeness: Completeness) -> Self {
        if completeness.extent() == Extent::Damaged {
            completeness.note_in(&mut diagnostics);
        }
        let completeness = completeness.with_operations(trace.end());
        Self { trace, diagnostics, completeness, origin: None }
    }
}

/// The log of another tool behind a trace.
pub enum Origin {
    /// DroidRacer's.
    DroidRacer(Box<::droidracer::import::Origin>),
    /// EventRacer's.
    EventRacer(Box<::eventracer::import::Origin>),
}
