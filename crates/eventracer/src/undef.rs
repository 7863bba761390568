//! How each read of a cell relates to the cell's initialization: the original's `/undef` page.

use crate::access::{Access, AccessTable, CellId};
use crate::compat::RacePaths;
use crate::connectivity::Order;
use crate::ids::OpId;

/// A read against the cell's first write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialized {
    /// In an op before the first write's.
    Before,
    /// After the first write in happens-before.
    Ordered,
    /// After some write, if the races on a path keep their outcome.
    Covered,
    /// Perhaps before every write.
    Uncovered,
}

impl Initialized {
    /// The original's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Ordered => "ordered",
            Self::Covered => "covered",
            Self::Uncovered => "uncovered",
        }
    }
}

/// Every read of a cell; none if the cell is never written.
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
    // The original passes over access number 0 even if it is a write.
    let mut writes = accesses.iter().skip(1).filter(|access| !access.is_read());
    if writes.any(|write| paths.exists(write.op(), read.op(), read.command())) {
        Initialized::Covered
    } else {
        Initialized::Uncovered
    }
}
