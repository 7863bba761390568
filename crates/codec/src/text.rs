//! The text notation (`.trace`), for people and tests. `docs/notation.md` describes it.
//!
//! [`read`] fails at the first malformed line. The error states the place (line and byte column,
//! from 1), what was found and what was expected. Words that can be ignored, above all keys and
//! flags of a later version, are diagnostics of [`crate::anomaly`]. A last line without a line end
//! may have been cut: it is left out if it does not parse, and [`crate::Completeness`] states it
//! either way. [`write()`] is total: it can write any trace, and reading the text gives an equal
//! trace, up to the numbering of names (header lines may mention a name earlier than the operations
//! did) and up to names that no operation uses.
//!
//! Reading takes one pass, allocates no memory for a line, and copies only new names.

mod cursor;
mod header;
mod operation;
mod reader;
mod sink;
pub(crate) mod source;
mod spelling;
mod stream;
mod trailer;
mod word;
mod writer;

#[cfg(test)]
mod tests;

pub use reader::read;
pub use sink::{Sink, read_line};
pub use stream::Stream;
pub use word::decode_word;
pub use writer::{line, write};
