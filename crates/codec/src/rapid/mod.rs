//! STD, the text format of RAPID's traces of threads and locks: `T0|r(V1)|345`, one event a line.
//!
//! | STD | here |
//! |---|---|
//! | `r(V)` `w(V)` | read, write |
//! | `acq(L)` `rel(L)` | lock, unlock |
//! | `fork(T)` `join(T)` | fork, join; STD has no init and exit, so the first event of a forked thread is preceded by an init, and a join of a thread that ran by its exit |
//! | `begin` `end`, with or without an argument | enter and leave of the function `atomic` |
//! | `enter(F)` `exit(F)` | enter, leave |
//! | `dummy` | nothing |
//! | the third field, a number | the line of a source position in the file `std` |
//!
//! The number of a line among the lines with events, from 0, is the source id of its operation.

pub mod anomaly;
mod fast;
mod names;
mod reader;
mod writer;

pub use reader::read;
pub use writer::write;

/// The function that stands for an atomic block.
const ATOMIC: &[u8] = b"atomic";
/// The file of the positions that STD gives as a number.
const SOURCE_FILE: &[u8] = b"std";

/// Whether an input looks like STD: its first line has three fields, the second with a known name.
pub fn is_std(start: &[u8]) -> bool {
    let line = start.split(|&b| b == b'\n').next().unwrap_or_default();
    let mut fields = line.split(|&b| b == b'|');
    let (_, operation, position) = (fields.next(), fields.next(), fields.next());
    let name = operation.and_then(|o| o.split(|&b| b == b'(').next()).unwrap_or_default();
    let known: [&[u8]; 11] = [
        b"r", b"w", b"acq", b"rel", b"fork", b"join", b"begin", b"end", b"enter", b"exit", b"dummy",
    ];
    position.is_some() && fields.next().is_none() && known.contains(&name)
}
