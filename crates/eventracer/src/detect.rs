//! Candidate races (paper §4.2), found and numbered as the original does.
//!
//! For each cell, every access is compared with the write before it, and every read with the write
//! after it. Two of these that are unordered race. These races cover any other race of the cell.

use crate::access::{Access, AccessTable, CellId};
use crate::connectivity::Order;
use crate::ids::OpId;

/// The kind of an access in a race, which depends on the other accesses of its op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A read, and no later access of the op writes.
    Read,
    /// A write, and no earlier access of the op reads.
    Write,
    /// A read before a write of the op, or a write after a read.
    Update,
}

impl AccessKind {
    /// The original's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::Update => "UPDATE",
        }
    }
}

/// Two unordered accesses to a cell, at least one a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The cell.
    pub cell: CellId,
    /// The earlier access.
    pub first: Access,
    /// The later access.
    pub second: Access,
    /// The kinds of the two accesses.
    pub kinds: (AccessKind, AccessKind),
}

impl Race {
    /// Whether both accesses only write.
    pub fn is_write_write(&self) -> bool {
        self.kinds == (AccessKind::Write, AccessKind::Write)
    }

    /// The two ops.
    pub fn ops(&self) -> [OpId; 2] {
        [self.first.op(), self.second.op()]
    }
}

/// The numbers of cells with at least one race of each shape, as the original counts them while
/// loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeCounters {
    /// Cells with a write racing with the write before it.
    pub write_write: usize,
    /// Cells with a read racing with the write after it.
    pub read_write: usize,
    /// Cells with a read racing with the write before it.
    pub write_read: usize,
}

/// The races that were found.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// The races; the id of a race is its index. They are sorted by second access; ties are in the
    /// order of discovery: by cell, races with the write before, races with the write after.
    pub races: Vec<Race>,
    /// The numbers of cells by the shapes of their races.
    pub shapes: ShapeCounters,
}

/// Whether a cell can race at all: two writes, or a write and a read.
pub fn is_shared(accesses: &[Access]) -> bool {
    accesses.len() >= 2 && accesses.iter().any(|access| !access.is_read())
}

/// Finds the races.
pub fn detect<O: Order + ?Sized>(table: &AccessTable, order: &O) -> Detection {
    let mut races = Vec::new();
    let mut shapes = ShapeCounters::default();
    for cell in table.cells() {
        let accesses = table.of_cell(cell);
        if !is_shared(accesses) {
            continue;
        }
        let from = races.len();
        races_with_write_before(cell, accesses, order, &mut races);
        let middle = races.len();
        races_with_write_after(cell, accesses, order, &mut races);
        let forward = &races[from..middle];
        shapes.write_write += usize::from(forward.iter().any(|race| !race.second.is_read()));
        shapes.write_read += usize::from(forward.iter().any(|race| race.second.is_read()));
        shapes.read_write += usize::from(races.len() > middle);
    }
    races.sort_by_key(|race| (race.second.op(), race.second.command()));
    Detection { races, shapes }
}

fn races_with_write_before<O: Order + ?Sized>(
    cell: CellId,
    accesses: &[Access],
    order: &O,
    races: &mut Vec<Race>,
) {
    let mut write = None;
    for (i, access) in accesses.iter().enumerate() {
        if let Some(w) = write {
            push_unordered(cell, accesses, (w, i), order, races);
        }
        if !access.is_read() {
            write = Some(i);
        }
    }
}

fn races_with_write_after<O: Order + ?Sized>(
    cell: CellId,
    accesses: &[Access],
    order: &O,
    races: &mut Vec<Race>,
) {
    let mut write = None;
    for (i, access) in accesses.iter().enumerate().rev() {
        match write {
            _ if !access.is_read() => write = Some(i),
            Some(w) => push_unordered(cell, accesses, (i, w), order, races),
            None => {}
        }
    }
}

fn push_unordered<O: Order + ?Sized>(
    cell: CellId,
    accesses: &[Access],
    (i, j): (usize, usize),
    order: &O,
    races: &mut Vec<Race>,
) {
    let (first, second) = (accesses[i], accesses[j]);
    if !order.le(first.op(), second.op()) {
        races.push(Race { cell, first, second, kinds: (kind(accesses, i), kind(accesses, j)) });
    }
}

fn kind(accesses: &[Access], i: usize) -> AccessKind {
    let access = accesses[i];
    let same_op = |other: &&Access| other.op() == access.op();
    if access.is_read() {
        let later = accesses[i + 1..].iter().take_while(same_op);
        if later.into_iter().any(|other| !other.is_read()) {
            return AccessKind::Update;
        }
        AccessKind::Read
    } else {
        let earlier = accesses[..i].iter().rev().take_while(same_op);
        if earlier.into_iter().any(|other| other.is_read()) {
            return AccessKind::Update;
        }
        AccessKind::Write
    }
}
