//! Violations as interleavings of the multi-thread semantics.
//!
//! A reduction's run executes invocations in depth-first order, some of them cut short, and leaves
//! the pivot out. [`schedule`] turns it back into an interleaving: each step in the run's order as
//! soon as the multi-thread semantics allows it, conflicting accesses in the run's order, the cut
//! task of the main thread last, then the pivot. The result is verified: [`replay`] runs the moves
//! through the stepper and looks for the violation in the trace by its definition. A witness that
//! replays is then shortened, move by move, as long as it still replays.

mod recording;
mod schedule;

use crate::Criterion;
use crate::core::Program;
use crate::explore::history::{History, Judgement};
use crate::semantics::Label;
use crate::semantics::definitions::{Conflict, Occurrence, conflict_cycle, dfs_inversion};
use crate::semantics::moves::{Move, apply, is_enabled};
use crate::semantics::multi::Machine;

pub use recording::recording;
pub use schedule::schedule;

/// The number of replays for shortening a witness.
const MAX_REPLAYS: usize = 4_000;

/// A violation that was replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The interleaving. Its last move makes the pivot access.
    pub moves: Vec<Move>,
    /// The trace of the interleaving. Its last access is the pivot.
    pub trace: Vec<Label>,
    /// For determinism the inverted pair, root first. For serializability the cycle: each
    /// conflict's second event is the first event of the next, and the last leads back.
    pub conflicts: Vec<Conflict>,
}

impl Witness {
    /// The access whose execution completes the violation.
    pub fn pivot(&self) -> &Occurrence {
        &self.conflicts.last().expect("a violation has a conflict").second
    }

    /// The earlier access that conflicts with the pivot.
    pub fn root(&self) -> &Occurrence {
        &self.conflicts.last().expect("a violation has a conflict").first
    }
}

/// Returns a shortened witness of the violation in an interleaving. None if the violation does not
/// replay under the driver's causality.
pub fn confirm(program: &Program, criterion: Criterion, moves: &[Move]) -> Option<Witness> {
    let machine = Machine::new(program, true);
    let mut witness = replay(&machine, criterion, moves)?;
    let mut replays = 0;
    loop {
        let before = witness.moves.len();
        for index in (0..before).rev() {
            if index >= witness.moves.len() || replays == MAX_REPLAYS {
                continue;
            }
            let mut fewer = witness.moves.clone();
            fewer.remove(index);
            replays += 1;
            if let Some(shorter) = replay(&machine, criterion, &fewer) {
                witness = shorter;
            }
        }
        if witness.moves.len() == before || replays == MAX_REPLAYS {
            return Some(witness);
        }
    }
}

/// Runs those of `moves` that are enabled when their turn comes, up to the first violation.
pub fn replay(machine: &Machine<'_>, criterion: Criterion, moves: &[Move]) -> Option<Witness> {
    let mut config = machine.initial();
    let mut history = History::new(machine.program, criterion);
    let (mut taken, mut trace) = (Vec::new(), Vec::new());
    for next in moves {
        if !is_enabled(machine, &config, &next.step) {
            continue;
        }
        let before = trace.len();
        apply(machine, &mut config, next, &mut trace).ok()?;
        taken.push(next.clone());
        match history.record(&trace[before..]) {
            Judgement::Fine => {}
            Judgement::Outside => return None,
            Judgement::Violation => {
                trace.truncate(before + 1);
                let conflicts = violation(criterion, &trace)?;
                return Some(Witness { moves: taken, trace, conflicts });
            }
        }
    }
    None
}

fn violation(criterion: Criterion, trace: &[Label]) -> Option<Vec<Conflict>> {
    match criterion {
        Criterion::Determinism => dfs_inversion(trace).map(|pair| vec![pair]),
        Criterion::Serializability => conflict_cycle(trace),
    }
}
