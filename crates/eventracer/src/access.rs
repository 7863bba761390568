//! The accesses of a log, cell by cell.
//!
//! Cells are numbered densely in the order of their ids, so that passes over all cells run over
//! flat tables. The number of a cell is the rank of its id in a bitmap of the ids in use. VARS
//! takes about a megabyte, and the bitmap an eighth of that.

use crate::ids::{OpId, VarId};
use crate::log::{ActionLog, Command};

/// A read or write of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    op: OpId,
    /// The command's index, and in the lowest bit whether it is a read.
    command: u32,
}

impl Access {
    fn new(op: OpId, command: usize, is_read: bool) -> Self {
        Self { op, command: (command as u32) << 1 | u32::from(is_read) }
    }

    /// The op that accesses the cell.
    pub fn op(self) -> OpId {
        self.op
    }

    /// The index of the command among the op's commands.
    pub fn command(self) -> usize {
        (self.command >> 1) as usize
    }

    /// Whether the cell is read, not written.
    pub fn is_read(self) -> bool {
        self.command & 1 == 1
    }
}

/// The index of a cell among the cells in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u32);

impl CellId {
    /// The index as a number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All accesses, grouped by cell; cells by ascending id, accesses by (op, command).
#[derive(Clone, Debug)]
pub struct AccessTable {
    vars: Vec<VarId>,
    /// The end of the accesses of each cell.
    ends: Vec<u32>,
    accesses: Vec<Access>,
}

impl AccessTable {
    /// Returns the accesses of a log.
    pub fn of(log: &ActionLog) -> Self {
        let found = accesses_of(log);
        let mut used = RankedSet::new(log.vars.as_bytes().len());
        for (var, _) in &found {
            used.insert(var.index());
        }
        let vars: Vec<VarId> = used.rank().map(VarId::new).collect();
        let mut ends = vec![0_u32; vars.len() + 1];
        for (var, _) in &found {
            ends[used.rank_of(var.index()) + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        // While the groups fill up, `ends[cell]` is the position of the cell's next access.
        let mut accesses = vec![Access::new(OpId::new(0), 0, false); found.len()];
        for (var, access) in found {
            let next = &mut ends[used.rank_of(var.index())];
            accesses[*next as usize] = access;
            *next += 1;
        }
        ends.pop();
        Self { vars, ends, accesses }
    }

    /// The number of cells in use.
    pub fn len(&self) -> usize {
        self.vars.len()
    }

    /// Whether no cell is in use.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    /// All cells in use, by ascending id.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.vars.len() as u32).map(CellId)
    }

    /// The id of a cell.
    pub fn var(&self, cell: CellId) -> VarId {
        self.vars[cell.index()]
    }

    /// The accesses to a cell.
    pub fn of_cell(&self, cell: CellId) -> &[Access] {
        let start = cell.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.accesses[start as usize..self.ends[cell.index()] as usize]
    }
}

/// Every access in the order of (op, command).
fn accesses_of(log: &ActionLog) -> Vec<(VarId, Access)> {
    let mut found = Vec::with_capacity(log.commands.len());
    for op in log.op_ids() {
        for (index, command) in log.commands(op).iter().enumerate() {
            match command {
                Command::Read(var) => found.push((*var, Access::new(op, index, true))),
                Command::Write(var) => found.push((*var, Access::new(op, index, false))),
                _ => {}
            }
        }
    }
    found
}

/// A set of integers below a bound that can count the members smaller than a given one.
struct RankedSet {
    words: Vec<u64>,
    /// The number of members before each word.
    before: Vec<u32>,
}

impl RankedSet {
    fn new(bound: usize) -> Self {
        Self { words: vec![0; bound.div_ceil(64)], before: Vec::new() }
    }

    fn insert(&mut self, member: usize) {
        self.words[member / 64] |= 1 << (member % 64);
    }

    /// Prepares [`RankedSet::rank_of`], and returns the members in ascending order.
    fn rank(&mut self) -> impl Iterator<Item = usize> {
        let mut count = 0;
        self.before.extend(self.words.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        }));
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(i * 64 + bit as usize)
            })
        })
    }

    fn rank_of(&self, member: usize) -> usize {
        let below = self.words[member / 64] & ((1 << (member % 64)) - 1);
        (self.before[member / 64] + below.count_ones()) as usize
    }
}
