//! Stretches of consecutive plain accesses. A plain access has no attributes, or only a source
//! position that follows the last. Most accesses are plain.
//!
//! A stretch is decoded before its accesses are selected: each of these steps is a short loop over
//! a piece of memory that stays in the nearest cache.

use trace::LocationId;

use super::super::rows::Accesses;
use super::super::varint::{Cursor, Malformed, unzigzag};
use super::{ATTRIBUTED_ROW, KIND_BITS, NEXT_SOURCE_BIT, WRITE_BIT};

const LONGEST: usize = 256;

/// Some plain accesses.
pub(super) struct Stretch {
    locations: [u32; LONGEST],
    /// The low bits of the rows' heads.
    kinds: [u8; LONGEST],
    len: usize,
}

/// A plain access.
pub(super) struct Plain {
    pub(super) location: u32,
    pub(super) write: bool,
    pub(super) has_source: bool,
}

impl Stretch {
    pub(super) fn new() -> Self {
        Self { locations: [0; LONGEST], kinds: [0; LONGEST], len: 0 }
    }

    /// Decodes accesses until another kind of row comes, whose head is returned, or the block ends,
    /// or the stretch is full. `location` is that of the access before.
    pub(super) fn fill(
        &mut self,
        from: &mut Cursor<'_>,
        location: &mut u32,
    ) -> Result<Option<u64>, Malformed> {
        let (mut cursor, mut at, mut len, mut other) = (*from, *location, 0, None);
        while len < LONGEST && other.is_none() && !cursor.at_end()? {
            cursor.shorts(|head| {
                let row = head & ((1 << KIND_BITS) - 1);
                if row >= ATTRIBUTED_ROW {
                    other = Some(head);
                    return false;
                }
                at = at.wrapping_add_signed(unzigzag(head >> KIND_BITS) as i32);
                (self.locations[len], self.kinds[len]) = (at, row as u8);
                len += 1;
                len < LONGEST
            })?;
        }
        self.len = len;
        (*from, *location) = (cursor, at);
        Ok(other)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The greatest location, or 0 if the stretch is empty.
    pub(super) fn max_location(&self) -> u32 {
        self.locations[..self.len].iter().copied().fold(0, u32::max)
    }

    /// The number of accesses with a source position.
    pub(super) fn sources(&self) -> u32 {
        let has_source = |&kind: &u8| u32::from(u64::from(kind) & NEXT_SOURCE_BIT != 0);
        self.kinds[..self.len].iter().map(has_source).sum()
    }

    /// Drops the accesses that are not kept, without a branch, which would be hard to predict.
    #[inline]
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u32, bool) -> bool) {
        let mut kept = 0;
        for row in 0..self.len {
            let (location, kind) = (self.locations[row], self.kinds[row]);
            (self.locations[kept], self.kinds[kept]) = (location, kind);
            kept += usize::from(keep(location, u64::from(kind) & WRITE_BIT != 0));
        }
        self.len = kept;
    }

    /// Appends all accesses to `out`.
    pub(super) fn append_to(&self, out: &mut Accesses) {
        out.locations.extend(self.locations[..self.len].iter().copied().map(LocationId));
        out.writes.extend(self.iter().map(|access| access.write));
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Plain> {
        let pairs = self.locations[..self.len].iter().zip(&self.kinds[..self.len]);
        pairs.map(|(&location, &kind)| Plain {
            location,
            write: u64::from(kind) & WRITE_BIT != 0,
            has_source: u64::from(kind) & NEXT_SOURCE_BIT != 0,
        })
    }
}
