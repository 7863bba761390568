//! Stage C: orders the ops that access one script or cached resource.

use hashbrown::HashMap;

use crate::graph::{Graph, Search};
use crate::ids::OpId;
use crate::log::ActionLog;

/// The prefixes of the two families of cells. In both, the rest of the name identifies the
/// resource.
const PREFIXES: [&[u8]; 2] = [b"CachedResource-", b"ScriptRunner-"];

/// Makes each op that accesses a resource follow the op that accessed it last, and returns how many
/// arcs were needed.
pub(super) fn order_resources(log: &ActionLog, graph: &mut Graph, search: &mut Search) -> usize {
    let mut added = 0;
    let mut last: HashMap<&[u8], OpId> = HashMap::new();
    for op in log.op_ids() {
        if graph.is_deleted(op) {
            continue;
        }
        for cell in log.commands(op).iter().filter_map(|command| command.cell()) {
            let at = cell.index();
            let Some(prefix) = PREFIXES.iter().find(|prefix| log.vars.starts_with(at, prefix))
            else {
                continue;
            };
            let key = log.vars.get(at + prefix.len());
            if let Some(before) = last.insert(key, op) {
                added += usize::from(search.need(graph, before, op));
            }
        }
    }
    added
}
