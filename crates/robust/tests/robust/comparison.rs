//! One comparison of a reduction with brute force.

use std::fmt;

use robust::core::Program;
use robust::explore::{Exploration, explore};
use robust::reach::{Path, Reach, summaries};
use robust::reduce::{Options, reduce};
use robust::witness::{confirm, schedule};
use robust::{Criterion, lang};
use testkit::evp::random_program;

/// States brute force may visit before a program is put aside.
const CAP: usize = 30_000;

/// How many programs were compared, by outcome.
#[derive(Default)]
pub(crate) struct Tally {
    holds: u64,
    violated: u64,
    /// Too large for brute force.
    skipped: u64,
    /// Serializability of programs that are not deterministic is not defined by the reduction.
    not_deterministic: u64,
}

impl Tally {
    /// Programs on which both had an answer.
    pub(crate) fn decided(&self) -> u64 {
        self.holds + self.violated
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} agree ({} hold, {} violated); {} too large for brute force, {} not deterministic",
            self.decided(),
            self.holds,
            self.violated,
            self.skipped,
            self.not_deterministic
        )
    }
}

/// Compares the two on the program of `seed`.
pub(crate) fn compare(seed: u64, criterion: Criterion, tally: &mut Tally) -> Result<(), String> {
    let text = random_program(seed, criterion == Criterion::Determinism);
    let file = lang::parse(&text).map_err(|errors| format!("{errors:?}\n{text}"))?;
    let program = lang::elaborate(&file).map_err(|errors| format!("{errors:?}\n{text}"))?;
    if criterion == Criterion::Serializability && run(&program, Criterion::Determinism)?.is_some() {
        tally.not_deterministic += 1;
        return Ok(());
    }
    let expected = match explore(&program, criterion, CAP) {
        Exploration::Holds { .. } => false,
        Exploration::Violated(_) => true,
        Exploration::Unknown(_) => {
            tally.skipped += 1;
            return Ok(());
        }
    };
    let found = run(&program, criterion)?;
    if let Some(path) = &found
        && confirm(&program, criterion, &schedule(&program, path)).is_none()
    {
        return Err(format!("the violation does not replay\n{text}"));
    }
    if found.is_some() != expected {
        return Err(format!("brute force says violated = {expected}, the reduction not\n{text}"));
    }
    if expected {
        tally.violated += 1;
    } else {
        tally.holds += 1;
    }
    Ok(())
}

/// The run that violates the criterion according to the reduction.
fn run(program: &Program, criterion: Criterion) -> Result<Option<Path>, String> {
    let sequential = reduce(program, criterion, &Options::default())
        .map_err(|errors| format!("{errors:?}"))?
        .sliced();
    match summaries::reach(&sequential, summaries::Limits::edges(20_000_000)) {
        Reach::Unreachable { .. } => Ok(None),
        Reach::Reachable(path) => Ok(Some(path)),
        Reach::Unknown(reason) => Err(reason),
    }
}
