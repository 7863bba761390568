//! Data blocks: accesses and calls, in trace order, as rows of one to a few bytes.
//!
//! The thread and the operation number are state that a control row changes, so that the usual
//! row is one number: how far its location is from the one before, whether it is written, and
//! whether its source position is the one after the last, as in straight-line code.
//!
//! Cost of decoding: one branch-free number a plain row. A block decodes without any other block.

use trace::{Attributes, LocationId, StackId, ThreadId};

use super::attributes::{DATA_MASK, Previous, SOURCE, mask_of};
use super::decode::Detail;
use super::layout::WindowRange;
use super::rows::{Accesses, Call, CallRow, Run};
use super::varint::{self, Cursor, Malformed, unzigzag, zigzag};

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
    pub(crate) accesses: Accesses,
    /// In trace order; events and stacks are not filled in yet.
    pub(crate) runs: Vec<Run>,
    /// In trace order.
    pub(crate) calls: Vec<CallRow>,
    /// The greatest location any access names.
    pub(crate) max_location: u32,
}

impl DataRows {
    /// How many operations the block holds.
    pub(crate) fn operations(&self) -> u64 {
        (self.accesses.len() + self.calls.len()) as u64
    }
}

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
    /// An empty block of a window that starts at `first`.
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

    /// Appends an access without attributes; numbers ascend.
    #[inline]
    pub(crate) fn plain(&mut self, number: u64, thread: ThreadId, at: LocationId, write: bool) {
        self.move_to(number, thread);
        self.head(at, if write { WRITE_BIT } else { READ_ROW });
    }

    /// Appends an access; numbers ascend.
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

    /// Appends an enter or a leave; numbers ascend.
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

struct Decoder<'a> {
    from: Cursor<'a>,
    window: WindowRange,
    detail: Detail,
    rows: DataRows,
    previous: Previous,
    /// The number of the first access since the last control row, and its row.
    first: u64,
    start: usize,
    thread: ThreadId,
}

/// The rows of a data block.
pub(crate) fn decode(
    padded: &[u8],
    window: WindowRange,
    detail: Detail,
) -> Result<DataRows, Malformed> {
    let mut decoder = Decoder {
        from: Cursor::new(padded),
        window,
        detail,
        rows: DataRows::default(),
        previous: Previous::default(),
        first: window.first,
        start: 0,
        thread: ThreadId(0),
    };
    let expected = (padded.len()).min(window.span as usize);
    decoder.rows.accesses.locations.reserve(expected);
    decoder.rows.accesses.writes.reserve(expected);
    let mut location = 0_u32;
    let mut max_location = 0;
    while !decoder.from.at_end()? {
        let head = decoder.from.short()?;
        let (delta, row) = (unzigzag(head >> KIND_BITS), head & ((1 << KIND_BITS) - 1));
        if row == CONTROL_ROW {
            decoder.control(head >> KIND_BITS)?;
            continue;
        }
        location = location.wrapping_add_signed(delta as i32);
        max_location = max_location.max(location);
        let write = if row < ATTRIBUTED_ROW {
            if row & NEXT_SOURCE_BIT != 0 {
                decoder.next_source();
            }
            row & WRITE_BIT != 0
        } else {
            decoder.attributed(row)?
        };
        decoder.rows.accesses.locations.push(LocationId(location));
        decoder.rows.accesses.writes.push(write);
    }
    decoder.close_run()?;
    decoder.rows.max_location = max_location;
    Ok(decoder.rows)
}

impl Decoder<'_> {
    #[inline]
    fn next_source(&mut self) {
        let source = Some(self.previous.next_source());
        if self.detail == Detail::Everything {
            self.rows.accesses.set_source(source);
        }
    }

    fn attributed(&mut self, row: u64) -> Result<bool, Malformed> {
        if row != ATTRIBUTED_ROW {
            return Err(Malformed("a data row is of an unknown kind"));
        }
        let mask = self.from.byte()?;
        let attributes = self.attributes(mask & !WRITE)?;
        if self.detail == Detail::Everything {
            self.rows.accesses.set_attributes(&attributes);
        }
        Ok(mask & WRITE != 0)
    }

    fn attributes(&mut self, mask: u8) -> Result<Attributes, Malformed> {
        if mask & !DATA_MASK != 0 {
            return Err(Malformed("a data row announces an unknown attribute"));
        }
        self.previous.get(&mut self.from, mask)
    }

    fn control(&mut self, code: u64) -> Result<(), Malformed> {
        self.close_run()?;
        if code == SWITCH {
            self.thread = ThreadId(self.from.id()?);
            let gap = self.from.long()?;
            self.first = self.first.checked_add(gap).ok_or(OUTSIDE)?;
            return self.check_inside();
        }
        let call = match code {
            ENTER | ENTER_WITH => Call::Enter(StackId(self.from.id()?)),
            LEAVE | LEAVE_WITH => Call::Leave,
            _ => return Err(Malformed("a control row has an unknown code")),
        };
        let mask = if code >= ENTER_WITH { self.from.byte()? } else { 0 };
        let attributes = self.attributes(mask)?;
        let number = self.first;
        self.first += 1;
        self.check_inside()?;
        self.rows.calls.push(CallRow { number, thread: self.thread, call, attributes });
        Ok(())
    }

    /// Ends the run of accesses since the last control row, if there are any.
    fn close_run(&mut self) -> Result<(), Malformed> {
        let len = self.rows.accesses.len() - self.start;
        if len > 0 {
            let (first, thread, start) = (self.first, self.thread, self.start as u32);
            let len = len as u32;
            self.rows.runs.push(Run { first, thread, event: None, stack: None, start, len });
            self.first += u64::from(len);
            self.start = self.rows.accesses.len();
            self.check_inside()?;
        }
        Ok(())
    }

    fn check_inside(&self) -> Result<(), Malformed> {
        if self.first > self.window.end() { Err(OUTSIDE) } else { Ok(()) }
    }
}

const OUTSIDE: Malformed = Malformed("a data row lies outside its window");
