//! Source positions: `FILE:LINE` and `FILE:LINE:COL`.
//!
//! The file name may contain colons, so a position is split from its end. Only a file name that
//! itself ends like a position needs an escape, and only if no column follows.

/// The parts of a position, as written.
pub(crate) struct Parts<'a> {
    pub(crate) file: &'a [u8],
    pub(crate) line: &'a [u8],
    pub(crate) column: Option<&'a [u8]>,
}

/// Splits a position into its parts.
pub(crate) fn split(position: &[u8]) -> Option<Parts<'_>> {
    let (rest, last) = split_number(position)?;
    Some(match split_number(rest) {
        Some((file, line)) => Parts { file, line, column: Some(last) },
        None => Parts { file: rest, line: last, column: None },
    })
}

/// Splits `FILE:DIGITS` into its two parts.
pub(crate) fn split_number(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memrchr(b':', text)?;
    let number = &text[colon + 1..];
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    is_number.then_some((&text[..colon], number))
}
