//! The attributes of an operation, encoded as a mask and the fields that it announces.
//!
//! Timestamps, source positions and source ids are written as differences to the last one in the
//! block. They mostly grow slowly, and equal differences compress well.

use trace::{Attributes, Id, Provenance, SourceId, TextId};

use super::varint::{self, Cursor, Malformed, unzigzag, zigzag};

pub(crate) const AT: u8 = 1;
pub(crate) const VALUE: u8 = 2;
pub(crate) const SOURCE: u8 = 4;
pub(crate) const SOURCE_ID: u8 = 8;
pub(crate) const EVENT_TYPE: u8 = 16;
pub(crate) const EVENT_NAME: u8 = 32;
pub(crate) const PROVENANCE: u8 = 64;

/// The bits that an access or a call may set.
pub(crate) const DATA_MASK: u8 = AT | VALUE | SOURCE | SOURCE_ID;

/// Returns the mask of the fields that are present.
pub(crate) fn mask_of(attributes: &Attributes) -> u8 {
    let bit = |present: bool, bit: u8| if present { bit } else { 0 };
    bit(attributes.at.is_some(), AT)
        | bit(attributes.value.is_some(), VALUE)
        | bit(attributes.source.is_some(), SOURCE)
        | bit(attributes.source_id.is_some(), SOURCE_ID)
        | bit(attributes.event_type.is_some(), EVENT_TYPE)
        | bit(attributes.event_name.is_some(), EVENT_NAME)
        | bit(attributes.provenance.is_some(), PROVENANCE)
}

/// The code of a provenance; 0 stands for none.
pub(crate) fn provenance_code(provenance: Option<Provenance>) -> u8 {
    match provenance {
        None => 0,
        Some(Provenance::User) => 1,
        Some(Provenance::Framework) => 2,
    }
}

/// The inverse of [`provenance_code`].
pub(crate) fn provenance_from(code: u8) -> Result<Option<Provenance>, Malformed> {
    match code {
        0 => Ok(None),
        1 => Ok(Some(Provenance::User)),
        2 => Ok(Some(Provenance::Framework)),
        _ => Err(Malformed("a provenance is neither none, user nor framework")),
    }
}

/// The values that fields are written relative to. They are reset at the start of every block.
#[derive(Default)]
pub(crate) struct Previous {
    at: u64,
    source: u32,
    source_id: u64,
}

fn difference(new: u64, old: &mut u64) -> u64 {
    let delta = new.wrapping_sub(*old).cast_signed();
    *old = new;
    zigzag(delta)
}

impl Previous {
    /// Appends the fields that `mask` announces.
    pub(crate) fn put(&mut self, out: &mut Vec<u8>, mask: u8, attributes: &Attributes) {
        if let Some(at) = attributes.at.filter(|_| mask & AT != 0) {
            varint::put(out, difference(at, &mut self.at));
        }
        if let Some(value) = attributes.value.filter(|_| mask & VALUE != 0) {
            varint::put(out, u64::from(value.0));
        }
        if let Some(source) = attributes.source.filter(|_| mask & SOURCE != 0) {
            varint::put(out, zigzag(i64::from(source.0) - i64::from(self.source)));
            self.source = source.0;
        }
        if let Some(source_id) = attributes.source_id.filter(|_| mask & SOURCE_ID != 0) {
            varint::put(out, difference(source_id, &mut self.source_id));
        }
        if let Some(event_type) = attributes.event_type.filter(|_| mask & EVENT_TYPE != 0) {
            varint::put(out, u64::from(event_type.0));
        }
        if let Some(event_name) = attributes.event_name.filter(|_| mask & EVENT_NAME != 0) {
            varint::put(out, u64::from(event_name.0));
        }
        if mask & PROVENANCE != 0 {
            out.push(provenance_code(attributes.provenance));
        }
    }

    /// Reads the fields that `mask` announces.
    pub(crate) fn get(&mut self, from: &mut Cursor, mask: u8) -> Result<Attributes, Malformed> {
        let mut attributes = Attributes::default();
        if mask & AT != 0 {
            self.at = self.at.wrapping_add(unzigzag(from.long()?).cast_unsigned());
            attributes.at = Some(self.at);
        }
        if mask & VALUE != 0 {
            attributes.value = Some(TextId(from.id()?));
        }
        if mask & SOURCE != 0 {
            attributes.source = Some(self.source(from)?);
        }
        if mask & SOURCE_ID != 0 {
            self.source_id = self.source_id.wrapping_add(unzigzag(from.long()?).cast_unsigned());
            attributes.source_id = Some(self.source_id);
        }
        if mask & EVENT_TYPE != 0 {
            attributes.event_type = Some(TextId(from.id()?));
        }
        if mask & EVENT_NAME != 0 {
            attributes.event_name = Some(TextId(from.id()?));
        }
        if mask & PROVENANCE != 0 {
            attributes.provenance = provenance_from(from.byte()?)?;
        }
        Ok(attributes)
    }

    /// Advances to the source position after the last if that is `source`. Returns whether it is.
    pub(crate) fn advance_source(&mut self, source: Option<SourceId>) -> bool {
        let follows = source.is_some_and(|source| source.0 == self.source.wrapping_add(1));
        self.source += u32::from(follows);
        follows
    }

    /// Returns the source position that is `by` after the last.
    #[inline]
    pub(crate) fn advance(&mut self, by: impl Into<u32>) -> SourceId {
        self.source = self.source.wrapping_add(by.into());
        SourceId(self.source)
    }

    fn source(&mut self, from: &mut Cursor) -> Result<SourceId, Malformed> {
        let source = i64::from(self.source) + unzigzag(from.short()?);
        self.source = u32::try_from(source)
            .ok()
            .filter(|&source| source != u32::MAX)
            .ok_or(Malformed("a source position lies outside its table"))?;
        Ok(SourceId::new(self.source as usize))
    }
}
