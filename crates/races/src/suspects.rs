//! Finds the *suspects*, the locations that have a race, in one pass over the accesses.
//!
//! For every location, the pass keeps the last write and the reads since then that no later read
//! follows. These are FastTrack's epochs (PLDI'09, §3), over tasks instead of threads. As long as
//! all pairs of a location are ordered, its writes are in sequence, and comparing each access with
//! the kept ones is enough. The first unordered pair makes the location a suspect for good. Which
//! of its accesses race is computed later, for suspects only.
//!
//! Cost: 16 bytes for each location, and lists of readers for those that several tasks read at
//! once, with at most one reader for each chain. An access takes a comparison or two, and an order
//! query only if another task accessed the location last. Each moment queries a task at most once
//! ([`Known`]).

mod readers;

use order::{HappensBefore, Timeline, View};
use trace::{LocationId, Trace};

use crate::known::Known;
use readers::ReaderLists;

/// The latest accesses of a location.
#[derive(Clone, Copy)]
struct Cell {
    writer: u32,
    /// The position from which on everything follows the write; see [`order::Node::position`].
    written: u32,
    /// The task that read last, `NOBODY` or `SEVERAL`. If several tasks read, `read` is the number
    /// of their list.
    reader: u32,
    read: u32,
}

const NOBODY: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;
/// The writer of a location that is a suspect.
const SUSPECT: u32 = u32::MAX - 2;

const UNTOUCHED: Cell = Cell { writer: NOBODY, written: 0, reader: NOBODY, read: 0 };

/// The state of the locations in the accesses seen so far.
#[derive(Default)]
pub struct Suspects {
    cells: Vec<Cell>,
    /// The readers of locations that several tasks read.
    readers: ReaderLists,
    known: Known,
}

/// Returns whether the access of `task` with position `next` (see [`order::Node::position`]) happens before
/// the moment `now`.
#[inline]
fn follows<V: View>(
    known: &mut Known,
    view: &V,
    now: &V::Moment,
    (task, next): (u32, u32),
) -> bool {
    task == view.task(now) || known.upto(task, || view.reach(now, task)) >= next
}

impl Suspects {
    /// Returns an empty state with room for `locations` locations.
    pub fn new(locations: usize) -> Self {
        Self { cells: vec![UNTOUCHED; locations], ..Self::default() }
    }

    /// Returns, for each location, whether it is a suspect: some pair of its accesses is unordered.
    pub fn found(&self) -> Vec<bool> {
        self.cells.iter().map(|cell| cell.writer == SUSPECT).collect()
    }

    /// Adds accesses at one moment, which must be final. Without a moment nothing orders the
    /// accesses.
    pub fn add<V: View>(
        &mut self,
        view: &V,
        moment: Option<&V::Moment>,
        accesses: impl Iterator<Item = (LocationId, bool)>,
    ) {
        let Some(now) = moment else {
            accesses.for_each(|(location, _)| self.cell(location).writer = SUSPECT);
            return;
        };
        debug_assert!(view.is_final(now), "a verdict on a suspect is not taken back");
        let (own_task, own_next) = (view.task(now), view.position(now));
        self.known.forget();
        for (location, write) in accesses {
            let cell = self.cell(location);
            if write {
                if cell.writer == own_task && cell.reader == NOBODY {
                    cell.written = own_next;
                } else {
                    self.write(location, view, now);
                }
            } else if cell.reader == own_task {
                cell.read = own_next;
            } else {
                self.read(location, view, now);
            }
        }
    }

    #[inline]
    fn cell(&mut self, location: LocationId) -> &mut Cell {
        let index = location.0 as usize;
        if index >= self.cells.len() {
            self.cells.resize(index + 1, UNTOUCHED);
        }
        &mut self.cells[index]
    }

    /// Adds a write to a location that another task accessed last, or that the same task read last.
    fn write<V: View>(&mut self, location: LocationId, view: &V, now: &V::Moment) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.writer == SUSPECT {
            return;
        }
        let mut follows = |task, next| follows(&mut self.known, view, now, (task, next));
        let after_write = cell.writer == NOBODY || follows(cell.writer, cell.written);
        let after_reads = match cell.reader {
            NOBODY => true,
            SEVERAL => {
                let readers = self.readers.take(cell.read, view);
                readers.into_iter().all(|(task, next)| follows(task, next))
            }
            task => follows(task, cell.read),
        };
        *cell = if after_write && after_reads {
            Cell { writer: view.task(now), written: view.position(now), ..UNTOUCHED }
        } else {
            Cell { writer: SUSPECT, ..UNTOUCHED }
        };
    }

    /// Adds a read of a location that another task, or no task, read last.
    fn read<V: View>(&mut self, location: LocationId, view: &V, now: &V::Moment) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.writer == SUSPECT {
            return;
        }
        let known = &mut self.known;
        if cell.writer != NOBODY && !follows(known, view, now, (cell.writer, cell.written)) {
            if cell.reader == SEVERAL {
                self.readers.take(cell.read, view);
            }
            *cell = Cell { writer: SUSPECT, ..UNTOUCHED };
            return;
        }
        let own = (view.task(now), view.position(now));
        match cell.reader {
            NOBODY => (cell.reader, cell.read) = own,
            SEVERAL => self.readers.add(cell.read, own, view),
            task if follows(known, view, now, (task, cell.read)) => {
                (cell.reader, cell.read) = own;
            }
            task => {
                let list = self.readers.start((task, cell.read), own);
                (cell.reader, cell.read) = (SEVERAL, list);
            }
        }
    }
}

/// Returns the suspects of a trace, or `None` if the order is not made of tasks.
pub(crate) fn of_trace(trace: &Trace, order: &dyn HappensBefore) -> Option<Vec<bool>> {
    let mut cursor = order.cursor()?;
    let view = cursor.view();
    let mut suspects = Suspects::new(trace.names().locations.len());
    for op in trace.ops() {
        match trace.op(op).access() {
            Some(access) => {
                let moment = cursor.moment(trace.thread_of(op), trace.event_of(op));
                suspects.add(&view, moment.as_ref(), std::iter::once(access));
            }
            None => cursor.pass(op),
        }
    }
    Some(suspects.found())
}
