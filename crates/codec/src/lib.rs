//! Every format to and from the trace model.
//!
//! A reader turns bytes into a [`Loaded`]: a trace and what was odd about it. It fails only when
//! nothing sound can be made of the input, and then says where and what was expected. No reader
//! opens files: bytes come in, bytes go out.

pub mod anomaly;
pub mod chrome;
mod error;
mod format;
pub mod native;
pub mod rapid;
mod replace;
pub mod text;

pub use error::ReadError;
pub use format::{Format, read};
pub use replace::Replacement;

use trace::{Diagnostic, Trace};

/// What a reader made of an input.
pub struct Loaded {
    /// The execution.
    pub trace: Trace,
    /// What was odd about it, in the order found.
    pub diagnostics: Vec<Diagnostic>,
}
