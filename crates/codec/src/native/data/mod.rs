//! Data blocks: accesses and calls, in trace order, as rows of one to a few bytes.
//!
//! The thread and the operation number are state that a control row changes, so that the usual
//! row is one number: how far its location is from the one before, whether it is written, and
//! whether its source position is the one after the last, as in straight-line code.
//!
//! Cost of decoding: one branch-free number a plain row. A block decodes without any other block.

mod decode;
mod encode;
mod keep;
mod stretch;

pub(crate) use decode::decode;
pub(crate) use encode::DataEncoder;
pub(crate) use keep::Wanted;

use super::rows::{Accesses, CallRow, Run, accesses_of};

/// In the mask of an access with attributes: it is a write.
const WRITE: u8 = 0x80;

/// The low bits of a row's head say what kind of row it is.
const KIND_BITS: u32 = 3;
const READ_ROW: u64 = 0;
/// Set in the head of a row without mask: it is a write.
const WRITE_BIT: u64 = 1;
/// Set in the head of a row without mask: its source position is the one after the last.
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
    /// Those that were wanted.
    pub(crate) accesses: Accesses,
    /// In trace order; events and stacks are not filled in yet.
    pub(crate) runs: Vec<Run>,
    /// In trace order.
    pub(crate) calls: Vec<CallRow>,
    /// The greatest location any access of the block names, wanted or not.
    pub(crate) max_location: u32,
}

impl DataRows {
    /// How many operations the block holds.
    pub(crate) fn operations(&self) -> u64 {
        accesses_of(&self.runs) + self.calls.len() as u64
    }
}
