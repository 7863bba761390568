//! `LATE_EVENT_ATTACH` and `NO_EVENT_ATTACHED`: the cell is read when an event fires.
//!
//! A read is *firing* if the next command that is not a read enters a scope `fire:…`; the reads in
//! between are of other handler cells for the same event. Both tags require that every race of the
//! cell involves unloading or an op with a firing read. A firing read immediately before its scope
//! found an attached handler, which may be attached too late. If there is no such read, no handler
//! was attached.

use super::RacyCell;
use crate::access::Access;
use crate::ids::OpId;
use crate::log::{ActionLog, Command};

pub(super) fn attached_late(cell: &RacyCell<'_>) -> bool {
    is_handler_race(cell) && firing_reads(cell).any(|(_, between)| between == 0)
}

pub(super) fn never_attached(cell: &RacyCell<'_>) -> bool {
    is_handler_race(cell) && firing_reads(cell).all(|(_, between)| between != 0)
}

fn is_handler_race(cell: &RacyCell<'_>) -> bool {
    let firing: Vec<OpId> = firing_reads(cell).map(|(op, _)| op).collect();
    let fires = |op: OpId| firing.binary_search(&op).is_ok();
    !firing.is_empty()
        && cell
            .all
            .iter()
            .all(|race| cell.involves_unload(race) || race.ops().into_iter().any(fires))
}

/// The ops of the firing reads, ascending, each with the number of reads before its scope.
fn firing_reads(cell: &RacyCell<'_>) -> impl Iterator<Item = (OpId, usize)> {
    cell.reads().filter_map(|read| Some((read.op(), reads_before_firing(cell.log, read)?)))
}

fn reads_before_firing(log: &ActionLog, read: Access) -> Option<usize> {
    let after = &log.commands(read.op())[read.command() + 1..];
    let between = after.iter().take_while(|command| matches!(command, Command::Read(_))).count();
    match after.get(between) {
        Some(Command::Enter(scope)) if log.scope_text(*scope).starts_with(b"fire:") => {
            Some(between)
        }
        _ => None,
    }
}
