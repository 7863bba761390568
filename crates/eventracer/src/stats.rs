//! The numbers the original's `racestats` prints for a log.

use crate::access::AccessTable;
use crate::analysis::Analysis;
use crate::connectivity::Order;
use crate::levels::Level;
use crate::tags::Tag;

/// The columns of `racestats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaceStats {
    /// Live ops with both successors and predecessors.
    pub nodes: usize,
    /// Arcs between live ops.
    pub arcs: usize,
    /// Reads unordered with the read before them, since the last write.
    pub fast_track_clocks: usize,
    /// Races.
    pub races: usize,
    /// Cells in use.
    pub cells: usize,
    /// Cells with races.
    pub racy: usize,
    /// Cells with uncovered races.
    pub uncovered: usize,
    /// The numbers of cells with uncovered races that have each tag, by [`Tag`].
    pub tagged: [usize; Tag::ALL.len()],
    /// Cells with uncovered races and no tag.
    pub remaining: usize,
    /// Cells with uncovered races and an initialization race, tagged or not.
    pub initialization: usize,
    /// Cells with uncovered races and an initialization race, but without a tag.
    pub remaining_initialization: usize,
    /// Cells with a network race and no tag.
    pub remaining_network: usize,
}

impl RaceStats {
    /// Returns the columns for an analysis. To match `racestats`, the log must be prepared with
    /// [`crate::LoggedArcs::Needed`].
    pub fn of<O: Order + ?Sized>(analysis: &Analysis<'_, O>) -> Self {
        let graph = &analysis.prepared.graph;
        let inner = graph.live_ops().filter(|&op| graph.in_degree(op) > 0);
        let uncovered = || analysis.verdicts_from(Level::Tagged);
        let remaining = || analysis.verdicts_from(Level::Normal);
        Self {
            nodes: inner.filter(|&op| graph.out_degree(op) > 0).count(),
            arcs: graph.arc_count(),
            fast_track_clocks: fast_track_clocks(&analysis.table, analysis.order),
            races: analysis.detection.races.len(),
            cells: analysis.table.len(),
            racy: analysis.verdicts.len(),
            uncovered: uncovered().count(),
            tagged: Tag::ALL.map(|tag| uncovered().filter(|v| v.tags.contains(tag)).count()),
            remaining: remaining().count(),
            initialization: uncovered().filter(|v| v.initialization).count(),
            remaining_initialization: remaining().filter(|v| v.initialization).count(),
            remaining_network: remaining().filter(|v| v.network).count(),
        }
    }
}

fn fast_track_clocks<O: Order + ?Sized>(table: &AccessTable, order: &O) -> usize {
    let mut count = 0;
    for cell in table.cells() {
        let mut previous = None;
        for access in table.of_cell(cell) {
            let before = previous.replace(access.op()).filter(|_| access.is_read());
            count += usize::from(before.is_some_and(|before| !order.le(before, access.op())));
            if !access.is_read() {
                previous = None;
            }
        }
    }
    count
}
