//! Which locations can have a race at all, in one pass over the accesses.
//!
//! For every location the last write is kept, and the reads since then that no later read follows:
//! FastTrack's epochs (PLDI'09, §3), over tasks instead of threads. As long as no pair of a location
//! is unordered, its writes are in sequence, and each access is compared with all that matter. With
//! the first unordered pair the location is a suspect for good; who they are in detail is a question
//! for those few.
//!
//! Cost: sixteen bytes a location, and the readers of those that several tasks read at once, at most
//! one a chain; a comparison or two an access, and an order query only where another task accessed the
//! location last. What a moment knows of a task is asked once ([`known`]).

mod known;
mod readers;

use order::{HappensBefore, Timeline, View};
use trace::{LocationId, Trace};

use known::Known;
use readers::ReaderLists;

/// The latest accesses of a location.
#[derive(Clone, Copy)]
struct Cell {
    writer: u32,
    /// From where on everything follows the write; see [`order::Node::position`].
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
    /// The readers of locations that several read.
    readers: ReaderLists,
    known: Known,
}

impl Suspects {
    /// None so far, of about `locations`.
    pub fn new(locations: usize) -> Self {
        Self { cells: vec![UNTOUCHED; locations], ..Self::default() }
    }

    /// The locations of which some pair of accesses is unordered.
    pub fn found(&self) -> Vec<bool> {
        self.cells.iter().map(|cell| cell.writer == SUSPECT).collect()
    }

    /// Adds accesses that stand at one moment, which is final; without a moment nothing orders them.
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

    /// A write to a location that another task accessed last, or the same one read.
    fn write<V: View>(&mut self, location: LocationId, view: &V, now: &V::Moment) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.writer == SUSPECT {
            return;
        }
        let mut follows = |task, next| self.known.follows(view, now, (task, next));
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

    /// A read of a location that another task read last, or none.
    fn read<V: View>(&mut self, location: LocationId, view: &V, now: &V::Moment) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.writer == SUSPECT {
            return;
        }
        let known = &mut self.known;
        if cell.writer != NOBODY && !known.follows(view, now, (cell.writer, cell.written)) {
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
            task if known.follows(view, now, (task, cell.read)) => {
                (cell.reader, cell.read) = own;
            }
            task => {
                let list = self.readers.start((task, cell.read), own);
                (cell.reader, cell.read) = (SEVERAL, list);
            }
        }
    }
}

/// The suspects of a trace, where the order is made of tasks.
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
