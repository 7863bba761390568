//! What stays equal when the same race shows up in another recording.
//!
//! A fingerprint is made of the location's pattern, and of both accesses' function and kind,
//! whichever came first. Line numbers are no part of it, and numbers inside names (object ids,
//! instance numbers, addresses) are replaced by `#`.

use std::fmt;

use races::Race;
use trace::{Op, OpId, Trace};

/// A 64-bit fingerprint, shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Fingerprint {
    /// The fingerprint of a race.
    pub(crate) fn of(trace: &Trace, race: &Race) -> Self {
        let mut sides = [side(trace, race.first), side(trace, race.second)];
        sides.sort_unstable();
        let mut bytes = pattern(trace.names().locations.get(race.location));
        for side in sides {
            bytes.push(0);
            bytes.extend(side);
        }
        Self(fnv1a(&bytes))
    }
}

/// The kind of an access and the function it stands in.
fn side(trace: &Trace, op: OpId) -> Vec<u8> {
    let mut bytes = vec![if matches!(trace.op(op), Op::Write(_)) { b'w' } else { b'r' }];
    if let Some(frame) = trace.stacks().frames(trace.stack_of(op)).next() {
        bytes.extend(pattern(trace.names().functions.get(frame.function)));
    }
    bytes
}

/// A name with every number replaced by `#`: decimal, or hexadecimal after `0x`.
fn pattern(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, tail)) = rest.split_first() {
        let is_hex = byte == b'0' && tail.first() == Some(&b'x');
        let digits = if is_hex {
            2 + tail[1..].iter().take_while(|b| b.is_ascii_hexdigit()).count()
        } else {
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        };
        out.push(if digits > 0 { b'#' } else { byte });
        rest = &rest[digits.max(1)..];
    }
    out
}

/// FNV-1a: stable between versions of this program, which the standard hasher is not.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_do_not_matter() {
        assert_eq!(
            pattern(b"Object(created at app.js:12)@3.items"),
            b"Object(created at app.js:#)@#.items"
        );
        assert_eq!(pattern(b"DOMNode[0x7fA0].id"), b"DOMNode[#].id");
        assert_eq!(pattern(b"0x"), b"#");
        assert_eq!(pattern(b"x"), b"x");
    }

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
