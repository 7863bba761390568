//! The text notation (`.trace`), for people and tests; `docs/notation.md` describes it.
//!
//! [`read`] fails at the first line it cannot make sense of and says where (line and byte column,
//! from 1), what it found and what it expected. What it can pass over, keys and flags of a later
//! version above all, is a diagnostic of [`crate::anomaly`]. A last line without a line end may have been
//! cut: it is left out if it does not parse, and [`crate::Completeness`] states it either way. [`write()`] is total: any trace has a
//! spelling, and reading it gives an equal trace, up to the numbering of names (header lines may
//! mention a name earlier than the operations did) and to what no operation uses.
//!
//! Reading takes one pass, allocates nothing a line, and copies only names not seen before.

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
pub use writer::{line, write};
