//! Brute force over the multi-thread semantics: the oracle.
//!
//! The search is breadth first over configurations paired with the part of the past that the
//! criterion needs (`History`), so the interleaving found is a shortest one in moves. It takes
//! exponential time, and stops without a decision at a limit on states.
//!
//! - *Serializability*: the conflict-event graph of every interleaving of the instances, under the
//!   driver's causality, is acyclic.
//! - *Determinism*: in every interleaving of the instances, under the driver's causality, whose
//!   conflict-event graph is acyclic, the conflicting accesses of each event occur in depth-first
//!   order. The access that inverts a pair may close a cycle of events too; what precedes it must
//!   not hold one.
//!
//! An interleaving with an acyclic graph is equivalent to one that runs the events one after the
//! other, so determinism is a property of each event running alone, from any state that events
//! before it can leave, whether those ended or not. States that only ended events leave would not
//! be enough: a task that never ends would make its event's effects invisible.
//!
//! Both criteria hold iff in every interleaving both graphs, of events and of the invocations of
//! each event, are acyclic.

pub(crate) mod history;
mod sample;

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

use crate::Criterion;
use crate::core::Program;
use crate::semantics::moves::{Move, Stuck, enabled, successors};
use crate::semantics::multi::{Config, Machine};
use history::{History, Judgement};

pub use sample::sample;

/// The number of values of variables that all states together may hold: 2 GB.
const MAX_VALUES: usize = 1 << 28;

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exploration {
    /// Every interleaving satisfies the criterion.
    Holds {
        /// The number of states.
        states: usize,
    },
    /// A shortest interleaving that violates the criterion. Its last access is the pivot.
    Violated(Vec<Move>),
    /// Not all states could be visited, for this reason.
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
    /// The number of values of variables that the states hold.
    values: usize,
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
            values: 0,
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
            if self.values > MAX_VALUES {
                return Exploration::Unknown("the states of the program are too large".into());
            }
            if self.states.len() > self.cap {
                let reason = format!("exploration stopped after {} states", self.cap);
                return Exploration::Unknown(reason);
            }
            next += 1;
        }
        Exploration::Holds { states: self.states.len() }
    }

    /// Adds the successors of a state. Returns the move that violates the criterion, if there is
    /// one.
    fn expand(&mut self, index: usize) -> Result<Option<Move>, Stuck> {
        let state = self.states[index].clone();
        for step in enabled(&self.machine, &state.config) {
            for (taken, config, labels) in successors(&self.machine, &state.config, &step)? {
                let mut history = state.history.clone();
                match history.record(&labels) {
                    Judgement::Violation => return Ok(Some(taken)),
                    Judgement::Outside => {}
                    Judgement::Fine => {
                        self.add(State { config, history }, Some((index, taken)));
                    }
                }
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
        self.values += state.config.values();
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
