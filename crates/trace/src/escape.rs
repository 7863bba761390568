//! The spelling of names and values for people: printable ASCII stands for itself, every other byte
//! is written `%XX`.

use std::fmt;

/// Whether a byte stands for itself in the notation.
pub fn is_plain(byte: u8) -> bool {
    (0x21..=0x7e).contains(&byte) && !matches!(byte, b'#' | b'=' | b'%')
}

/// Displays a byte string with every byte outside printable ASCII, and space, `#`, `=`, `%`, as
/// `%XX`. The result is safe in a terminal, is one word in the notation, and can be reversed.
#[derive(Clone, Copy)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while !rest.is_empty() {
            let plain = rest.iter().position(|&b| !is_plain(b)).unwrap_or(rest.len());
            f.write_str(std::str::from_utf8(&rest[..plain]).expect("plain bytes are ASCII"))?;
            if let Some(byte) = rest.get(plain) {
                write!(f, "%{byte:02X}")?;
            }
            rest = rest.get(plain + 1..).unwrap_or_default();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_plain_are_escaped() {
        assert_eq!(Escaped(b"a b#c=d%e\n\xff~").to_string(), "a%20b%23c%3Dd%25e%0A%FF~");
        assert_eq!(Escaped(b"").to_string(), "");
        assert_eq!(Escaped(b"\x1b[31m").to_string(), "%1B[31m");
    }
}
