//! Program states as bit strings.

use crate::core::{Program, Type};

/// Bits of an unbounded integer.
const UNBOUNDED: u32 = 64;

/// The position of a variable's bits.
#[derive(Clone, Copy, Debug)]
struct Field {
    offset: u32,
    width: u32,
    low: i64,
}

/// How the values of a list of variables are packed into words.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    bits: u32,
}

/// Packed values.
pub(super) type Packed = Box<[u64]>;

impl Layout {
    /// A layout for variables of these types, in order.
    pub(super) fn new(program: &Program, types: impl IntoIterator<Item = Type>) -> Self {
        let mut layout = Self { fields: Vec::new(), bits: 0 };
        for ty in types {
            let (width, low) = match program.bounds(ty) {
                None => (UNBOUNDED, 0),
                Some((low, high)) => (64 - ((high - low) as u64).leading_zeros(), low),
            };
            // No field straddles two words.
            if layout.bits % 64 + width > 64 {
                layout.bits = layout.bits.next_multiple_of(64);
            }
            layout.fields.push(Field { offset: layout.bits, width, low });
            layout.bits += width;
        }
        layout
    }

    pub(super) fn words(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    pub(super) fn get(&self, words: &[u64], index: usize) -> i64 {
        let field = self.fields[index];
        if field.width == 0 {
            return field.low;
        }
        let raw = words[(field.offset / 64) as usize] >> (field.offset % 64);
        if field.width == UNBOUNDED {
            return raw.cast_signed();
        }
        (raw & ((1 << field.width) - 1)).cast_signed() + field.low
    }

    pub(super) fn set(&self, words: &mut [u64], index: usize, value: i64) {
        let field = self.fields[index];
        if field.width == 0 {
            return;
        }
        let word = &mut words[(field.offset / 64) as usize];
        if field.width == UNBOUNDED {
            *word = value.cast_unsigned();
            return;
        }
        let mask = ((1u64 << field.width) - 1) << (field.offset % 64);
        let raw = (value - field.low).cast_unsigned() << (field.offset % 64);
        *word = (*word & !mask) | (raw & mask);
    }
}
