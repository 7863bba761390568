//! `WRITE_SAME_VALUE`: all races of the cell, covered ones too, are between plain writes, and every
//! write has a recorded value, always the same.
//!
//! The paper requires this of the uncovered races only.

use super::RacyCell;

pub(super) fn holds(cell: &RacyCell<'_>) -> bool {
    let mut values = cell.writes().map(|write| cell.log.value_of(write.op(), write.command()));
    let Some(Some(value)) = values.next() else { return false };
    values.all(|other| other == Some(value)) && cell.all.iter().all(|race| race.is_write_write())
}
