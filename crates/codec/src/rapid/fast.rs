//! The usual line, `T12|r(V345)|678`, without a loop over its characters.
//!
//! Where a number ends differs from line to line, so a loop over digits costs a mispredicted
//! branch each time. Eight bytes at once, the end found by arithmetic, cost the same for all
//! lengths. Any other line is left to the general parser, which reads this one alike.

/// A letter and a number.
pub(super) type Numbered = (u8, u32);

/// The events that take a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Read,
    Write,
    Acquire,
    Release,
    Fork,
    Join,
}

/// A usual line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) thread: Numbered,
    pub(super) event: Event,
    pub(super) argument: Numbered,
    pub(super) position: u32,
    /// Bytes of the line with its end.
    pub(super) len: usize,
}

/// The line at the start of `text`, if it is a usual one with some bytes after it.
#[inline]
pub(super) fn line(text: &[u8]) -> Option<Line> {
    let mut at = 0;
    let thread = numbered(text, &mut at)?;
    let rest = text.get(at..at + 6)?;
    let (event, len) = match rest {
        [b'|', b'r', b'(', ..] => (Event::Read, 3),
        [b'|', b'w', b'(', ..] => (Event::Write, 3),
        [b'|', b'a', b'c', b'q', b'(', _] => (Event::Acquire, 5),
        [b'|', b'r', b'e', b'l', b'(', _] => (Event::Release, 5),
        b"|fork(" => (Event::Fork, 6),
        b"|join(" => (Event::Join, 6),
        _ => return None,
    };
    at += len;
    let argument = numbered(text, &mut at)?;
    if text.get(at..at + 2)? != b")|" {
        return None;
    }
    at += 2;
    let position = digits(text, &mut at)?;
    (text.get(at) == Some(&b'\n')).then_some(Line {
        thread,
        event,
        argument,
        position,
        len: at + 1,
    })
}

#[inline]
fn numbered(text: &[u8], at: &mut usize) -> Option<Numbered> {
    let letter = *text.get(*at)?;
    *at += 1;
    Some((letter, digits(text, at).filter(|_| letter.is_ascii_alphabetic())?))
}

/// A number of one to seven digits without leading zeros.
#[inline]
fn digits(text: &[u8], at: &mut usize) -> Option<u32> {
    let word = u64::from_le_bytes(*text.get(*at..)?.first_chunk()?);
    let values = word ^ 0x3030_3030_3030_3030;
    // A byte above 9 gets its high bit; a carry only spoils bytes behind the first such.
    let beyond = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let len = beyond.trailing_zeros() / 8;
    if len == 0 || len == 8 || (values as u8 == 0 && len > 1) {
        return None;
    }
    *at += len as usize;
    // Right-aligned, the digits in front are zeros; pairs, fours and eight are summed in turn.
    let aligned = values << (64 - 8 * len);
    let pairs = (aligned.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000 << 32 | 1) >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_usual_lines_are_taken() {
        let usual = b"T1|acq(L0)|34\nrest of the file";
        let line = line(usual).expect("usual");
        assert_eq!(
            (line.thread, line.event, line.argument),
            ((b'T', 1), Event::Acquire, (b'L', 0))
        );
        assert_eq!((line.position, line.len), (34, 14));
        for other in [
            "T01|r(V1)|1\n_______",
            "T1|r(V1)|1",
            "T1|r(V1)\n________",
            "T1|x(V1)|1\n_______",
            "T1|r(V12345678)|1\n_______",
            "main|r(V1)|1\n_______",
            "T1|r(V1)|1\r\n_______",
            "T1|r(V1.f)|1\n_______",
            "",
            "T",
            "T1",
            "T1|begin(V1)|1\n_______",
        ] {
            assert_eq!(super::line(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_written(number in 0..10_000_000_u32, rest in "[^0-9][ -~]{7}") {
            let text = format!("{number}{rest}");
            let mut at = 0;
            prop_assert_eq!(digits(text.as_bytes(), &mut at), Some(number));
            prop_assert_eq!(at, number.to_string().len());
        }
    }
}
