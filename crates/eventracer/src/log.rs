//! An action log in memory: ops with their commands, arcs, and four string sections.
//!
//! Ops are rows in ascending order of their numbers. A number without a record is an op of type
//! unknown without commands. Commands are stored in one flat table, in which each op has a range,
//! so loading copies every command once. Numbers too sparse for a row each are compacted: a number
//! without a record that no arc names cannot take part in any order or race, so only the count of
//! nodes includes it.

use crate::ids::{OpId, ScopeId, ValueId, VarId};
use crate::strings::StringTable;

/// The kind of event that an op handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpKind {
    /// Not recorded.
    #[default]
    Unknown,
    /// A timer fired.
    Timer,
    /// A user action, whether real or explored automatically.
    UserInterface,
    /// A network response.
    Network,
    /// A continuation of earlier work.
    Continuation,
}

impl OpKind {
    /// Every kind, in the order of its code in the file.
    pub const ALL: [Self; 5] =
        [Self::Unknown, Self::Timer, Self::UserInterface, Self::Network, Self::Continuation];

    /// Returns the kind with this code in a file, if there is one.
    pub fn from_code(code: i32) -> Option<Self> {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code).copied())
    }
}

/// One command of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A scope opens.
    Enter(ScopeId),
    /// The innermost scope closes.
    Exit,
    /// A cell is read.
    Read(VarId),
    /// A cell is written.
    Write(VarId),
    /// Another op is started, by number; for display only.
    Trigger(Option<u32>),
    /// The value of the access immediately before.
    Value(ValueId),
    /// A command or cell that is invalid. It has no effect and is kept for its position.
    Void,
}

impl Command {
    /// The cell, if the command is a read or a write.
    pub fn cell(self) -> Option<VarId> {
        match self {
            Self::Read(cell) | Self::Write(cell) => Some(cell),
            _ => None,
        }
    }
}

const _: () = assert!(size_of::<Command>() == 8, "a command takes no more room than in the file");

/// An arc of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The earlier op.
    pub tail: OpId,
    /// The later op.
    pub head: OpId,
    /// The delay of a timer in milliseconds, or `None` for plain order.
    pub delay: Option<u32>,
}

/// One op: its kind and the range of its commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpRecord {
    pub(crate) kind: OpKind,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

/// The order-preserving map between op numbers and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// Each row has its index as number; there are this many rows.
    Identity(u32),
    /// The numbers of the rows, ascending.
    Sparse(Vec<u32>),
}

impl Default for Numbering {
    fn default() -> Self {
        Self::Identity(0)
    }
}

impl Numbering {
    /// The number of rows for each number in use up to which every number gets a row.
    const SPARSENESS: usize = 4;

    /// Returns the numbering of a log in which `numbers` occur, in any order, with or without
    /// repetition.
    pub(crate) fn of(mut numbers: Vec<u32>) -> Self {
        let Some(&max) = numbers.iter().max() else { return Self::Identity(0) };
        if max as usize / Self::SPARSENESS <= numbers.len() {
            return Self::Identity(max + 1);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Self::Sparse(numbers)
    }

    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Identity(rows) => *rows as usize,
            Self::Sparse(numbers) => numbers.len(),
        }
    }

    /// Returns the row of a number that occurs in the log.
    pub(crate) fn row(&self, number: u32) -> Option<OpId> {
        match self {
            Self::Identity(rows) => (number < *rows).then(|| OpId::new(number as usize)),
            Self::Sparse(numbers) => numbers.binary_search(&number).ok().map(OpId::new),
        }
    }

    fn number(&self, op: OpId) -> u32 {
        match self {
            Self::Identity(_) => op.index() as u32,
            Self::Sparse(numbers) => numbers[op.index()],
        }
    }
}

/// A whole action log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionLog {
    /// Names of cells.
    pub vars: StringTable,
    /// Texts of scopes.
    pub scopes: StringTable,
    /// JavaScript sources.
    pub js: StringTable,
    /// Texts of values.
    pub values: StringTable,
    /// Whether the file contained JS and VALUES; `racestats` rejects a log without them.
    pub complete: bool,
    /// Arcs in the order of the file.
    pub arcs: Vec<Arc>,
    pub(crate) numbering: Numbering,
    pub(crate) ops: Vec<OpRecord>,
    pub(crate) commands: Vec<Command>,
}

impl ActionLog {
    /// Returns the number of rows of the table of ops.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Returns the number of nodes of the original's graph: one more than the largest number of an
    /// op or end of an arc.
    pub fn node_count(&self) -> usize {
        match &self.numbering {
            Numbering::Identity(rows) => *rows as usize,
            Numbering::Sparse(numbers) => numbers.last().map_or(0, |&max| max as usize + 1),
        }
    }

    /// All ops in ascending order.
    pub fn op_ids(&self) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        (0..self.ops.len()).map(OpId::new)
    }

    /// Returns the number of an op in the file.
    pub fn number(&self, op: OpId) -> u32 {
        self.numbering.number(op)
    }

    /// Returns the op with a number, if the log mentions it.
    pub fn op(&self, number: u32) -> Option<OpId> {
        self.numbering.row(number)
    }

    /// The kind of an op.
    pub fn kind(&self, op: OpId) -> OpKind {
        self.ops[op.index()].kind
    }

    /// The commands of an op.
    pub fn commands(&self, op: OpId) -> &[Command] {
        let OpRecord { first, end, .. } = self.ops[op.index()];
        &self.commands[first as usize..end as usize]
    }

    /// Returns the names of cells, and mutable access to the commands of an op.
    pub(crate) fn vars_and_commands_mut(&mut self, op: OpId) -> (&mut StringTable, &mut [Command]) {
        let OpRecord { first, end, .. } = self.ops[op.index()];
        (&mut self.vars, &mut self.commands[first as usize..end as usize])
    }

    /// The name of a cell.
    pub fn var_name(&self, cell: VarId) -> &[u8] {
        self.vars.get(cell.index())
    }

    /// The text of a scope.
    pub fn scope_text(&self, scope: ScopeId) -> &[u8] {
        self.scopes.get(scope.index())
    }

    /// The text of a value.
    pub fn value_text(&self, value: ValueId) -> &[u8] {
        self.values.get(value.index())
    }

    /// The value recorded for the access that is command `index` of `op`.
    pub fn value_of(&self, op: OpId, index: usize) -> Option<ValueId> {
        match self.commands(op).get(index + 1) {
            Some(Command::Value(value)) => Some(*value),
            _ => None,
        }
    }

    /// Returns the first scope that an op enters among its first `within` commands.
    pub fn first_scope(&self, op: OpId, within: usize) -> Option<&[u8]> {
        self.commands(op).iter().take(within).find_map(|command| match command {
            Command::Enter(scope) => Some(self.scope_text(*scope)),
            _ => None,
        })
    }

    pub(crate) fn from_records(
        numbering: Numbering,
        records: Vec<(u32, OpRecord)>,
        commands: Vec<Command>,
    ) -> Self {
        let mut ops = vec![OpRecord::default(); numbering.rows()];
        for (number, record) in records {
            let row = numbering.row(number).expect("the numbering knows every record");
            ops[row.index()] = record;
        }
        Self { numbering, ops, commands, ..Self::default() }
    }
}
