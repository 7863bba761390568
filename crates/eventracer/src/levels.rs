//! The original's filter levels, which state how much attention a cell deserves.

use crate::access::CellId;
use crate::ids::RaceId;
use crate::tags::Tags;

/// A filter level. A listing at one level shows the cells of that level and above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The cell is accessed, but too little to race.
    Unshared,
    /// The cell has no races.
    RaceFree,
    /// All races of the cell are covered.
    Covered,
    /// The cell has uncovered races, but tags mark it as harmless.
    Tagged,
    /// The cell has uncovered races and no tag.
    Normal,
    /// The cell has uncovered races, no tag, and an indication of harm.
    HighRisk,
}

impl Level {
    /// Every level, ascending. The number of a level is its index.
    pub const ALL: [Self; 6] =
        [Self::Unshared, Self::RaceFree, Self::Covered, Self::Tagged, Self::Normal, Self::HighRisk];

    /// The original's number of the level.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// The result of the analysis for a cell with races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The cell.
    pub cell: CellId,
    /// The races of the cell, ascending.
    pub races: Vec<RaceId>,
    /// The reasons to consider the races harmless.
    pub tags: Tags,
    /// Whether a read may find the cell uninitialized.
    pub initialization: bool,
    /// Whether an uncovered race involves a network handler.
    pub network: bool,
    /// The resulting level, at least [`Level::Covered`].
    pub level: Level,
}

/// The level of a cell that has races.
pub(crate) fn level_of_racy(has_open: bool, tags: Tags, harmful: bool) -> Level {
    match (has_open, tags.is_empty(), harmful) {
        (false, ..) => Level::Covered,
        (true, false, _) => Level::Tagged,
        (true, true, false) => Level::Normal,
        (true, true, true) => Level::HighRisk,
    }
}
