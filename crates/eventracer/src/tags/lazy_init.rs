//! `MAYBE_LAZY_INIT`: the cell is written once, by an op that made the cell's first read before.
//!
//! The paper also requires that this read found nothing; the original does not check the value.

use super::RacyCell;

pub(super) fn holds(cell: &RacyCell<'_>) -> bool {
    let mut writes = cell.writes();
    let (Some(write), None) = (writes.next(), writes.next()) else { return false };
    cell.reads()
        .next()
        .is_some_and(|read| read.op() == write.op() && read.command() < write.command())
}
