//! Encodes operations to the bytes of a data block.

use trace::{Attributes, LocationId, ThreadId};

use super::super::attributes::{DATA_MASK, Previous, SOURCE, mask_of};
use super::super::rows::Call;
use super::super::varint::{self, zigzag};
use super::{
    ATTRIBUTED_ROW, CONTROL_ROW, ENTER, ENTER_WITH, KIND_BITS, LEAVE, LEAVE_WITH, NEXT_SOURCE_BIT,
    READ_ROW, SWITCH, WRITE, WRITE_BIT,
};

/// Encodes rows into one block.
#[derive(Default)]
pub(crate) struct DataEncoder {
    pub(crate) out: Vec<u8>,
    next: u64,
    thread: u32,
    location: u32,
    previous: Previous,
}

impl DataEncoder {
    /// Starts an empty block of a window that starts at operation `first`.
    pub(crate) fn restart(&mut self, first: u64) {
        self.out.clear();
        *self = Self { out: std::mem::take(&mut self.out), next: first, ..Self::default() };
    }

    #[inline]
    fn move_to(&mut self, number: u64, thread: ThreadId) {
        if number != self.next || thread.0 != self.thread {
            varint::put(&mut self.out, SWITCH << KIND_BITS | CONTROL_ROW);
            varint::put(&mut self.out, u64::from(thread.0));
            varint::put(&mut self.out, number - self.next);
            self.thread = thread.0;
        }
        self.next = number + 1;
    }

    /// Appends an access without attributes. Numbers must ascend.
    #[inline]
    pub(crate) fn plain(&mut self, number: u64, thread: ThreadId, at: LocationId, write: bool) {
        self.move_to(number, thread);
        self.head(at, if write { WRITE_BIT } else { READ_ROW });
    }

    /// Appends an access. Numbers must ascend.
    pub(crate) fn access(
        &mut self,
        number: u64,
        thread: ThreadId,
        (location, write): (LocationId, bool),
        attributes: &Attributes,
    ) {
        let mask = mask_of(attributes) & DATA_MASK;
        if mask == 0 {
            return self.plain(number, thread, location, write);
        }
        self.move_to(number, thread);
        if mask == SOURCE && self.previous.advance_source(attributes.source) {
            return self.head(location, NEXT_SOURCE_BIT | if write { WRITE_BIT } else { 0 });
        }
        self.head(location, ATTRIBUTED_ROW);
        self.out.push(mask | if write { WRITE } else { 0 });
        self.previous.put(&mut self.out, mask, attributes);
    }

    #[inline]
    fn head(&mut self, location: LocationId, row: u64) {
        let delta = location.0.wrapping_sub(self.location).cast_signed();
        self.location = location.0;
        varint::put(&mut self.out, zigzag(i64::from(delta)) << KIND_BITS | row);
    }

    /// Appends an enter or a leave. Numbers must ascend.
    pub(crate) fn call(
        &mut self,
        number: u64,
        thread: ThreadId,
        call: Call,
        attributes: &Attributes,
    ) {
        self.move_to(number, thread);
        let (bare, with, carried) = match call {
            Call::Enter(_) => (ENTER, ENTER_WITH, DATA_MASK & !SOURCE),
            Call::Leave => (LEAVE, LEAVE_WITH, DATA_MASK),
        };
        let mask = mask_of(attributes) & carried;
        varint::put(&mut self.out, if mask == 0 { bare } else { with } << KIND_BITS | CONTROL_ROW);
        if let Call::Enter(stack) = call {
            varint::put(&mut self.out, u64::from(stack.0));
        }
        if mask != 0 {
            self.out.push(mask);
            self.previous.put(&mut self.out, mask, attributes);
        }
    }
}
