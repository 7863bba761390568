//! Classifies how each read of a cell relates to the cell's initialization, as the original's
//! `/undef` page does.

use crate::access::{Access, AccessTable, CellId};
use crate::compat::RacePaths;
use crate::connectivity::Order;
use crate::ids::OpId;

/// How a read relates to the cell's first write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialized {
    /// The read is in an op before that of the first write.
    Before,
    /// The read follows the first write in happens-before.
    Ordered,
    /// The read follows some write if the races on a path keep their outcome.
    Covered,
    /// The read may run before every write.
    Uncovered,
}

impl Initialized {
    /// The original's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Ordered => "ordered",
            Self::Covered => "covered",
            Self::Uncovered => "uncovered",
        }
    }
}

/// Returns every read of a cell; none if the cell is never written.
pub fn classify_reads<O: Order + ?Sized>(
    table: &AccessTable,
    cell: CellId,
    order: &O,
    paths: &mut RacePaths<'_, O>,
) -> Vec<(Access, Initialized)> {
    let accesses = table.of_cell(cell);
    let Some(first_write) = accesses.iter().find(|access| !access.is_read()) else {
        return Vec::new();
    };
    let reads = accesses.iter().filter(|access| access.is_read());
    reads.map(|&read| (read, classify(accesses, first_write.op(), read, order, paths))).collect()
}

fn classify<O: Order + ?Sized>(
    accesses: &[Access],
    first_write: OpId,
    read: Access,
    order: &O,
    paths: &mut RacePaths<'_, O>,
) -> Initialized {
    if read.op() < first_write {
        return Initialized::Before;
    }
    if order.le(first_write, read.op()) {
        return Initialized::Ordered;
    }
    // The original skips access number 0 even if it is a write.
    let mut writes = accesses.iter().skip(1).filter(|access| !access.is_read());
    if writes.any(|write| paths.exists(write.op(), read.op(), read.command())) {
        Initialized::Covered
    } else {
        Initialized::Uncovered
    }
}
