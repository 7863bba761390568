//! The search for an interleaving of the needed operations of a run.
//!
//! Most operations can be executed as soon as they are enabled: this disables nothing. Only two kinds
//! are choices: which task of the main thread begins, and which task enters a monitor. They are
//! searched depth first; a state from which there is no way is remembered.

use std::collections::{BTreeMap, BTreeSet};

use super::Event;
use super::run::{Act, MonitorId, Run, TaskId};
use crate::lang::ast::Where;

/// The number of states in which a choice is made before the search is given up.
const MAX_STATES: usize = 100_000;

/// The result of the search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// The operations in an order that the multi-thread semantics allows.
    Found(Vec<usize>),
    /// There is no such order.
    Impossible,
    /// The search was given up.
    Undecided,
}

/// Searches an interleaving of the operations of `run` that are `needed`.
pub(super) fn schedule(
    run: &Run,
    events: &[Event],
    before: &[Vec<usize>],
    needed: &[bool],
) -> Schedule {
    let ops: Vec<Vec<usize>> = run
        .tasks
        .iter()
        .map(|task| task.ops.iter().copied().filter(|op| needed[*op]).collect())
        .collect();
    let mut search =
        Search { run, events, before, ops, needed, failed: BTreeSet::new(), states: 0 };
    let mut state = State {
        done: vec![false; run.ops.len()],
        at: vec![0; run.tasks.len()],
        main: None,
        holders: BTreeMap::new(),
        order: Vec::new(),
    };
    match search.go(&mut state) {
        Some(true) => Schedule::Found(state.order),
        Some(false) => Schedule::Impossible,
        None => Schedule::Undecided,
    }
}

struct Search<'r> {
    run: &'r Run,
    events: &'r [Event],
    before: &'r [Vec<usize>],
    /// The needed operations of each task.
    ops: Vec<Vec<usize>>,
    needed: &'r [bool],
    failed: BTreeSet<Vec<u32>>,
    states: usize,
}

#[derive(Clone)]
struct State {
    done: Vec<bool>,
    /// How many operations of each task are done.
    at: Vec<u32>,
    /// The task that the main thread runs.
    main: Option<TaskId>,
    holders: BTreeMap<MonitorId, TaskId>,
    order: Vec<usize>,
}

impl Search<'_> {
    /// Completes the interleaving. `None` if the search is given up.
    fn go(&mut self, state: &mut State) -> Option<bool> {
        self.run_freely(state);
        let tasks = 0..self.ops.len();
        if tasks.clone().all(|task| state.at[task] as usize == self.ops[task].len()) {
            return Some(true);
        }
        if self.failed.contains(&state.at) {
            return Some(false);
        }
        self.states += 1;
        if self.states > MAX_STATES {
            return None;
        }
        // A task that does not end keeps what it takes, so it comes last.
        let mut choices: Vec<TaskId> = tasks.map(TaskId).collect();
        choices.sort_by_key(|task| !self.run.is_ended(*task));
        for task in choices {
            let Some(op) = self.next(state, task) else { continue };
            if self.is_choice(op) && self.is_enabled(state, op) {
                let mut next = state.clone();
                self.execute(&mut next, op);
                if self.go(&mut next)? {
                    *state = next;
                    return Some(true);
                }
            }
        }
        self.failed.insert(state.at.clone());
        Some(false)
    }

    /// Executes all enabled operations that are no choices.
    fn run_freely(&self, state: &mut State) {
        let mut moved = true;
        while moved {
            moved = false;
            for task in (0..self.ops.len()).map(TaskId) {
                while let Some(op) = self.next(state, task)
                    && !self.is_choice(op)
                    && self.is_enabled(state, op)
                {
                    self.execute(state, op);
                    moved = true;
                }
            }
        }
    }

    fn next(&self, state: &State, task: TaskId) -> Option<usize> {
        self.ops[task.0].get(state.at[task.0] as usize).copied()
    }

    fn is_choice(&self, op: usize) -> bool {
        let on_main = self.run.task(self.run.ops[op].task).on == Where::Main;
        match self.run.ops[op].act {
            Act::Begin => on_main,
            Act::Acquire(_) => true,
            _ => false,
        }
    }

    fn is_enabled(&self, state: &State, op: usize) -> bool {
        let task = self.run.task(self.run.ops[op].task);
        let happened = |earlier: &usize| !self.needed[*earlier] || state.done[*earlier];
        match self.run.ops[op].act {
            Act::Begin => {
                let posted = match task.post {
                    Some(post) => state.done[post],
                    None => self.may_start(state, task.invocation.instance.index()),
                };
                posted && (task.on == Where::Any || state.main.is_none())
            }
            Act::Acquire(monitor) => !state.holders.contains_key(&monitor),
            Act::Access(..) => self.before[op].iter().all(happened),
            Act::Post(_) | Act::Release(_) | Act::End => true,
        }
    }

    /// Whether the driver lets an event start.
    fn may_start(&self, state: &State, event: usize) -> bool {
        let tasks = |other: usize| {
            let all = self.run.tasks.iter().enumerate();
            all.filter(move |(_, task)| task.invocation.instance.index() == other)
        };
        let started = |other: &usize| {
            tasks(*other).any(|(id, task)| task.invocation.path.is_empty() && state.at[id] > 0)
        };
        let ended = |other: &usize| {
            started(other)
                && tasks(*other).all(|(_, task)| task.ops.last().is_some_and(|op| state.done[*op]))
        };
        self.events[event].start.iter().all(started) && self.events[event].end.iter().all(ended)
    }

    fn execute(&self, state: &mut State, op: usize) {
        let task = self.run.ops[op].task;
        state.done[op] = true;
        state.at[task.0] += 1;
        state.order.push(op);
        let on_main = self.run.task(task).on == Where::Main;
        match self.run.ops[op].act {
            Act::Begin if on_main => state.main = Some(task),
            Act::End if on_main => state.main = None,
            Act::Acquire(monitor) => {
                state.holders.insert(monitor, task);
            }
            Act::Release(monitor) => {
                state.holders.remove(&monitor);
            }
            _ => {}
        }
    }
}
