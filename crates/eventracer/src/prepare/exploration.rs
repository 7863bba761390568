//! Stage B: frees automatically explored ops from the order in which they happened to run.
//!
//! The recorder's explorer fires one event after another, which the log records as order between
//! them. In the graph, a run of explored ops follows the last real user action instead, and the
//! next real action follows all of them.

use crate::graph::Graph;
use crate::ids::OpId;
use crate::log::{ActionLog, Command, OpKind};

/// Rearranges the explored ops, and returns how many became independent.
pub(super) fn free_explored_ops(log: &ActionLog, graph: &mut Graph) -> usize {
    let mut freed = 0;
    let (mut last_ui, mut last_auto, mut last_user) = (None, None, None);
    let mut pending: Vec<OpId> = Vec::new();
    for op in log.op_ids() {
        if graph.is_deleted(op) || log.kind(op) != OpKind::UserInterface {
            continue;
        }
        if is_explored(log, op) {
            if let (Some(auto), Some(user)) = (last_auto, last_user)
                && last_ui == last_auto
            {
                graph.remove(auto, op);
                graph.add(user, op);
                pending.push(auto);
                freed += 1;
            }
            last_auto = Some(op);
        } else {
            for explored in pending.drain(..) {
                graph.add(explored, op);
            }
            last_user = Some(op);
        }
        last_ui = Some(op);
    }
    freed
}

fn is_explored(log: &ActionLog, op: OpId) -> bool {
    matches!(log.commands(op).first(),
        Some(Command::Enter(scope)) if log.scope_text(*scope) == b"auto:explore")
}
