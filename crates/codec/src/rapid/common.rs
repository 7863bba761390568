//! Common lines, as RAPID writes them: `T12|r(V345)|6`.
//!
//! Accesses and lock operations whose names are the usual letter and up to seven digits, and whose
//! location is such a number, are parsed without a loop. [`super::line`] parses all other lines,
//! and would give the same result for common ones.

use super::line::Operation;
use super::swar::{WINDOW, load, number};

/// The letters of common names.
pub(super) const THREAD: u8 = b'T';
pub(super) const LOCATION: u8 = b'V';
pub(super) const LOCK: u8 = b'L';

/// A common line: the numbers in its names, and its length with its end.
#[derive(Clone, Copy)]
pub(super) struct Common {
    pub(super) thread: u32,
    pub(super) target: u32,
    pub(super) operation: Operation,
    pub(super) len: usize,
}

/// Parses the line that `window` starts with, if it is a common line.
#[inline]
pub(super) fn parse(window: &[u8; WINDOW]) -> Option<Common> {
    const ACQUIRE: u64 = u64::from_le_bytes([b'|', b'a', b'c', b'q', b'(', LOCK, 0, 0]);
    const RELEASE: u64 = u64::from_le_bytes([b'|', b'r', b'e', b'l', b'(', LOCK, 0, 0]);
    const ACCESS: u64 = u64::from_le_bytes([b'|', 0, b'(', LOCATION, 0, 0, 0, 0]);
    if window[0] != THREAD {
        return None;
    }
    let (thread, digits) = number(load(window, 1))?;
    let word = load(window, 1 + digits);
    let letter = (word >> 8) as u8;
    let lock_word = word & 0xffff_ffff_ffff;
    let (operation, at) = if word & 0xffff_00ff == ACCESS && (letter == b'r' || letter == b'w') {
        let operation = if letter == b'w' { Operation::Write } else { Operation::Read };
        (operation, 1 + digits + 4)
    } else if lock_word == ACQUIRE || lock_word == RELEASE {
        let operation = if lock_word == ACQUIRE { Operation::Acquire } else { Operation::Release };
        (operation, 1 + digits + 6)
    } else {
        return None;
    };
    let (target, digits) = number(load(window, at))?;
    let at = at + digits;
    if window[at..at + 2] != *b")|" {
        return None;
    }
    let (_, digits) = number(load(window, at + 2))?;
    let end = at + 2 + digits;
    (window[end] == b'\n').then_some(Common { thread, target, operation, len: end + 1 })
}
