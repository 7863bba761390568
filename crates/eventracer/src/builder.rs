//! Builds logs op by op, for tests and for programs that record.

use hashbrown::HashMap;

use crate::ids::{ScopeId, ValueId, VarId};
use crate::log::{ActionLog, Arc, Command, Numbering, OpKind, OpRecord};
use crate::strings::StringTable;

/// Collects ops and arcs by number, and assigns an id to every string.
#[derive(Clone, Debug, Default)]
pub struct LogBuilder {
    vars: Interner,
    scopes: Interner,
    values: Interner,
    records: Vec<(u32, OpRecord)>,
    arcs: Vec<(u32, u32, Option<u32>)>,
    commands: Vec<Command>,
}

/// A string section that stores equal strings once.
#[derive(Clone, Debug, Default)]
struct Interner {
    table: StringTable,
    known: HashMap<Vec<u8>, usize>,
}

impl Interner {
    fn intern(&mut self, text: &str) -> usize {
        let text = text.as_bytes();
        *self.known.entry_ref(text).or_insert_with(|| self.table.push(text))
    }
}

impl LogBuilder {
    /// A builder of an empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts op `number`, to which the following commands belong. A number used before replaces
    /// its op.
    pub fn op(&mut self, number: u32, kind: OpKind) -> &mut Self {
        let first = self.commands.len() as u32;
        self.records.push((number, OpRecord { kind, first, end: first }));
        self
    }

    /// Adds an arc between two ops. With a delay, the tail set a timer that fired in the head.
    pub fn arc(&mut self, tail: u32, head: u32, delay: Option<u32>) -> &mut Self {
        self.arcs.push((tail, head, delay));
        self
    }

    /// Adds a command: the current op enters a scope.
    pub fn enter(&mut self, scope: &str) -> &mut Self {
        let scope = ScopeId::new(self.scopes.intern(scope));
        self.push(Command::Enter(scope))
    }

    /// Adds a command: the current op leaves its innermost scope.
    pub fn exit(&mut self) -> &mut Self {
        self.push(Command::Exit)
    }

    /// Adds a command: the current op reads a cell.
    pub fn read(&mut self, cell: &str) -> &mut Self {
        let cell = VarId::new(self.vars.intern(cell));
        self.push(Command::Read(cell))
    }

    /// Adds a command: the current op writes a cell.
    pub fn write(&mut self, cell: &str) -> &mut Self {
        let cell = VarId::new(self.vars.intern(cell));
        self.push(Command::Write(cell))
    }

    /// Sets the value of the access just added.
    pub fn value(&mut self, value: &str) -> &mut Self {
        let value = ValueId::new(self.values.intern(value));
        self.push(Command::Value(value))
    }

    /// Adds a command: the current op starts another op.
    pub fn trigger(&mut self, number: u32) -> &mut Self {
        self.push(Command::Trigger(Some(number)))
    }

    fn push(&mut self, command: Command) -> &mut Self {
        let (_, record) = self.records.last_mut().expect("a command stands in an op");
        self.commands.push(command);
        record.end = self.commands.len() as u32;
        self
    }

    /// Returns the finished log.
    pub fn build(self) -> ActionLog {
        let ends = self.arcs.iter().flat_map(|&(tail, head, _)| [tail, head]);
        let numbers = self.records.iter().map(|record| record.0).chain(ends).collect();
        let numbering = Numbering::of(numbers);
        let row = |number| numbering.row(number).expect("made from the numbers of the arcs");
        let arcs = self.arcs.iter();
        let arcs = arcs.map(|&(t, h, delay)| Arc { tail: row(t), head: row(h), delay }).collect();
        ActionLog {
            arcs,
            vars: self.vars.table,
            scopes: self.scopes.table,

            values: self.values.table,
            complete: true,
            ..ActionLog::from_records(numbering, self.records, self.commands)
        }
    }
}
