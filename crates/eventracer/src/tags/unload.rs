//! `RACE_WITH_UNLOAD`: there are uncovered races, each with an op that unloads the page.

use super::RacyCell;

pub(super) fn holds(cell: &RacyCell<'_>) -> bool {
    !cell.open.is_empty() && cell.open.iter().all(|race| cell.involves_unload(race))
}
