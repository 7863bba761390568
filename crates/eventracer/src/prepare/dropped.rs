//! Step A: drop the ops that do nothing and lead nowhere.

use crate::graph::Graph;
use crate::log::ActionLog;

/// From the last op to the first, deletes each that has no commands and, by then, no successors;
/// returns how many.
pub(super) fn drop_idle_ends(log: &ActionLog, graph: &mut Graph) -> usize {
    let mut dropped = 0;
    for op in log.op_ids().rev() {
        let idle = log.commands(op).is_empty();
        if idle && graph.successors(op).all(|successor| graph.is_deleted(successor)) {
            graph.delete(op);
            dropped += 1;
        }
    }
    graph.purge_deleted();
    dropped
}
