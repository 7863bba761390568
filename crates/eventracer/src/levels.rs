//! How much attention a cell deserves: the original's filter levels.

use crate::access::CellId;
use crate::ids::RaceId;
use crate::tags::Tags;

/// A filter level; a listing at one level shows the cells of that level and above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Accessed, but too little to race.
    Unshared,
    /// Without races.
    RaceFree,
    /// All races covered.
    Covered,
    /// Uncovered races, but tagged as harmless.
    Tagged,
    /// Uncovered races without a tag.
    Normal,
    /// Uncovered races without a tag, and a sign of harm.
    HighRisk,
}

impl Level {
    /// Every level, ascending; its number is its index.
    pub const ALL: [Self; 6] =
        [Self::Unshared, Self::RaceFree, Self::Covered, Self::Tagged, Self::Normal, Self::HighRisk];

    /// The original's number.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// What the analysis says of a cell with races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The cell.
    pub cell: CellId,
    /// Its races, ascending.
    pub races: Vec<RaceId>,
    /// Reasons to think them harmless.
    pub tags: Tags,
    /// Whether a read may find the cell uninitialized.
    pub initialization: bool,
    /// Whether an uncovered race involves a network handler.
    pub network: bool,
    /// The level that follows; at least [`Level::Covered`].
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
