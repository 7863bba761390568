//! Step D: order the uses of an event target after the write they depend on.
//!
//! A cell `NodeTree:K` stands for the node K being there. Each write starts a new life of it: the
//! write and the reads that follow are renamed `NodeTree:K-<op of the write>`, and the reads are
//! ordered after the write, so that lives do not race with each other. New names go to the end of
//! VARS in the order in which they are met; the order of cells in every report depends on that.

use hashbrown::HashMap;

use crate::graph::{Graph, Search};
use crate::ids::{OpId, VarId};
use crate::log::{ActionLog, Command};

const PREFIX: &[u8] = b"NodeTree:";

/// The current life of a target.
#[derive(Clone, Copy)]
struct Life {
    write: OpId,
    /// The cell that was written and the name it got; the same cell needs no new look-up.
    cell: VarId,
    renamed: VarId,
}

/// Orders the reads, renames the cells; returns how many arcs were needed.
pub(super) fn order_and_rename(
    log: &mut ActionLog,
    graph: &mut Graph,
    search: &mut Search,
) -> usize {
    let mut added = 0;
    let mut names = Names::of(log);
    let mut lives: HashMap<Vec<u8>, Life> = HashMap::new();
    for op in log.op_ids() {
        if graph.is_deleted(op) {
            continue;
        }
        for index in 0..log.commands(op).len() {
            let command = log.commands(op)[index];
            let Some(cell) = command.cell().filter(|cell| is_target(log, *cell)) else { continue };
            let key = log.vars.get(cell.index() + PREFIX.len());
            let life = lives.get(key).copied();
            let writes = matches!(command, Command::Write(_));
            let write = match life {
                Some(life) if !writes => {
                    added += usize::from(search.need(graph, life.write, op));
                    life.write
                }
                None if !writes => continue,
                _ => op,
            };
            let renamed = match life {
                Some(life) if life.write == write && life.cell == cell => life.renamed,
                _ => {
                    let key = key.to_vec();
                    let renamed = names.of_life(log, cell, write);
                    lives.insert(key, Life { write, cell, renamed });
                    renamed
                }
            };
            log.commands_mut(op)[index] =
                if writes { Command::Write(renamed) } else { Command::Read(renamed) };
        }
    }
    added
}

fn is_target(log: &ActionLog, cell: VarId) -> bool {
    log.vars.starts_with(cell.index(), PREFIX)
}

/// The names of VARS a new name may be equal to.
struct Names {
    known: HashMap<Vec<u8>, VarId>,
}

impl Names {
    fn of(log: &ActionLog) -> Self {
        let mut known = HashMap::new();
        for (offset, name) in log.vars.iter().filter(|(_, name)| name.starts_with(PREFIX)) {
            known.entry(name.to_vec()).or_insert(VarId::new(offset));
        }
        Self { known }
    }

    /// The cell `<name>-<number of write>`, which is added to VARS unless it is there.
    fn of_life(&mut self, log: &mut ActionLog, cell: VarId, write: OpId) -> VarId {
        let mut name = log.var_name(cell).to_vec();
        name.extend_from_slice(format!("-{}", log.number(write)).as_bytes());
        *self.known.entry(name).or_insert_with_key(|name| VarId::new(log.vars.push(name)))
    }
}
