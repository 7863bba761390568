//! The original's two indications of harm: initialization races and network races.
//!
//! An initialization race is a read that may run before every write and that read a value other
//! than a plain constant. The original adds two things to the paper's definition: the test of the
//! value, and that it gives up at a read that did run before the first write.

use crate::access::Access;
use crate::compat::RacePaths;
use crate::connectivity::Order;
use crate::detect::Race;
use crate::ids::OpId;
use crate::log::ActionLog;
use crate::tags::RacyCell;

/// The number of commands of an op among which its first scope must be entered for the op to count
/// as a network handler.
const HANDLER_WITHIN: usize = 32;

/// Whether some read of the cell may find it uninitialized.
pub fn has_initialization_race<O: Order + ?Sized>(
    cell: &RacyCell<'_>,
    paths: &mut RacePaths<'_, O>,
) -> bool {
    let Some(first_write) = cell.writes().next().map(Access::op) else { return false };
    for read in cell.reads() {
        if read.op() < first_write {
            return false;
        }
        let value = cell.log.value_of(read.op(), read.command());
        if value.is_some_and(|value| is_plain(cell.log.value_text(value))) {
            continue;
        }
        let mut writes = cell.writes();
        if !writes.any(|write| paths.exists(write.op(), read.op(), read.command())) {
            return true;
        }
    }
    false
}

/// Whether some uncovered race of the cell involves a network handler.
pub fn has_network_race(cell: &RacyCell<'_>) -> bool {
    cell.open.iter().any(|race| is_network_race(cell.log, race))
}

/// Whether an op of the race handles a change of a request's ready state.
pub fn is_network_race(log: &ActionLog, race: &Race) -> bool {
    race.ops().into_iter().any(|op| handles_ready_state(log, op))
}

fn handles_ready_state(log: &ActionLog, op: OpId) -> bool {
    log.first_scope(op, HANDLER_WITHIN)
        .is_some_and(|scope| scope.starts_with(b"fire:readystatechange"))
}

/// Returns whether a value is a constant that code usually checks for or tolerates: nothing, a
/// boolean, or an integer in C notation.
fn is_plain(value: &[u8]) -> bool {
    matches!(value, b"undefined" | b"NULL" | b"true" | b"false") || is_c_integer(value)
}

/// Whether `text` is not empty and C's `strtol` with base 0 would parse all of it.
fn is_c_integer(text: &[u8]) -> bool {
    let text = &text[text.iter().take_while(|byte| is_c_space(**byte)).count()..];
    let text = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    let hex = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"));
    if let Some(digits) = hex.filter(|digits| !digits.is_empty()) {
        return digits.iter().all(u8::is_ascii_hexdigit);
    }
    let is_digit = |byte: &u8| match text.first() {
        Some(b'0') => matches!(byte, b'0'..=b'7'),
        _ => byte.is_ascii_digit(),
    };
    !text.is_empty() && text.iter().all(is_digit)
}

fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn plain_values() {
        let plain: [&[u8]; 12] = [
            b"undefined",
            b"NULL",
            b"true",
            b"false",
            b"0",
            b"-7",
            b" \t+42",
            b"0x1F",
            b"0X0",
            b"017",
            b"00",
            b"9",
        ];
        for text in plain {
            assert!(is_plain(text), "{}", text.escape_ascii());
        }
        let rich: [&[u8]; 10] = [
            b"08",
            b"12.5",
            b"0x",
            b"0xg",
            b"- 1",
            b"1 ",
            b"True",
            b"Object[3]",
            b"\"1\"",
            b"0x-1",
        ];
        for text in rich {
            assert!(!is_plain(text), "{}", text.escape_ascii());
        }
    }
}
