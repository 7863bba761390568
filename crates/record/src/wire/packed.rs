//! Accesses as `recorder/js/src/packed.ts` writes them (docs/recording-web-runtime.md, "Accesses by
//! number"): a first digit that says what follows, and up to four numbers.
//!
//! Reading costs time linear in the length of the text. A text may be anything: reading it fails at the
//! first byte that is no digit of its place, at a number above 2³² − 1, and at its end within an access.

use super::numbers::Flaw;

/// The first digit of the last five bits of a number; the others begin at [`MORE`].
const LAST: u8 = 0x30;
const MORE: u8 = 0x50;

const WRITE: u8 = 1;
const INDEXED: u8 = 2;
const SITED: u8 = 4;
const INTEGER: u8 = 8;

/// The value of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The digits of this integer.
    Integer(i32),
    /// The text that this number stands for.
    Number(u32),
}

/// An access. The location is a number, and so is the object if there is an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) write: bool,
    pub(super) location: u32,
    pub(super) index: Option<u32>,
    pub(super) site: Option<u32>,
    pub(super) value: Value,
}

/// Reads the accesses of a text. It ends after the first error.
pub(super) struct Packed<'l> {
    rest: &'l [u8],
    location: u32,
    site: u32,
}

impl<'l> Packed<'l> {
    pub(super) fn new(text: &'l [u8]) -> Self {
        Self { rest: text, location: 0, site: 0 }
    }

    fn access(&mut self) -> Option<Access> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        let bits = first.checked_sub(LAST).filter(|&bits| bits < 2 * INTEGER)?;
        let has = |bit: u8| bits & bit != 0;
        self.location = self.location.checked_add_signed(self.signed()?)?;
        let index = if has(INDEXED) { Some(self.number()?) } else { None };
        if has(SITED) {
            self.site = self.site.checked_add_signed(self.signed()?)?;
        }
        let value = if has(INTEGER) {
            Value::Integer(self.signed()?)
        } else {
            Value::Number(self.number()?)
        };
        let site = has(SITED).then_some(self.site);
        Some(Access { write: has(WRITE), location: self.location, index, site, value })
    }

    /// Reads a number whose lowest bit is its sign.
    fn signed(&mut self) -> Option<i32> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(5) {
            let (&digit, rest) = self.rest.split_first()?;
            self.rest = rest;
            match digit {
                LAST..MORE => {
                    return u32::try_from(number | u64::from(digit - LAST) << shift).ok();
                }
                MORE..0x70 => number |= u64::from(digit - MORE) << shift,
                _ => return None,
            }
        }
        None
    }
}

impl Iterator for Packed<'_> {
    type Item = Result<Access, Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let access = self.access().ok_or(Flaw::Malformed);
        if access.is_err() {
            self.rest = &[];
        }
        Some(access)
    }
}
