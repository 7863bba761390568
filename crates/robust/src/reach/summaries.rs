//! Procedure summaries over explicit states (Reps, Horwitz, Sagiv 1995).
//!
//! A *path edge* states that a procedure entered in one state can be at an operation in another
//! state. It is derived once, whatever the number of callers: a call waits for the summaries of its
//! callee and is resumed for each exit state. Time and space are polynomial in the number of
//! operations and states, so exponential only in the bits of the variables; recursion costs nothing
//! extra. Edges are processed first in, first out, and remember what they were derived from, so a
//! short run to the error can be reconstructed.
//!
//! Edges are kept only at operations with several predecessors or with effects beyond their own
//! state; the operations between them are executed without keeping edges.

mod path;
mod run;

use hashbrown::{HashMap, HashSet, HashTable};
use std::hash::BuildHasher;

use super::Reach;
use super::layout::{Layout, Packed};
use crate::core::flat::{Code, OpKind, Pc, compile};
use crate::core::{GlobalId, ProcedureId, Program};
use crate::reduce::Sequential;

/// The limits of computing summaries.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of path edges.
    pub edges: usize,
    /// If set, `havoc` of an unbounded integer chooses only from this number down to its negation.
    /// A run that is then found is real, but finding none proves nothing.
    pub around_zero: Option<i64>,
}

impl Limits {
    /// Limits the number of path edges, and does not restrict integers.
    pub fn edges(edges: usize) -> Self {
        Self { edges, around_zero: None }
    }
}

/// Decides whether `sequential` can end with its error flag set.
pub fn reach(sequential: &Sequential, limits: Limits) -> Reach {
    Summaries::new(&sequential.program, sequential.error, limits).solve()
}

/// Like [`reach`], but the entry procedure may be at its first operation only with globals that
/// `heads` lists. This reconstructs a run whose states there are known.
pub(super) fn reach_through(sequential: &Sequential, heads: &[Vec<i64>], limits: Limits) -> Reach {
    let mut summaries = Summaries::new(&sequential.program, sequential.error, limits);
    let pack = |values: &Vec<i64>| {
        let layout = &summaries.global_layout;
        let mut packed = vec![0; layout.words()].into_boxed_slice();
        for (index, value) in values.iter().enumerate() {
            layout.set(&mut packed, index, *value);
        }
        packed
    };
    summaries.heads = Some(heads.iter().map(pack).collect());
    summaries.solve()
}

/// The number of words that the states of all path edges may take: 2 GB.
const MAX_WORDS: usize = 1 << 28;

/// A procedure entered in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EntryId(u32);

/// A path edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EdgeId(u32);

/// Values of globals, then locals of one procedure.
type State = Packed;

struct Entry {
    procedure: ProcedureId,
    /// The calls that wait for the summary.
    callers: Vec<EdgeId>,
    /// The edges at the procedure's end, with the globals there.
    exits: Vec<(EdgeId, Packed)>,
}

struct Edge {
    entry: EntryId,
    pc: Pc,
    state: State,
    from: From,
}

/// The derivation of a path edge.
#[derive(Clone, Copy)]
enum From {
    /// The entry of the procedure.
    Entry,
    /// A step of the same activation. Running the step again finds its choices.
    Step(EdgeId),
    /// A call and an exit of the callee.
    Return { call: EdgeId, exit: EdgeId },
}

struct Summaries<'p> {
    program: &'p Program,
    code: Vec<Code>,
    layouts: Vec<Layout>,
    globals: usize,
    global_layout: Layout,
    /// Per procedure and operation, whether edges are kept there.
    kept: Vec<Vec<bool>>,
    error: GlobalId,
    limits: Limits,
    /// The globals allowed at the first operation of the entry procedure. None allows all.
    heads: Option<HashSet<Packed>>,
    entries: Vec<Entry>,
    entry_of: HashMap<(ProcedureId, State), EntryId>,
    edges: Vec<Edge>,
    /// The number of words of the edges' states.
    words: usize,
    known: HashTable<EdgeId>,
    hasher: hashbrown::DefaultHashBuilder,
    work: std::collections::VecDeque<EdgeId>,
}

/// Why solving stops early.
enum Halt {
    Error(EdgeId),
    Unknown(String),
}

impl<'p> Summaries<'p> {
    fn new(program: &'p Program, error: GlobalId, limits: Limits) -> Self {
        let code = compile(program);
        let globals = || program.globals.iter().map(|global| global.ty);
        let layouts = code
            .iter()
            .map(|code| Layout::new(program, globals().chain(code.types.iter().copied())))
            .collect();
        Self {
            program,
            layouts,
            globals: program.globals.len(),
            global_layout: Layout::new(program, globals()),
            kept: code.iter().map(kept_operations).collect(),
            code,
            error,
            limits,
            heads: None,
            entries: Vec::new(),
            entry_of: HashMap::new(),
            edges: Vec::new(),
            words: 0,
            known: HashTable::new(),
            hasher: hashbrown::DefaultHashBuilder::default(),
            work: std::collections::VecDeque::new(),
        }
    }

    fn solve(mut self) -> Reach {
        match self.saturate() {
            Ok(()) => Reach::Unreachable { work: self.edges.len() },
            Err(Halt::Error(edge)) => Reach::Reachable(self.path_to(edge)),
            Err(Halt::Unknown(reason)) => Reach::Unknown(reason),
        }
    }

    fn saturate(&mut self) -> Result<(), Halt> {
        let main = self.program.instances[0].procedure;
        let layout = &self.layouts[main.index()];
        let mut state = vec![0; layout.words()].into_boxed_slice();
        for (index, global) in self.program.globals.iter().enumerate() {
            layout.set(&mut state, index, global.init);
        }
        self.enter_defaults(main, &mut state);
        let top = self.enter(main, state);
        while let Some(id) = self.work.pop_front() {
            self.process(id, top)?;
            if self.words > MAX_WORDS {
                return Err(Halt::Unknown("the states of the program are too large".into()));
            }
            if self.edges.len() > self.limits.edges {
                let reason = format!("over {} path edges", self.limits.edges);
                return Err(Halt::Unknown(reason));
            }
        }
        Ok(())
    }

    /// Sets the locals beyond the parameters to their defaults.
    fn enter_defaults(&self, procedure: ProcedureId, state: &mut State) {
        let code = &self.code[procedure.index()];
        for local in code.params..code.frame.len() {
            let layout = &self.layouts[procedure.index()];
            layout.set(state, self.globals + local, code.frame[local]);
        }
    }

    fn enter(&mut self, procedure: ProcedureId, state: State) -> EntryId {
        if let Some(known) = self.entry_of.get(&(procedure, state.clone())) {
            return *known;
        }
        let id = EntryId(self.entries.len() as u32);
        self.entry_of.insert((procedure, state.clone()), id);
        self.entries.push(Entry { procedure, callers: Vec::new(), exits: Vec::new() });
        self.derive(id, Pc::START, state, From::Entry);
        id
    }

    fn derive(&mut self, entry: EntryId, pc: Pc, state: State, from: From) {
        let key = |edge: &Edge, hasher: &hashbrown::DefaultHashBuilder| {
            hasher.hash_one((edge.entry, edge.pc, &edge.state))
        };
        let edge = Edge { entry, pc, state, from };
        let hash = key(&edge, &self.hasher);
        let same = |known: &EdgeId| {
            let known = &self.edges[known.0 as usize];
            known.entry == edge.entry && known.pc == edge.pc && known.state == edge.state
        };
        if self.known.find(hash, same).is_some() {
            return;
        }
        let id = EdgeId(self.edges.len() as u32);
        let (edges, hasher) = (&self.edges, &self.hasher);
        self.known.insert_unique(hash, id, |known| key(&edges[known.0 as usize], hasher));
        self.words += edge.state.len();
        self.edges.push(edge);
        self.work.push_back(id);
    }

    fn process(&mut self, id: EdgeId, top: EntryId) -> Result<(), Halt> {
        let edge = &self.edges[id.0 as usize];
        let (entry, pc) = (edge.entry, edge.pc);
        let procedure = self.entries[entry.0 as usize].procedure;
        if let Some(heads) = &self.heads
            && (entry, pc) == (top, Pc::START)
            && !heads.contains(&self.globals_of(id))
        {
            return Ok(());
        }
        match &self.code[procedure.index()].op(pc).kind {
            OpKind::Return => self.process_exit(id, entry, top),
            OpKind::Call(callee, _) => self.process_call(id, *callee),
            _ => {
                for (pc, state) in self.run_on(procedure, pc, edge.state.clone())? {
                    self.derive(entry, pc, state, From::Step(id));
                }
                Ok(())
            }
        }
    }

    fn globals_of(&self, id: EdgeId) -> Packed {
        let edge = &self.edges[id.0 as usize];
        let procedure = self.entries[edge.entry.0 as usize].procedure;
        let layout = &self.layouts[procedure.index()];
        let mut globals = vec![0; self.global_layout.words()].into_boxed_slice();
        for index in 0..self.globals {
            self.global_layout.set(&mut globals, index, layout.get(&edge.state, index));
        }
        globals
    }

    fn process_exit(&mut self, id: EdgeId, entry: EntryId, top: EntryId) -> Result<(), Halt> {
        let globals = self.globals_of(id);
        if entry == top && self.global_layout.get(&globals, self.error.index()) != 0 {
            return Err(Halt::Error(id));
        }
        let known = &mut self.entries[entry.0 as usize];
        if known.exits.iter().any(|(_, other)| *other == globals) {
            return Ok(());
        }
        known.exits.push((id, globals.clone()));
        for call in known.callers.clone() {
            self.resume(call, id, &globals);
        }
        Ok(())
    }

    fn process_call(&mut self, id: EdgeId, callee: ProcedureId) -> Result<(), Halt> {
        let state = self.entry_state(id, callee)?;
        let entry = self.enter(callee, state);
        let known = &mut self.entries[entry.0 as usize];
        known.callers.push(id);
        for (exit, globals) in known.exits.clone() {
            self.resume(id, exit, &globals);
        }
        Ok(())
    }

    /// The state in which the call at `id` enters `callee`.
    fn entry_state(&self, id: EdgeId, callee: ProcedureId) -> Result<State, Halt> {
        let edge = &self.edges[id.0 as usize];
        let from_procedure = self.entries[edge.entry.0 as usize].procedure;
        let OpKind::Call(_, args) = &self.code[from_procedure.index()].op(edge.pc).kind else {
            unreachable!("the edge stands at a call")
        };
        let (from, to) = (&self.layouts[from_procedure.index()], &self.layouts[callee.index()]);
        let mut state = vec![0; to.words()].into_boxed_slice();
        for index in 0..self.globals {
            to.set(&mut state, index, from.get(&edge.state, index));
        }
        for (index, arg) in args.iter().enumerate() {
            let value = self.value(from_procedure, arg, &edge.state)?;
            to.set(&mut state, self.globals + index, value);
        }
        self.enter_defaults(callee, &mut state);
        Ok(state)
    }

    /// Derives the edges after the call at `call`, if the callee leaves these globals.
    fn resume(&mut self, call: EdgeId, exit: EdgeId, globals: &Packed) {
        let edge = &self.edges[call.0 as usize];
        let (entry, pc) = (edge.entry, edge.pc);
        let procedure = self.entries[entry.0 as usize].procedure;
        let layout = &self.layouts[procedure.index()];
        let mut state = edge.state.clone();
        for index in 0..self.globals {
            layout.set(&mut state, index, self.global_layout.get(globals, index));
        }
        self.derive(entry, pc.next(), state, From::Return { call, exit });
    }
}

/// The operations where edges are kept: the first, calls and the operations after them, returns,
/// and targets of jumps.
pub(super) fn kept_operations(code: &Code) -> Vec<bool> {
    let mut kept = vec![false; code.ops.len()];
    kept[0] = true;
    for (index, op) in code.ops.iter().enumerate() {
        match &op.kind {
            OpKind::Call(..) => {
                kept[index] = true;
                kept[index + 1] = true;
            }
            OpKind::Return => kept[index] = true,
            OpKind::Jump(to) | OpKind::Unless(_, to) | OpKind::Choose(to) => {
                kept[to.index()] = true;
            }
            _ => {}
        }
    }
    kept
}
