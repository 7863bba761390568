//! Which locations can have a race at all, in one pass over the accesses.
//!
//! For every location the last write is kept, and the reads since then that no later read follows:
//! FastTrack's epochs (PLDI'09, §3), over tasks instead of threads. As long as no pair of a location
//! is unordered, its writes are in sequence, and each access is compared with all that matter. With
//! the first unordered pair the location is a suspect for good; who they are in detail is a question
//! for those few.
//!
//! Cost: sixteen bytes a location; a comparison or two an access, and an order query only where
//! another task accessed the location last.

use order::{Cursor, HappensBefore, Moment};
use trace::{LocationId, Trace};

/// The latest accesses of a location.
#[derive(Clone, Copy)]
struct Cell {
    writer: u32,
    /// From where on everything follows the write; see [`Moment::next`].
    written: u32,
    /// A task, or one of the marks below; the number of a list if there are several readers.
    reader: u32,
    read: u32,
}

const NOBODY: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;
/// As a writer: the location is a suspect.
const SUSPECT: u32 = u32::MAX - 2;

const UNTOUCHED: Cell = Cell { writer: NOBODY, written: 0, reader: NOBODY, read: 0 };

/// The locations seen so far.
#[derive(Default)]
pub struct Suspects {
    cells: Vec<Cell>,
    /// The readers of locations that several read: task and [`Moment::next`].
    readers: Vec<Vec<(u32, u32)>>,
}

impl Suspects {
    /// None so far, of about `locations`.
    pub fn new(locations: usize) -> Self {
        Self { cells: vec![UNTOUCHED; locations], readers: Vec::new() }
    }

    /// The locations of which some pair of accesses is unordered.
    pub fn found(&self) -> Vec<bool> {
        self.cells.iter().map(|cell| cell.writer == SUSPECT).collect()
    }

    /// Adds accesses that stand at one moment; without a moment nothing orders them.
    pub fn add(
        &mut self,
        cursor: &Cursor<'_>,
        moment: Option<&Moment>,
        accesses: impl Iterator<Item = (LocationId, bool)>,
    ) {
        for (location, write) in accesses {
            let index = location.0 as usize;
            if index >= self.cells.len() {
                self.cells.resize(index + 1, UNTOUCHED);
            }
            let cell = &mut self.cells[index];
            let Some(now) = moment else {
                cell.writer = SUSPECT;
                continue;
            };
            if write {
                if cell.writer == now.task && cell.reader == NOBODY {
                    cell.written = now.next;
                } else {
                    write_after(&self.readers, cell, cursor, now);
                }
            } else if cell.reader == now.task {
                cell.read = now.next;
            } else {
                read_after(&mut self.readers, cell, cursor, now);
            }
        }
    }
}

/// The suspects of a trace, where the order is made of tasks.
pub(crate) fn of_trace(trace: &Trace, order: &dyn HappensBefore) -> Option<Vec<bool>> {
    let mut cursor = order.cursor()?;
    let mut suspects = Suspects::new(trace.names().locations.len());
    for op in trace.ops() {
        match trace.op(op).access() {
            Some(access) => {
                let moment = cursor.moment(trace.thread_of(op), trace.event_of(op));
                suspects.add(&cursor, moment.as_ref(), std::iter::once(access));
            }
            None => cursor.pass(op),
        }
    }
    Some(suspects.found())
}

/// Whether an access of `task`, followed from `next` on, happens before `now`.
fn follows(cursor: &Cursor<'_>, now: &Moment, task: u32, next: u32) -> bool {
    task == now.task || cursor.knows(now, task, next)
}

fn write_after(readers: &[Vec<(u32, u32)>], cell: &mut Cell, cursor: &Cursor<'_>, now: &Moment) {
    if cell.writer == SUSPECT {
        return;
    }
    let after_write = cell.writer == NOBODY || follows(cursor, now, cell.writer, cell.written);
    let after_reads = match cell.reader {
        NOBODY => true,
        SEVERAL => {
            readers[cell.read as usize].iter().all(|&(task, next)| follows(cursor, now, task, next))
        }
        task => follows(cursor, now, task, cell.read),
    };
    *cell = if after_write && after_reads {
        Cell { writer: now.task, written: now.next, ..UNTOUCHED }
    } else {
        Cell { writer: SUSPECT, ..UNTOUCHED }
    };
}

fn read_after(
    readers: &mut Vec<Vec<(u32, u32)>>,
    cell: &mut Cell,
    cursor: &Cursor<'_>,
    now: &Moment,
) {
    if cell.writer == SUSPECT {
        return;
    }
    if cell.writer != NOBODY && !follows(cursor, now, cell.writer, cell.written) {
        *cell = Cell { writer: SUSPECT, ..UNTOUCHED };
        return;
    }
    let own = (now.task, now.next);
    match cell.reader {
        NOBODY => (cell.reader, cell.read) = own,
        SEVERAL => {
            let list = &mut readers[cell.read as usize];
            if let Some(entry) = list.iter_mut().find(|(task, _)| *task == now.task) {
                *entry = own;
            } else {
                list.retain(|&(task, next)| !follows(cursor, now, task, next));
                list.push(own);
            }
        }
        task if follows(cursor, now, task, cell.read) => (cell.reader, cell.read) = own,
        task => {
            readers.push(vec![(task, cell.read), own]);
            (cell.reader, cell.read) = (SEVERAL, readers.len() as u32 - 1);
        }
    }
}
