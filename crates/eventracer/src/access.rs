//! The accesses of a log, cell by cell.
//!
//! Cells are numbered densely in the order of their ids, so that passes over all cells run over
//! flat tables. The numbering is the rank in a bitmap of the ids in use: VARS is a megabyte, the
//! bitmap an eighth of it.

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

/// A cell's place among the cells in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u32);

impl CellId {
    /// The place, for indexing.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All accesses, grouped by cell; cells by ascending id, accesses by (op, command).
#[derive(Clone, Debug)]
pub struct AccessTable {
    vars: Vec<VarId>,
    /// Where the accesses of each cell end.
    ends: Vec<u32>,
    accesses: Vec<Access>,
}

impl AccessTable {
    /// The accesses of a log.
    pub fn of(log: &ActionLog) -> Self {
        let mut used = RankedSet::new(log.vars.as_bytes().len());
        for (_, _, cell, _) in accesses_of(log) {
            used.insert(cell.index());
        }
        let vars: Vec<VarId> = used.rank().map(VarId::new).collect();
        let mut cell_of: Vec<u32> = Vec::with_capacity(log.commands.len());
        let mut ends = vec![0_u32; vars.len() + 1];
        for (_, _, cell, _) in accesses_of(log) {
            let cell = used.rank_of(cell.index());
            cell_of.push(cell);
            ends[cell as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        // While the groups fill up, `ends[cell]` is where the cell's next access goes.
        let mut accesses = vec![Access::new(OpId::new(0), 0, false); cell_of.len()];
        for ((op, index, _, is_read), cell) in accesses_of(log).zip(cell_of) {
            let next = &mut ends[cell as usize];
            accesses[*next as usize] = Access::new(op, index, is_read);
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

/// Every access in the order of (op, command): op, command index, cell, whether a read.
fn accesses_of(log: &ActionLog) -> impl Iterator<Item = (OpId, usize, VarId, bool)> {
    log.op_ids().flat_map(move |op| {
        log.commands(op).iter().enumerate().filter_map(move |(index, command)| match command {
            Command::Read(cell) => Some((op, index, *cell, true)),
            Command::Write(cell) => Some((op, index, *cell, false)),
            _ => None,
        })
    })
}

/// A set of integers below a bound that knows how many of them are smaller than a given one.
struct RankedSet {
    words: Vec<u64>,
    /// Members before each word.
    before: Vec<u32>,
}

impl RankedSet {
    fn new(bound: usize) -> Self {
        Self { words: vec![0; bound.div_ceil(64)], before: Vec::new() }
    }

    fn insert(&mut self, member: usize) {
        self.words[member / 64] |= 1 << (member % 64);
    }

    /// Prepares [`RankedSet::rank_of`]; the members in ascending order.
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

    fn rank_of(&self, member: usize) -> u32 {
        let below = self.words[member / 64] & ((1 << (member % 64)) - 1);
        self.before[member / 64] + below.count_ones()
    }
}
