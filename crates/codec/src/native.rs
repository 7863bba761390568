//! The native format, `.ilt`, which recorders write and the engines read.
//!
//! A file is a sequence of blocks. Each block has its own checksum and is appended in one piece.
//! Sync blocks hold the operations that can order others; data blocks hold accesses and calls. Both
//! carry operation numbers, so that they can be merged into one trace order, and either can be read
//! alone. docs/format.md documents every byte; [`Writer`] and [`Batches`] are its reference
//! implementation.
//!
//! Every number in a file is checked before it is used: lengths before memory is allocated, ids
//! before they index a table. From a damaged file, every operation before the damage is read.

pub mod anomaly;
mod attachment;
mod attributes;
mod batch;
mod block;
mod context;
mod convert;
mod data;
mod declared;
mod decode;
mod doctor;
mod encoder;
mod end;
mod follow;
mod layout;
mod load;
mod name_table;
mod parallel;
mod passes;
mod payload;
mod reader;
mod repair;
mod replay;
mod rows;
mod salvage;
mod screenshot;
mod session;
mod sync;
mod tables;
mod varint;
mod writer;

pub use batch::{Batch, Step};
pub use convert::{ConvertError, convert};
pub use declared::{Declared, Excerpt, Excerpted, Shown};
pub use doctor::{BlockCount, Damaged, Report, doctor};
pub use end::{Index, IndexEntry};
pub use follow::Follow;
pub use layout::BlockType;
pub use load::{
    Counted, Loading, count, read, read_outline, read_parallel, read_skeleton, read_skeleton_below,
};
pub use name_table::{NameTable, Named};
pub use passes::{Passes, expanded};
pub use payload::Compression;
pub use reader::{Batches, FAR_AHEAD};
pub use repair::{Repaired, repair};
pub use rows::{Accesses, Call, CallRow, Column, Run, SyncRow};
pub use screenshot::{PictureFormat, Screenshot, screenshots};
pub use session::session;
pub use tables::{Declaration, Declarations};
pub use writer::{Options, Writer, write};

/// Whether `bytes`, which may be the rest of a damaged file, contain a sound block header.
pub(crate) fn holds_block(bytes: &[u8]) -> bool {
    block::sound_header(bytes).is_some()
}

/// The number of bytes by which a native file is recognised.
pub const MAGIC_LENGTH: u64 = layout::MAGIC.len() as u64;

/// Whether an input starts like a native file. The file may have been cut inside its first bytes.
pub fn is_native(start: &[u8]) -> bool {
    let seen = start.len().min(layout::MAGIC.len());
    seen > 0 && start[..seen] == layout::MAGIC[..seen]
}
