//! Brute force over the multi-thread semantics: the oracle.
//!
//! Breadth first over configurations paired with what the criterion must remember of the past
//! (`History`), so the interleaving found is a shortest one in moves. Exponential; stops at a
//! cap on states and then decides nothing.
//!
//! - *Serializability*: every interleaving of all instances, under the driver's causality.
//! - *Determinism* is a property of an event running alone from a state the program can be in:
//!   one reached by running other instances one after the other, each to its end, in an order
//!   the driver allows. So an event starts only when the configuration is quiescent and every
//!   started event has ended.

mod history;
mod sample;

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

use crate::Criterion;
use crate::core::Program;
use crate::semantics::Label;
use crate::semantics::moves::{Move, Stuck, Visible, enabled, successors};
use crate::semantics::multi::{Config, Machine};
use history::History;

pub use sample::sample;

/// What exploration found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// Every interleaving satisfies the criterion.
    Holds {
        /// How many states there are.
        states: usize,
    },
    /// A shortest interleaving that violates it; its last access is the pivot.
    Violated(Vec<Move>),
    /// The states could not all be visited.
    Unknown(String),
}

/// Explores all interleavings of `program`, up to `cap` states.
pub fn explore(program: &Program, criterion: Criterion, cap: usize) -> Exploration {
    Explorer::new(program, criterion, cap).run()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    config: Config,
    history: History,
}

struct Explorer<'p> {
    machine: Machine<'p>,
    criterion: Criterion,
    cap: usize,
    states: Vec<State>,
    /// How each state but the first was reached.
    reached: Vec<Option<(usize, Move)>>,
    known: HashTable<usize>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl<'p> Explorer<'p> {
    fn new(program: &'p Program, criterion: Criterion, cap: usize) -> Self {
        Self {
            machine: Machine::new(program, true),
            criterion,
            cap,
            states: Vec::new(),
            reached: Vec::new(),
            known: HashTable::new(),
            hasher: hashbrown::DefaultHashBuilder::default(),
        }
    }

    fn run(mut self) -> Exploration {
        let history = History::new(self.machine.program, self.criterion);
        self.add(State { config: self.machine.initial(), history }, None);
        let mut next = 0;
        while next < self.states.len() {
            match self.expand(next) {
                Ok(Some(violation)) => return Exploration::Violated(self.path(next, violation)),
                Ok(None) => {}
                Err(stuck) => return Exploration::Unknown(stuck.reason().to_owned()),
            }
            if self.states.len() > self.cap {
                let reason = format!("exploration stopped after {} states", self.cap);
                return Exploration::Unknown(reason);
            }
            next += 1;
        }
        Exploration::Holds { states: self.states.len() }
    }

    /// Adds the successors of a state; the move that violates the criterion, if one does.
    fn expand(&mut self, index: usize) -> Result<Option<Move>, Stuck> {
        let state = self.states[index].clone();
        for step in enabled(&self.machine, &state.config) {
            if !allowed(self.criterion, &state.config, &step) {
                continue;
            }
            for (taken, config, labels) in successors(&self.machine, &state.config, &step)? {
                let mut history = state.history.clone();
                if labels.iter().any(|label: &Label| history.record(label)) {
                    return Ok(Some(taken));
                }
                self.add(State { config, history }, Some((index, taken)));
            }
        }
        Ok(None)
    }

    fn add(&mut self, state: State, reached: Option<(usize, Move)>) {
        let hash = self.hasher.hash_one(&state);
        if self.known.find(hash, |known| self.states[*known] == state).is_some() {
            return;
        }
        let (states, hasher) = (&self.states, &self.hasher);
        self.known.insert_unique(hash, states.len(), |known| hasher.hash_one(&states[*known]));
        self.states.push(state);
        self.reached.push(reached);
    }

    fn path(&self, state: usize, last: Move) -> Vec<Move> {
        let mut moves = vec![last];
        let mut at = state;
        while let Some((previous, taken)) = &self.reached[at] {
            moves.push(taken.clone());
            at = *previous;
        }
        moves.reverse();
        moves
    }
}

/// Determinism speaks of events that run alone.
pub(crate) fn allowed(criterion: Criterion, config: &Config, step: &Visible) -> bool {
    match (criterion, step) {
        (Criterion::Determinism, Visible::Start(_)) => {
            config.is_quiescent() && config.started == config.ended
        }
        _ => true,
    }
}
