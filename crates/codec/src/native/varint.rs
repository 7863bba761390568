//! LEB128 numbers: seven bits a byte, least significant first, the high bit on all but the last.
//!
//! Signed numbers are zigzag-coded first: 0, -1, 1, -2, … become 0, 1, 2, 3, …

/// The number of zero bytes that must follow a payload given to [`Cursor`], so that a load needs no
/// bounds check.
pub(crate) const PADDING: usize = 16;

/// Appends a number.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The unsigned form of a signed number.
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Why a payload could not be decoded, in one line and in the terms of docs/format.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

const OVERRUN: Malformed = Malformed("a row runs past the end of its block");
const TOO_LONG: Malformed = Malformed("a number is longer than five bytes");

/// The number whose bytes are the first `len` of `word`, one to five.
#[inline]
fn joined(word: u64, len: usize) -> u64 {
    let word = word & (u64::MAX >> (64 - 8 * len));
    word & 0x7f
        | (word & 0x7f00) >> 1
        | (word & 0x7f_0000) >> 2
        | (word & 0x7f00_0000) >> 3
        | (word & 0x7f_0000_0000) >> 4
}

/// The number of bytes that are examined together.
const AHEAD: usize = 64;

/// Returns a bit set of the bytes that end a number among the first 64. Bit `i` stands for byte
/// `i`.
#[inline]
fn ends(bytes: &[u8; AHEAD + PADDING]) -> u64 {
    let (words, _) = bytes[..AHEAD].as_chunks::<8>();
    words.iter().rev().fold(0, |ends, &word| {
        let last = !u64::from_le_bytes(word) >> 7 & 0x0101_0101_0101_0101;
        // This moves bit 8 i to bit 56 + i.
        ends << 8 | last.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// Reads numbers from a payload that is followed by [`PADDING`] zero bytes.
///
/// Reading past the end is not an error at once: the padding reads as zeros, and [`Cursor::at_end`]
/// reports it. A decoder must call it after every row at the latest.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over `padded` without its padding.
    pub(crate) fn new(padded: &'a [u8]) -> Self {
        let end = padded.len() - PADDING;
        debug_assert!(padded[end..].iter().all(|&b| b == 0));
        Self { bytes: padded, at: 0, end }
    }

    /// Whether the whole payload was read. It is an error if more was read.
    #[inline]
    pub(crate) fn at_end(&self) -> Result<bool, Malformed> {
        if self.at > self.end { Err(OVERRUN) } else { Ok(self.at == self.end) }
    }

    /// The number of bytes read so far.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The next byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = *self.bytes.get(self.at).ok_or(OVERRUN)?;
        self.at += 1;
        Ok(byte)
    }

    /// The next number of at most 35 bits, five bytes: an id, or a row's head.
    ///
    /// Decoded without a branch on its length, which varies from row to row.
    #[inline]
    pub(crate) fn short(&mut self) -> Result<u64, Malformed> {
        let window = self.bytes.get(self.at..self.at + 8).ok_or(OVERRUN)?;
        let word = u64::from_le_bytes(window.try_into().expect("eight bytes"));
        let stops = !word & 0x80_8080_8080;
        if stops == 0 {
            return Err(TOO_LONG);
        }
        let len = stops.trailing_zeros() as usize / 8 + 1;
        self.at += len;
        Ok(joined(word, len))
    }

    /// Passes numbers of the form that [`Cursor::short`] reads to `take`, as long as `take` returns
    /// true. It may stop earlier, but passes at least one.
    ///
    /// The ends of the numbers are found for 64 bytes at once, so that no number depends on the one
    /// before it.
    #[inline]
    pub(crate) fn shorts(&mut self, mut take: impl FnMut(u64) -> bool) -> Result<(), Malformed> {
        let ahead = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<{ AHEAD + PADDING }>);
        let Some(ahead) = ahead else {
            take(self.short()?);
            return Ok(());
        };
        let mut ends = ends(ahead);
        let mut start = 0;
        while ends != 0 {
            let end = ends.trailing_zeros() as usize;
            let len = end + 1 - start;
            if len > 5 {
                return Err(TOO_LONG);
            }
            let window = ahead[start..].first_chunk().expect("more than eight bytes are left");
            let number = joined(u64::from_le_bytes(*window), len);
            start = end + 1;
            ends &= ends - 1;
            if !take(number) {
                break;
            }
        }
        self.at += start;
        if start == 0 { Err(TOO_LONG) } else { Ok(()) }
    }

    /// The next number of at most 64 bits, ten bytes.
    pub(crate) fn long(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return Err(Malformed("a number is longer than 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed("a number is longer than ten bytes"))
    }

    /// The next number, which must fit an id.
    #[inline]
    pub(crate) fn id(&mut self) -> Result<u32, Malformed> {
        let value = self.short()?;
        match u32::try_from(value) {
            Ok(id) if id != u32::MAX => Ok(id),
            _ => Err(Malformed("an id is longer than 32 bits")),
        }
    }

    /// The next number minus one, or `None` for 0.
    pub(crate) fn optional_id(&mut self) -> Result<Option<u32>, Malformed> {
        let value = self.short()?;
        match value.checked_sub(1).map(u32::try_from) {
            None => Ok(None),
            Some(Ok(id)) if id != u32::MAX => Ok(Some(id)),
            Some(_) => Err(Malformed("an id is longer than 32 bits")),
        }
    }

    /// The next `len` bytes.
    pub(crate) fn bytes(&mut self, len: u64) -> Result<&'a [u8], Malformed> {
        let left = self.end.checked_sub(self.at).ok_or(OVERRUN)?;
        let len = usize::try_from(len).ok().filter(|&len| len <= left).ok_or(OVERRUN)?;
        let bytes = &self.bytes[self.at..self.at + len];
        self.at += len;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.extend_from_slice(&[0; PADDING]);
        bytes
    }

    proptest! {
        #[test]
        fn numbers_survive(values in proptest::collection::vec((any::<u64>(), 0..64u32), 0..50)) {
            let values: Vec<u64> = values.into_iter().map(|(v, shift)| v >> shift).collect();
            let mut bytes = Vec::new();
            for &v in &values {
                put(&mut bytes, v);
            }
            let bytes = padded(bytes);
            let (mut long, mut short) = (Cursor::new(&bytes), Cursor::new(&bytes));
            for &v in &values {
                prop_assert_eq!(long.long(), Ok(v));
                prop_assert_eq!(short.short().is_ok(), v < 1 << 35);
                short.at = long.at;
                prop_assert_eq!(unzigzag(zigzag(v.cast_signed())), v.cast_signed());
            }
            prop_assert_eq!(long.at_end(), Ok(true));
        }

        #[test]
        fn many_at_once_are_those_one_by_one(
            values in proptest::collection::vec((0..1_u64 << 35, 0..36_u32), 0..200),
            bad in proptest::option::of(0..200_usize),
            stop in 0..50_usize,
        ) {
            let mut bytes = Vec::new();
            for (i, (value, shift)) in values.into_iter().enumerate() {
                put(&mut bytes, if Some(i) == bad { u64::MAX } else { value >> shift });
            }
            let bytes = padded(bytes);
            let (mut one, mut many) = (Cursor::new(&bytes), Cursor::new(&bytes));
            let mut left = stop;
            let failed = loop {
                if many.at_end() == Ok(true) {
                    break None;
                }
                let mut numbers = Vec::new();
                let before = many.at;
                let took = many.shorts(|number| {
                    numbers.push(number);
                    left = left.checked_sub(1).unwrap_or(stop);
                    left != stop
                });
                for number in numbers {
                    prop_assert_eq!(one.short(), Ok(number));
                }
                match took {
                    Ok(()) => prop_assert!(many.at == one.at && many.at > before),
                    Err(error) => break Some(error),
                }
            };
            prop_assert_eq!(failed, (one.at_end() == Ok(false)).then(|| one.short().unwrap_err()));
        }

        #[test]
        fn the_branchless_form_agrees_with_the_loop(value in 0..1u64 << 35) {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            let bytes = padded(bytes);
            prop_assert_eq!(Cursor::new(&bytes).short(), Ok(value));
        }
    }

    #[test]
    fn running_past_the_end_is_seen() {
        let bytes = padded(vec![0x80]);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.short(), Ok(0));
        assert_eq!(cursor.at_end(), Err(OVERRUN));
        assert_eq!(cursor.bytes(1), Err(OVERRUN));
    }
}
