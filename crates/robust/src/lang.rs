//! The language `.evp`: Fig. 4 of the paper with what a user needs around it.
//!
//! Text → [`parse`] → [`ast::File`] → [`elaborate`] → [`core::Program`](crate::core::Program).
//! Every mistake is an [`Error`] value with a span, a message and advice.

pub mod ast;
mod elaborate;
pub mod error;
mod format;
mod lexer;
mod parser;
pub mod span;

pub use elaborate::elaborate;
pub use error::Error;
pub use format::format;
pub(crate) use parser::KEYWORDS;
pub use parser::parse;
pub use span::Span;
