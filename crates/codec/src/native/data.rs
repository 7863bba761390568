//! Data blocks: accesses and calls, in trace order, as rows of one to a few bytes.
//!
//! The thread and the operation number are state that a control row changes, so that the usual row
//! is one number: the difference of its location to the one before, whether it is a write, and
//! whether its source position is the one after the last, as in straight-line code.
//!
//! Decoding a plain row costs one branch-free number. A block decodes without any other block.

mod decode;
mod encode;
mod keep;
mod stretch;

pub(crate) use decode::decode;
pub(crate) use encode::DataEncoder;
pub(crate) use keep::Wanted;

use super::rows::{Accesses, CallRow, Run, accesses_of};

/// The bit in the mask of an access with attributes that marks a write.
const WRITE: u8 = 0x80;

/// The number of low bits of a row's head that encode the kind of the row.
const KIND_BITS: u32 = 3;
const READ_ROW: u64 = 0;
/// The bit in the head of a row without mask that marks a write.
const WRITE_BIT: u64 = 1;
/// The bit in the head of a row without mask that marks that its source position is the one after
/// the last.
const NEXT_SOURCE_BIT: u64 = 2;
const ATTRIBUTED_ROW: u64 = 4;
const CONTROL_ROW: u64 = 5;

const SWITCH: u64 = 0;
const ENTER: u64 = 1;
const LEAVE: u64 = 2;
const ENTER_WITH: u64 = 3;
const LEAVE_WITH: u64 = 4;

/// The contents of a data block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataRows {
    /// The accesses that the reader asked for.
    pub(crate) accesses: Accesses,
    /// The runs in trace order. Their events and stacks are not filled in yet.
    pub(crate) runs: Vec<Run>,
    /// The calls in trace order.
    pub(crate) calls: Vec<CallRow>,
    /// The greatest location of all accesses of the block, whether the reader asked for them or
    /// not.
    pub(crate) max_location: u32,
}

impl DataRows {
    /// How many operations the block holds.
    pub(crate) fn operations(&self) -> u64 {
        accesses_of(&self.runs) + self.calls.len() as u64
    }
}
