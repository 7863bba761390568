//! The original's complete analysis of a prepared log.

use crate::access::{AccessTable, CellId};
use crate::compat::{CompatCoverage, RacePaths};
use crate::connectivity::Order;
use crate::detect::{Detection, detect, is_shared};
use crate::harm;
use crate::ids::RaceId;
use crate::levels::{Level, Verdict, level_of_racy};
use crate::prepare::Prepared;
use crate::tags::{RacyCell, Tags};

/// The result of an analysis: races, coverage and verdicts.
pub struct Analysis<'a, O: ?Sized> {
    /// The log that was analysed.
    pub prepared: &'a Prepared,
    /// The order under which the log was analysed.
    pub order: &'a O,
    /// The accesses of the log.
    pub table: AccessTable,
    /// The candidate races of the log.
    pub detection: Detection,
    /// The coverage of the races.
    pub coverage: CompatCoverage,
    /// Searches over the top races.
    pub paths: RacePaths<'a, O>,
    /// The cells with races, in the original's listing order: by descending level, then by cell.
    pub verdicts: Vec<Verdict>,
}

impl<'a, O: Order + ?Sized> Analysis<'a, O> {
    /// Analyses a log under an order of its graph.
    pub fn new(prepared: &'a Prepared, order: &'a O) -> Self {
        let table = AccessTable::of(&prepared.log);
        let detection = detect(&table, order);
        let (coverage, mut paths) = CompatCoverage::of(&detection.races, order);
        let verdicts = judge(prepared, &table, &detection, &coverage, &mut paths);
        Self { prepared, order, table, detection, coverage, paths, verdicts }
    }

    /// Returns the number of cells at a level or above, which is the number of rows of a listing.
    pub fn count_from(&self, level: Level) -> usize {
        match level {
            Level::Unshared => self.table.len(),
            Level::RaceFree => {
                let shared = |cell: &CellId| is_shared(self.table.of_cell(*cell));
                self.table.cells().filter(shared).count()
            }
            _ => self.verdicts_from(level).count(),
        }
    }

    /// The verdicts on cells at a level or above, in listing order.
    pub fn verdicts_from(&self, level: Level) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(move |verdict| verdict.level >= level)
    }

    /// The distinct nonempty texts of the values read from or written to a cell, in byte order.
    pub fn values(&self, cell: CellId) -> Vec<&'a [u8]> {
        let log = &self.prepared.log;
        let accesses = self.table.of_cell(cell).iter();
        let mut values: Vec<&[u8]> = accesses
            .filter_map(|access| log.value_of(access.op(), access.command()))
            .map(|value| log.value_text(value))
            .filter(|text| !text.is_empty())
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

fn judge<O: Order + ?Sized>(
    prepared: &Prepared,
    table: &AccessTable,
    detection: &Detection,
    coverage: &CompatCoverage,
    paths: &mut RacePaths<'_, O>,
) -> Vec<Verdict> {
    let races = &detection.races;
    let mut by_cell: Vec<RaceId> = (0..races.len()).map(RaceId::new).collect();
    by_cell.sort_by_key(|race| races[race.index()].cell);
    let mut verdicts: Vec<Verdict> = by_cell
        .chunk_by(|a, b| races[a.index()].cell == races[b.index()].cell)
        .map(|ids| {
            let cell = races[ids[0].index()].cell;
            let all = ids.iter().map(|race| &races[race.index()]).collect();
            let open = ids.iter().filter(|race| coverage.is_open(**race));
            let open = open.map(|race| &races[race.index()]).collect();
            let racy = RacyCell::new(&prepared.log, table, cell, all, open);
            let tags = Tags::of(&racy);
            let initialization = harm::has_initialization_race(&racy, paths);
            let network = harm::has_network_race(&racy);
            let level = level_of_racy(!racy.open.is_empty(), tags, initialization || network);
            Verdict { cell, races: ids.to_vec(), tags, initialization, network, level }
        })
        .collect();
    verdicts.sort_by_key(|verdict| std::cmp::Reverse(verdict.level));
    verdicts
}
