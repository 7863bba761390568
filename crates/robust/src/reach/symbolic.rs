//! Sets of states as binary decision diagrams.
//!
//! This engine executes the structured program on whole sets at once: a statement maps the set of
//! states before it to the set after it, a loop is iterated on the new states up to its fixpoint,
//! and a call runs the callee's body on the current set. The result is exact for finite domains. A
//! procedure has one set of variables, so recursion is rejected. Every call runs the body again, so
//! the cost grows with the expanded call tree, where [`summaries`] share work. The engine saves the
//! enumeration of states: the guesses of the instrumentation are largely independent of each other
//! and of the data, and diagrams of independent variables stay small.
//!
//! A violating run is found in two steps. First the states at the entry procedure's loop head are
//! determined backwards, one round at a time, by halving sets and executing the round again. Then
//! explicit summaries run through exactly those states.

mod diagram;
mod encode;
mod exec;

use super::summaries;
use super::{Path, Reach};
use crate::core::{Program, Stmt, StmtKind};
use crate::reduce::Sequential;
use diagram::Set;
use encode::Encoding;
use exec::{Executor, Exhausted};

/// The limits of symbolic execution.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of nodes of all diagrams.
    pub nodes: usize,
    /// The largest number of path edges for reconstructing a run.
    pub edges: usize,
}

/// Decides whether `sequential`, whose entry is one loop as
/// [`reduce`](crate::reduce::reduce()) builds it, can end with its error flag set.
pub fn reach(sequential: &Sequential, limits: Limits) -> Reach {
    let program = &sequential.program;
    if is_recursive(program) {
        return Reach::Unknown(
            "the program is recursive, and explicit summaries grow too large".into(),
        );
    }
    let encoding = match Encoding::new(program, limits.nodes) {
        Ok(encoding) => encoding,
        Err(reason) => return Reach::Unknown(reason),
    };
    let main = program.procedure(program.instances[0].procedure);
    let [Stmt { kind: StmtKind::While(_, round), .. }] = main.body.as_slice() else {
        return Reach::Unknown("the entry of the program is not a loop".into());
    };
    let executor = Executor::new(program, encoding);
    let mut search = Search { executor, round, error: sequential.error, rounds: Vec::new() };
    match search.run() {
        Ok(None) => Reach::Unreachable { work: search.executor.encoding.sets.len() },
        Ok(Some(error_states)) => match search.heads(error_states) {
            Ok(heads) => match guided(sequential, &heads, limits.edges) {
                Some(path) => Reach::Reachable(path),
                None => {
                    Reach::Unknown("a violation exists, but reading it back is too costly".into())
                }
            },
            Err(Exhausted(reason)) => Reach::Unknown(reason),
        },
        Err(Exhausted(reason)) => Reach::Unknown(reason),
    }
}

/// The run through the given loop heads.
fn guided(sequential: &Sequential, heads: &[Vec<i64>], edges: usize) -> Option<Path> {
    match summaries::reach_through(sequential, heads, summaries::Limits::edges(edges)) {
        Reach::Reachable(path) => Some(path),
        Reach::Unreachable { .. } | Reach::Unknown(_) => None,
    }
}

/// Breadth-first search over rounds of the entry procedure's loop.
struct Search<'a> {
    executor: Executor<'a>,
    round: &'a [Stmt],
    error: crate::core::GlobalId,
    /// The states first seen at the loop head before each round.
    rounds: Vec<Set>,
}

impl Search<'_> {
    /// The states in which the loop is left with the error flag set, if there are any.
    fn run(&mut self) -> Result<Option<Set>, Exhausted> {
        let mut frontier = self.executor.encoding.initial();
        let mut seen = frontier;
        let error = self.executor.encoding.flag(self.error);
        while !frontier.is_empty() {
            self.rounds.push(frontier);
            let flow = self.executor.block(self.round, frontier)?;
            let sets = &mut self.executor.encoding.sets;
            let violating = sets.and(flow.returned, error);
            if !violating.is_empty() {
                return Ok(Some(violating));
            }
            frontier = sets.minus(flow.next, seen);
            seen = sets.or(seen, frontier);
        }
        Ok(None)
    }

    /// One state per round, each leading to the next, the last to a state of `errors`.
    fn heads(&mut self, errors: Set) -> Result<Vec<Vec<i64>>, Exhausted> {
        let mut heads = Vec::new();
        let mut target = errors;
        for candidates in std::mem::take(&mut self.rounds).into_iter().rev() {
            let head = self.narrow(candidates, target)?;
            heads.push(self.executor.encoding.decode(head));
            target = head;
        }
        heads.reverse();
        Ok(heads)
    }

    /// A single state of `candidates` from which one round leads into `target`.
    fn narrow(&mut self, mut candidates: Set, target: Set) -> Result<Set, Exhausted> {
        for bit in self.executor.encoding.global_bits() {
            let sets = &mut self.executor.encoding.sets;
            let is_set = sets.literal(bit, true);
            let (low, high) = (sets.minus(candidates, is_set), sets.and(candidates, is_set));
            candidates = if low.is_empty() {
                high
            } else if high.is_empty() || self.leads_to(low, target)? {
                low
            } else {
                high
            };
        }
        Ok(candidates)
    }

    fn leads_to(&mut self, states: Set, target: Set) -> Result<bool, Exhausted> {
        let flow = self.executor.block(self.round, states)?;
        let sets = &mut self.executor.encoding.sets;
        let after = sets.or(flow.next, flow.returned);
        Ok(!sets.and(after, target).is_empty())
    }
}

fn is_recursive(program: &Program) -> bool {
    // Callees are found by depth-first search. A procedure that is reached while it is open is
    // recursive.
    fn visit(program: &Program, at: usize, state: &mut [u8]) -> bool {
        if state[at] != 0 {
            return state[at] == 1;
        }
        state[at] = 1;
        let mut found = false;
        crate::core::for_each_stmt(&program.procedures[at].body, &mut |stmt| {
            if let StmtKind::Call(callee, _) = &stmt.kind {
                found = found || visit(program, callee.index(), state);
            }
        });
        state[at] = 2;
        found
    }
    let mut state = vec![0; program.procedures.len()];
    (0..program.procedures.len()).any(|index| visit(program, index, &mut state))
}
