//! RAPID's STD logs: one operation of one thread a line, `T0|r(V1)|345`.
//!
//! A line is `THREAD|OPERATION(TARGET)|LOCATION`. Names are any bytes but `|` and line ends;
//! RAPID's own are a letter and a number. The location is a position in the program: a number, or
//! `FILE:LINE[:COLUMN]`, or any text; 0 and nothing stand for none.
//!
//! | STD | here |
//! |---|---|
//! | `r(V)` `w(V)` | read, write |
//! | `acq(L)` `rel(L)` | lock, unlock |
//! | `fork(T)` `join(T)` | fork, join |
//! | `begin(B)` `end(B)`, `enter(F)` `exit(F)` | enter, leave; without a target, of the function `atomic` |
//! | location 345 | line 345 of a file called `std` |
//!
//! A log has the model `threads`, in which forks and joins need neither init nor exit, so the
//! reader adds none: operations have the numbers that they have in the log, also as their source
//! ids. The builder's diagnostics about missing inits and exits are left out. Atomic blocks and
//! methods order nothing, and appear in the call stack of the accesses inside them.
//!
//! **Bad input.** A line that does not parse ends the reading, with its line and column and what
//! was expected: it might have been a synchronisation, and a trace without it would show false
//! races. A last line without a line end may have been cut: it is left out if it does not parse,
//! and [`crate::Completeness`] states it either way. RAPID's operations that neither order nor
//! access ([`SKIPPED`]) are skipped with a diagnostic.
//!
//! [`read`] makes a [`trace::Trace`]; [`Scanner`] is for logs that are too long for that. The tests
//! compare the two.

pub mod anomaly;
mod common;
mod excerpt;
mod ids;
mod line;
mod reader;
mod scanner;
mod source;
mod stream;
mod swar;
mod writer;

#[cfg(test)]
mod tests;

pub use excerpt::excerpt;
pub use ids::Ids;
pub use line::{Operation, SKIPPED};
pub use reader::read;
pub use scanner::{Event, Scanner};
pub use stream::{Index, StreamError, scan_all};
pub use writer::write;

/// The longest line that is read. An input with a longer line is no STD log.
const LONGEST_LINE: usize = 1 << 20;

/// Whether an input, or its beginning, looks like an STD log: its first line is an operation.
pub fn detect(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let first = bytes.split(|&b| b == b'\n').find(|line| !line::is_blank(line));
    first.is_some_and(|line| line.len() <= LONGEST_LINE && line::parse(line).is_ok())
}

/// The function that stands for an atomic block without a name.
const ATOMIC: &[u8] = b"atomic";

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
