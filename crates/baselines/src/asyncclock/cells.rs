//! `FastTrack` (PLDI'09) over chains: the first race of each location (§3.4).

use std::collections::HashMap;

use trace::{Id, LocationId};

use super::clocks::{Epoch, VectorClock};

#[derive(Default)]
enum Reads {
    #[default]
    None,
    One(Epoch),
    /// The last read of each chain.
    Many(HashMap<u32, u32>),
}

#[derive(Default)]
struct Cell {
    write: Option<Epoch>,
    reads: Reads,
    is_racy: bool,
}

/// The last accesses of each location.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    racy: Vec<LocationId>,
}

impl Cells {
    /// Compares an access at `here` with those before it.
    pub(super) fn access(
        &mut self,
        location: LocationId,
        is_write: bool,
        (here, now): (Epoch, &VectorClock),
    ) {
        if self.cells.len() <= location.index() {
            self.cells.resize_with(location.index() + 1, Cell::default);
        }
        let cell = &mut self.cells[location.index()];
        if cell.is_racy {
            return;
        }
        let mut races = cell.write.is_some_and(|write| !now.covers(write));
        if is_write {
            races |= match &cell.reads {
                Reads::None => false,
                Reads::One(read) => !now.covers(*read),
                Reads::Many(reads) => {
                    reads.iter().any(|(&chain, &time)| !now.covers(Epoch { chain, time }))
                }
            };
            (cell.write, cell.reads) = (Some(here), Reads::None);
        } else {
            match &mut cell.reads {
                Reads::Many(reads) => _ = reads.insert(here.chain, here.time),
                Reads::One(read) if read.chain != here.chain && !now.covers(*read) => {
                    let both = [(read.chain, read.time), (here.chain, here.time)];
                    cell.reads = Reads::Many(HashMap::from(both));
                }
                _ => cell.reads = Reads::One(here),
            }
        }
        if races {
            *cell = Cell { is_racy: true, ..Cell::default() };
            self.racy.push(location);
        }
    }

    /// The locations with a race, in the order in which the races were found.
    pub(super) fn racy(&self) -> &[LocationId] {
        &self.racy
    }
}
