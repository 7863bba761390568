//! Random interleavings. They prove nothing, but find shallow violations of large programs fast.

use super::history::{History, Judgement};
use crate::Criterion;
use crate::core::Program;
use crate::semantics::moves::{Move, enabled, successors};
use crate::semantics::multi::Machine;

/// The largest number of moves of an interleaving.
const MAX_MOVES: usize = 2_000;

/// Returns the first of `runs` random interleavings that violates `criterion`. The same program
/// gives the same interleavings.
pub fn sample(program: &Program, criterion: Criterion, runs: usize) -> Option<Vec<Move>> {
    let machine = Machine::new(program, true);
    let mut random = SplitMix(0);
    (0..runs).find_map(|_| run(&machine, criterion, &mut random))
}

fn run(machine: &Machine<'_>, criterion: Criterion, random: &mut SplitMix) -> Option<Vec<Move>> {
    let mut config = machine.initial();
    let mut history = History::new(machine.program, criterion);
    let mut moves = Vec::new();
    while moves.len() < MAX_MOVES {
        let step = random.pick(&enabled(machine, &config))?;
        let (taken, after, labels) = random.pick(&successors(machine, &config, &step).ok()?)?;
        moves.push(taken);
        match history.record(&labels) {
            Judgement::Violation => return Some(moves),
            Judgement::Outside => return None,
            Judgement::Fine => {}
        }
        config = after;
    }
    None
}

/// `SplitMix64`.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let index = self.next().checked_rem(from.len() as u64)?;
        from.get(index as usize).cloned()
    }
}
