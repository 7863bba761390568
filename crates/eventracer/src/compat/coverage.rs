//! Single and multi-coverage as the original computes them.
//!
//! Races are processed by id. A race that no earlier *top* race covers is itself a top race. It
//! covers every later race that starts at or before its first op and ends at or after its second. A
//! top race is multi-covered if a path over the top races orders its accesses; it remains a top
//! race. The time is O(races × tops), plus the paths.

use hashbrown::HashSet;

use super::path::RacePaths;
use crate::access::CellId;
use crate::connectivity::Order;
use crate::detect::Race;
use crate::ids::RaceId;

/// The coverage of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaceState {
    /// Not covered.
    Uncovered,
    /// Covered by single top races, of which this is the last.
    Covered(RaceId),
    /// Covered by these top races together, in the order of the path.
    MultiCovered(Vec<RaceId>),
}

/// Coverage of all races.
#[derive(Clone, Debug, Default)]
pub struct CompatCoverage {
    /// The state of each race.
    pub states: Vec<RaceState>,
    /// The races no single race covers.
    pub tops: Vec<RaceId>,
    /// Pairs (covered, covering) of cells by single coverage, with every covering top race and not
    /// only the last one; ascending, without repetition.
    parents: Vec<(CellId, CellId)>,
}

impl CompatCoverage {
    /// Computes the coverage of `races`, and returns it with the searches over the top races.
    pub fn of<'a, O: Order + ?Sized>(races: &[Race], order: &'a O) -> (Self, RacePaths<'a, O>) {
        let mut coverage =
            Self { states: vec![RaceState::Uncovered; races.len()], ..Self::default() };
        coverage.cover_singly(races, order);
        let mut paths = RacePaths::new(order, races, &coverage.tops);
        coverage.cover_by_paths(races, &mut paths);
        (coverage, paths)
    }

    fn cover_singly<O: Order + ?Sized>(&mut self, races: &[Race], order: &O) {
        let mut parents = HashSet::new();
        for (j, top) in races.iter().enumerate() {
            if self.states[j] != RaceState::Uncovered {
                continue;
            }
            self.tops.push(RaceId::new(j));
            let [top_first, top_second] = top.ops();
            for (i, race) in races.iter().enumerate().skip(j + 1) {
                let [first, second] = race.ops();
                if first <= top_first && order.le(top_second, second) && order.le(first, top_first)
                {
                    self.states[i] = RaceState::Covered(RaceId::new(j));
                    parents.insert((race.cell, top.cell));
                }
            }
        }
        self.parents.extend(parents);
        self.parents.sort_unstable();
    }

    fn cover_by_paths<O: Order + ?Sized>(&mut self, races: &[Race], paths: &mut RacePaths<'_, O>) {
        for &top in &self.tops {
            let race = races[top.index()];
            let [first, second] = race.ops();
            if let Some(path) = paths.find(first, second, race.second.command()) {
                self.states[top.index()] = RaceState::MultiCovered(path);
            }
        }
    }

    /// The state of a race.
    pub fn state(&self, race: RaceId) -> &RaceState {
        &self.states[race.index()]
    }

    /// Whether a race is uncovered.
    pub fn is_open(&self, race: RaceId) -> bool {
        self.states[race.index()] == RaceState::Uncovered
    }

    /// The number of multi-covered races.
    pub fn multi_covered(&self) -> usize {
        let multi = |state: &&RaceState| matches!(state, RaceState::MultiCovered(_));
        self.states.iter().filter(multi).count()
    }

    /// Returns the cells with a race that singly covers a race of `cell`, ascending.
    pub fn covering_cells(&self, cell: CellId) -> impl Iterator<Item = CellId> {
        let start = self.parents.partition_point(|&(covered, _)| covered < cell);
        let of_cell =
            self.parents[start..].iter().take_while(move |&&(covered, _)| covered == cell);
        of_cell.map(|&(_, covering)| covering)
    }
}
