//! Stage A: drops the ops that do nothing and lead nowhere.

use crate::graph::Graph;
use crate::log::ActionLog;

/// Visits the ops from the last to the first, and deletes each that has no commands and, by then,
/// no successors. Returns the number of deleted ops.
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
