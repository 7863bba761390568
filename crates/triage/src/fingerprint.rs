//! Fingerprints, which identify the same race in different recordings.
//!
//! A fingerprint is computed from the location's [`pattern`] and from both accesses' functions and
//! kinds, in either order. It does not depend on line numbers, the order of functions in a file,
//! object ids or instance numbers.

use std::fmt;

use races::Race;
use trace::{Op, OpId, Trace};

use crate::name::pattern;

/// A 64-bit fingerprint, shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a race.
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

/// Returns the kind of an access and the function that contains it.
fn side(trace: &Trace, op: OpId) -> Vec<u8> {
    let mut bytes = vec![if matches!(trace.op(op), Op::Write(_)) { b'w' } else { b'r' }];
    if let Some(frame) = trace.stacks().frames(trace.stack_of(op)).next() {
        bytes.extend(pattern(trace.names().functions.get(frame.function)));
    }
    bytes
}

/// Returns the FNV-1a hash, which is stable between versions of this program; the standard hasher
/// is not.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
