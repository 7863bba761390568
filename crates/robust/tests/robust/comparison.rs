//! One comparison of the reductions, and of the verdicts that rest on them, with brute force.

use std::fmt;

use robust::core::Program;
use robust::explore::{Exploration, explore};
use robust::reach::{Reach, summaries};
use robust::reduce::reduce;
use robust::witness::{confirm, schedule};
use robust::{Criterion, Engine, Options, Verdict, check, lang, reduce as reduction};
use testkit::evp::{endless_program, random_program};

/// The number of states that brute force may visit for a question.
const CAP: usize = 8_000;

/// The number of seconds that the solver may take for a question.
const SECONDS: u32 = 5;

const CRITERIA: [Criterion; 2] = [Criterion::Determinism, Criterion::Serializability];

/// The number of programs compared, and their questions by outcome, one row for each criterion.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    rows: [Row; 2],
}

#[derive(Default)]
struct Row {
    holds: u64,
    violated: u64,
    /// Questions that are too large for brute force.
    too_large: u64,
    /// Questions that brute force decides and the engine does not.
    unknown: u64,
    /// Questions that were not asked, because the program is not deterministic.
    unchecked: u64,
}

impl Tally {
    /// Questions on which both have an answer.
    pub(crate) fn decided(&self) -> u64 {
        self.rows.iter().map(|row| row.holds + row.violated).sum()
    }

    /// Questions answered by a violation.
    pub(crate) fn violated(&self) -> u64 {
        self.rows.iter().map(|row| row.violated).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} programs", self.programs)?;
        for (criterion, row) in CRITERIA.iter().zip(&self.rows) {
            let Row { holds, violated, too_large, unknown, unchecked } = row;
            write!(
                f,
                "; {}: {} agree ({holds} hold, {violated} violated), {too_large} too large for \
                 brute force, {unknown} unknown, {unchecked} not checked",
                criterion.name(),
                holds + violated,
            )?;
        }
        Ok(())
    }
}

/// The program of `seed`: most have tasks that may never end. The solver gets smaller ones.
pub(crate) fn program(seed: u64, engine: Engine) -> String {
    match seed % 8 {
        _ if engine == Engine::Chc => endless_program(seed, 2),
        0 => random_program(seed, false),
        4 => random_program(seed, true),
        _ => endless_program(seed, 3),
    }
}

/// Compares the verdicts of `engine` on the program of `seed` with brute force, and the reductions
/// themselves if the engine is [`Engine::Summaries`].
pub(crate) fn compare(seed: u64, engine: Engine, tally: &mut Tally) -> Result<(), String> {
    compare_program(&program(seed, engine), engine, tally)
}

/// Like [`compare`], but on a given program.
pub(crate) fn compare_program(text: &str, engine: Engine, tally: &mut Tally) -> Result<(), String> {
    let file = lang::parse(text).map_err(|errors| format!("{errors:?}\n{text}"))?;
    let program = lang::elaborate(&file).map_err(|errors| format!("{errors:?}\n{text}"))?;
    let options = Options { engine, states: CAP, seconds: SECONDS, ..Options::default() };
    let report = check("random.evp", text, &options).map_err(|errors| format!("{errors:?}"))?;
    tally.programs += 1;
    let mut deterministic = false;
    for (criterion, row) in CRITERIA.into_iter().zip(&mut tally.rows) {
        let explored = explore(&program, criterion, CAP);
        let presupposed = criterion == Criterion::Determinism || deterministic;
        if engine == Engine::Summaries && presupposed {
            compare_reduction(&program, criterion, &explored)
                .map_err(|message| format!("{}: {message}\n{text}", criterion.name()))?;
        }
        deterministic = matches!(explored, Exploration::Holds { .. });
        // Where the engine leaves determinism open, brute force answers about serializability.
        let brute = criterion == Criterion::Serializability
            && matches!(report.verdict(Criterion::Determinism), Some(Verdict::Unknown { .. }));
        match (explored, report.verdict(criterion).expect("it was asked for")) {
            (Exploration::Unknown(_), _) => row.too_large += 1,
            _ if brute => row.unknown += 1,
            (_, Verdict::Unknown { .. }) => row.unknown += 1,
            (_, Verdict::Unchecked) => row.unchecked += 1,
            (Exploration::Holds { .. }, Verdict::Proved { .. }) => row.holds += 1,
            (Exploration::Violated(_), Verdict::Violated(_)) => row.violated += 1,
            (Exploration::Violated(_), Verdict::Proved { .. }) => {
                return Err(format!("{}: proved, but violated\n{text}", criterion.name()));
            }
            (Exploration::Holds { .. }, Verdict::Violated(_)) => {
                return Err(format!("{}: violated, but it holds\n{text}", criterion.name()));
            }
        }
    }
    Ok(())
}

/// A reduction that finds nothing must be right. One that finds a violation must be right too, and
/// its run must replay, unless the driver orders instances.
fn compare_reduction(
    program: &Program,
    criterion: Criterion,
    explored: &Exploration,
) -> Result<(), String> {
    let sequential = reduce(program, criterion, &reduction::Options::default())
        .map_err(|errors| format!("{errors:?}"))?
        .sliced();
    let found = match summaries::reach(&sequential, summaries::Limits::edges(20_000_000)) {
        Reach::Unreachable { .. } => None,
        Reach::Reachable(path) => Some(path),
        Reach::Unknown(reason) => return Err(reason),
    };
    let ordered = program.instances.iter().any(|instance| !instance.after.is_empty());
    let Some(path) = found else {
        return match explored {
            Exploration::Violated(_) => Err("the reduction misses a violation".into()),
            _ => Ok(()),
        };
    };
    if ordered {
        return Ok(());
    }
    if confirm(program, criterion, &schedule(program, &path)).is_none() {
        return Err("the violation does not replay".into());
    }
    match explored {
        Exploration::Holds { .. } => Err("the reduction finds a violation too many".into()),
        _ => Ok(()),
    }
}
