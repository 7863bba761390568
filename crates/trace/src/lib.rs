//! The trace model every other crate speaks.

pub mod diagnostic;

pub use diagnostic::{Code, Diagnostic, Place, Severity};
