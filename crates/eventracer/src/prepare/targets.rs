//! Stage D: orders the uses of an event target after the write on which they depend.
//!
//! A cell `NodeTree:K` represents the existence of node K. Each write starts a new *life* of the
//! node: the write and the reads that follow are renamed `NodeTree:K-<op of the write>`, and the
//! reads are ordered after the write, so that different lives do not race with each other. New
//! names are appended to VARS in the order in which they occur, which determines the order of cells
//! in all results.

use std::hash::BuildHasher;
use std::io::Write;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::graph::{Graph, Search};
use crate::ids::{OpId, VarId};
use crate::log::{ActionLog, Command};
use crate::strings::StringTable;

const PREFIX: &[u8] = b"NodeTree:";

/// The current life of a target.
#[derive(Clone, Copy)]
struct Life {
    /// A cell with the target's name; two ids may have one name.
    cell: VarId,
    write: OpId,
    renamed: VarId,
}

/// Orders the reads and renames the cells, and returns how many arcs were needed.
pub(super) fn order_and_rename(
    log: &mut ActionLog,
    graph: &mut Graph,
    search: &mut Search,
) -> usize {
    let mut added = 0;
    let mut lives = Lives::new(&log.vars);
    for op in log.op_ids() {
        if graph.is_deleted(op) {
            continue;
        }
        let number = log.number(op);
        let (vars, commands) = log.vars_and_commands_mut(op);
        for command in commands {
            match *command {
                Command::Write(cell) if is_target(vars, cell) => {
                    *command = Command::Write(lives.begin(vars, cell, (op, number)));
                }
                Command::Read(cell) if is_target(vars, cell) => {
                    if let Some(life) = lives.current(vars, cell) {
                        added += usize::from(search.need(graph, life.write, op));
                        *command = Command::Read(life.renamed);
                    }
                }
                _ => {}
            }
        }
    }
    added
}

fn is_target(vars: &StringTable, cell: VarId) -> bool {
    vars.starts_with(cell.index(), PREFIX)
}

/// The current life of every target written so far.
struct Lives {
    hasher: DefaultHashBuilder,
    /// The lives by name; the table finds a name through a cell that has it.
    by_name: HashTable<Life>,
    /// The names in the log that may equal a new name: those that end in a number. Two new names
    /// are never equal, because their last number is the op and ops only ascend.
    taken: HashMap<Vec<u8>, VarId>,
    name: Vec<u8>,
}

impl Lives {
    fn new(vars: &StringTable) -> Self {
        let mut taken = HashMap::new();
        let numbered = |name: &[u8]| {
            let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && name[..name.len() - digits].ends_with(b"-")
        };
        for (offset, name) in vars.iter() {
            if name.starts_with(PREFIX) && numbered(name) {
                taken.entry(name.to_vec()).or_insert(VarId::new(offset));
            }
        }
        let hasher = DefaultHashBuilder::default();
        Self { hasher, by_name: HashTable::new(), taken, name: Vec::new() }
    }

    fn current(&self, vars: &StringTable, cell: VarId) -> Option<&Life> {
        let name = vars.get(cell.index());
        let hash = self.hasher.hash_one(name);
        self.by_name.find(hash, |life| life.cell == cell || vars.get(life.cell.index()) == name)
    }

    /// Starts the life that `write`, an op and its number, gives the target of `cell`, unless it
    /// has started already. Returns the name of the life.
    fn begin(&mut self, vars: &mut StringTable, cell: VarId, write: (OpId, u32)) -> VarId {
        let (write, number) = write;
        let name = vars.get(cell.index());
        let hash = self.hasher.hash_one(name);
        let same = |life: &Life| life.cell == cell || vars.get(life.cell.index()) == name;
        let life = self.by_name.find_mut(hash, same);
        if let Some(life) = life.as_deref().filter(|life| life.write == write) {
            return life.renamed;
        }
        self.name.clear();
        self.name.extend_from_slice(name);
        write!(self.name, "-{number}").expect("a vector takes every byte");
        let taken = self.taken.get(&self.name).copied();
        let renamed = taken.unwrap_or_else(|| VarId::new(vars.push(&self.name)));
        let begun = Life { cell, write, renamed };
        match life {
            Some(life) => *life = begun,
            None => {
                self.by_name.insert_unique(hash, begun, |life| {
                    self.hasher.hash_one(vars.get(life.cell.index()))
                });
            }
        }
        renamed
    }
}
