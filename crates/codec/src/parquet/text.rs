//! Converts names to UTF-8 and back.

use std::fmt::Write;

/// Returns the name with `%`, and every byte that is no UTF-8, written as `%XX`.
pub(super) fn spell(name: &[u8]) -> String {
    let mut spelled = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        spelled.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            write!(spelled, "%{byte:02X}").expect("memory takes all");
        }
    }
    spelled
}

/// The inverse of [`spell`]. A `%` that is not followed by two hexadecimal digits stands for
/// itself.
pub(super) fn unspell(mut spelled: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(spelled.len());
    while let Some((&byte, rest)) = spelled.split_first() {
        let digits = rest.first_chunk::<2>().and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) if byte == b'%' => {
                name.push(escaped);
                spelled = &rest[2..];
            }
            _ => {
                name.push(byte);
                spelled = rest;
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_survive(name: Vec<u8>) {
            prop_assert_eq!(unspell(spell(&name).as_bytes()), name);
        }
    }

    #[test]
    fn readable_names_stay_readable() {
        assert_eq!(spell("größe 100%".as_bytes()), "größe 100%25");
        assert_eq!(spell(b"\xff\0"), "%FF\0");
    }
}
