//! Parses the numbers and words of a line eight bytes at a time, without a loop or branch for each
//! digit.

/// The largest length of a common line, its end included. [`super::common`] looks at so many bytes.
pub(super) const WINDOW: usize = 40;

/// Loads eight bytes of a line. The first byte is the lowest.
#[allow(clippy::inline_always, reason = "a quarter of the time of a scan when it is a call")]
#[inline(always)]
pub(super) fn load(line: &[u8; WINDOW], at: usize) -> u64 {
    let bytes = line[at..at + 8].first_chunk::<8>();
    u64::from_le_bytes(*bytes.expect("a slice of eight bytes"))
}

/// Parses the digits at the start of `word`. Returns their value and their number, 1 to 7. None if
/// there is no digit, if all bytes are digits, or if a leading zero makes it another name.
#[allow(clippy::inline_always, reason = "a quarter of the time of a scan when it is a call")]
#[inline(always)]
pub(super) fn number(word: u64) -> Option<(u32, usize)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = word ^ (EACH * u64::from(b'0'));
    // The high bit of every byte above 9. A carry reaches only bytes after the first such byte.
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    let len = others.trailing_zeros() / 8;
    if len == 0 || len == 8 || (len > 1 && digits.trailing_zeros() >= 8) {
        return None;
    }
    // The digits move to the top, with zeros below, and are combined to pairs, fours and eight (the
    // first digit is in the low byte).
    let digits = digits << (64 - 8 * len);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let value = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) as u32;
    Some((value, len as usize))
}

#[cfg(test)]
mod tests {
    use super::number;

    fn number_in(text: &[u8]) -> Option<(u32, usize)> {
        number(u64::from_le_bytes(*text.first_chunk().expect("eight bytes")))
    }

    #[test]
    fn numbers_are_what_their_digits_say() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..100_000 {
            let value = rng.u32(0..10_000_000) >> rng.u32(0..24);
            let mut text = value.to_string().into_bytes();
            let len = text.len();
            text.push([b'|', b')', b'\n', b'/', b':', 0xff, 0][rng.usize(0..7)]);
            text.extend((0..8).map(|_| rng.u8(..)));
            assert_eq!(number_in(&text), Some((value, len)), "{text:?}");
        }
    }

    #[test]
    fn other_numbers_are_not_parsed_here() {
        assert_eq!(number_in(b"0|......"), Some((0, 1)));
        assert_eq!(number_in(b"9999999)"), Some((9_999_999, 7)));
        let odd: [&[u8; 8]; 4] = [b"|.......", b"12345678", b"01|.....", b"00|....."];
        for text in odd {
            assert_eq!(number_in(text), None, "{text:?}");
        }
    }
}
