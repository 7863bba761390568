//! Every format to and from the trace model.
//!
//! A reader turns bytes into a [`Loaded`]: a trace and what was odd about it. It fails only when
//! nothing sound can be made of the input, and then says where and what was expected. Nothing here
//! opens files: bytes come in, bytes go out.

pub mod anomaly;
pub mod chrome;
pub mod droidracer;
mod error;
pub mod eventracer;
mod format;
pub mod native;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod rapid;
pub mod text;

pub use error::ReadError;
pub use format::{Format, read};

use trace::{Diagnostic, Trace};

/// What a reader made of an input.
pub struct Loaded {
    /// The execution.
    pub trace: Trace,
    /// What was odd about it, in the order found.
    pub diagnostics: Vec<Diagnostic>,
    /// The log it was imported from, where that says more than the trace.
    pub origin: Option<Origin>,
}

/// The log of another tool behind a trace.
pub enum Origin {
    /// DroidRacer's.
    DroidRacer(Box<::droidracer::import::Origin>),
    /// EventRacer's.
    EventRacer(Box<::eventracer::import::Origin>),
}
