//! Decodes the bytes of a data block to rows.

use trace::{Attributes, LocationId, StackId, ThreadId};

use super::super::attributes::{DATA_MASK, Previous};
use super::super::layout::WindowRange;
use super::super::rows::{Call, CallRow, Run};
use super::super::varint::{Cursor, Malformed, unzigzag};
use super::keep::{All, Distinct, Few, Keep};
use super::stretch::Stretch;
use super::{
    ATTRIBUTED_ROW, CONTROL_ROW, DataRows, ENTER, ENTER_WITH, KIND_BITS, LEAVE, LEAVE_WITH, SWITCH,
    WRITE, Wanted,
};

const OUTSIDE: Malformed = Malformed("a data row lies outside its window");

/// Decodes the rows of a data block that the reader asks for.
pub(crate) fn decode(
    padded: &[u8],
    window: WindowRange,
    wanted: &Wanted,
) -> Result<DataRows, Malformed> {
    let most = padded.len().min(window.span as usize);
    match wanted {
        Wanted::Everything => Decoder::new(padded, window, All).rows(most),
        Wanted::Distinct => Decoder::new(padded, window, Distinct::new()).rows(most / 2),
        Wanted::Locations(locations) => Decoder::new(padded, window, Few(locations)).rows(0),
    }
}

struct Decoder<'a, K> {
    from: Cursor<'a>,
    window: WindowRange,
    keep: K,
    rows: DataRows,
    previous: Previous,
    thread: ThreadId,
    /// The number of the first access since the last control row.
    first: u64,
    /// The number of accesses since then, and the row of the first that is kept.
    len: u32,
    start: usize,
}

impl<'a, K: Keep> Decoder<'a, K> {
    fn new(padded: &'a [u8], window: WindowRange, keep: K) -> Self {
        let rows = DataRows::default();
        let (first, thread) = (window.first, ThreadId(0));
        let (from, previous) = (Cursor::new(padded), Previous::default());
        Self { from, window, keep, rows, previous, thread, first, len: 0, start: 0 }
    }

    /// Decodes all rows. About `expected` accesses will be kept.
    fn rows(mut self, expected: usize) -> Result<DataRows, Malformed> {
        let (mut stretch, mut location) = (Stretch::new(), 0);
        self.rows.accesses.reserve(expected);
        while !self.from.at_end()? {
            let other = stretch.fill(&mut self.from, &mut location)?;
            self.rows.max_location = self.rows.max_location.max(stretch.max_location());
            let before = self.len;
            self.len += stretch.len() as u32;
            self.keep.plain(&mut stretch, before, &mut self.previous, &mut self.rows.accesses);
            if let Some(head) = other {
                let (row, rest) = (head & ((1 << KIND_BITS) - 1), head >> KIND_BITS);
                match row {
                    CONTROL_ROW => self.control(rest)?,
                    ATTRIBUTED_ROW => {
                        location = location.wrapping_add_signed(unzigzag(rest) as i32);
                        self.attributed(location)?;
                    }
                    _ => return Err(Malformed("a data row is of an unknown kind")),
                }
            }
        }
        self.close_run()?;
        Ok(self.rows)
    }

    fn attributed(&mut self, location: u32) -> Result<(), Malformed> {
        let mask = self.from.byte()?;
        let attributes = self.attributes(mask & !WRITE)?;
        let access = (LocationId(location), mask & WRITE != 0);
        self.rows.max_location = self.rows.max_location.max(location);
        self.keep.attributed(access, self.len, &attributes, &mut self.rows.accesses);
        self.len += 1;
        Ok(())
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
        if self.len == 0 {
            return Ok(());
        }
        let (first, thread, len, start) = (self.first, self.thread, self.len, self.start as u32);
        let kept = self.rows.accesses.len() as u32 - start;
        self.rows.runs.push(Run { first, thread, event: None, stack: None, len, start, kept });
        self.first += u64::from(len);
        self.start = self.rows.accesses.len();
        self.len = 0;
        self.keep.start_run();
        self.check_inside()
    }

    fn check_inside(&self) -> Result<(), Malformed> {
        if self.first > self.window.end() { Err(OUTSIDE) } else { Ok(()) }
    }
}
