//! The native format, `.ilt`: what recorders write and the engines read.
//!
//! A file is a sequence of blocks, each checked by itself, each appended whole. Operations that
//! can order something stand in sync blocks, accesses and calls in data blocks; both carry
//! operation numbers, so that one trace order comes out, and either can be read alone. docs/format.md
//! documents every byte; [`Writer`] and [`Batches`] are its reference implementation.
//!
//! Nothing a file says is believed before it was checked: lengths before memory is allocated, ids
//! before they index a table. A damaged file gives every operation before the damage.

pub mod anomaly;
mod attributes;
mod batch;
mod block;
mod context;
mod data;
mod decode;
mod doctor;
mod encoder;
mod end;
mod follow;
mod layout;
mod load;
mod name_table;
mod parallel;
mod payload;
mod reader;
mod repair;
mod rows;
mod salvage;
mod sync;
mod tables;
mod varint;
mod writer;

pub use batch::{Batch, Step};
pub use doctor::{BlockCount, Damaged, Report, doctor};
pub use end::{Index, IndexEntry};
pub use follow::Follow;
pub use layout::BlockType;
pub use load::{Loading, read, read_excerpt, read_parallel, read_skeleton, read_skeleton_below};
pub use name_table::{NameTable, Named};
pub use payload::Compression;
pub use reader::{Batches, FAR_AHEAD};
pub use repair::{Repaired, repair};
pub use rows::{Accesses, Call, CallRow, Column, Run, SyncRow};
pub use tables::{Declaration, Declarations};
pub use writer::{Options, Writer, write};

/// Whether a sound block header stands anywhere in `bytes`, which may be the rest of a damaged file.
pub(crate) fn holds_block(bytes: &[u8]) -> bool {
    block::sound_header(bytes).is_some()
}

/// Whether an input starts as a native file does, also one that was cut inside its first bytes.
pub fn is_native(start: &[u8]) -> bool {
    let seen = start.len().min(layout::MAGIC.len());
    seen > 0 && start[..seen] == layout::MAGIC[..seen]
}
