//! The entry point: checks a source text and returns verdicts.
//!
//! Determinism is checked first, because the reduction for serializability presupposes it. A
//! violation is reported only after it was replayed under the driver's causality. The reductions
//! ignore that causality, which is an over-approximation. If the violation that a reduction finds
//! does not replay, brute force decides, or the verdict is unknown.

use crate::Criterion;
use crate::core::{InstanceId, Program};
use crate::explore::{Exploration, explore, sample};
use crate::lang::{Error, read};
use crate::reach::horn::{Answer, smt, solve};
use crate::reach::{Path, Reach, summaries, symbolic};
use crate::reduce::{self, reduce, unbounded_posts};
use crate::verdict::{Report, Verdict};
use crate::witness::{Witness, confirm, schedule};

/// The number of random interleavings that are tried before costly methods.
const RANDOM_RUNS: usize = 100;

/// The number of path edges for each small group of instances.
const FEW_EDGES: usize = 30_000;

/// The largest integer that is tried where a program may choose any integer.
const FAR: i64 = 8;

/// The engine that decides reachability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Procedure summaries over finite domains; symbolic where explicit sets grow too large.
    #[default]
    Summaries,
    /// Constrained Horn clauses, solved by Z3's Spacer.
    Chc,
    /// Brute force over all interleavings, no reduction.
    Explore,
}

/// The criteria to check, and the limits on the effort.
#[derive(Clone, Debug)]
pub struct Options {
    /// The criteria, each at most once.
    pub criteria: Vec<Criterion>,
    /// The engine that decides.
    pub engine: Engine,
    /// The number of path edges that explicit summaries may derive.
    pub edges: usize,
    /// The number of nodes that all decision diagrams may have together.
    pub nodes: usize,
    /// The number of states that brute force may visit.
    pub states: usize,
    /// The number of seconds that the solver for Horn clauses may take.
    pub seconds: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            criteria: vec![Criterion::Determinism, Criterion::Serializability],
            engine: Engine::Summaries,
            edges: 300_000,
            nodes: 20_000_000,
            states: 500_000,
            seconds: 60,
        }
    }
}

/// Checks the program `source`; `file` is its name for display.
///
/// The errors are those of the language, and unbounded posts if the engine needs a bound.
pub fn check(file: &str, source: &str, options: &Options) -> Result<Report, Vec<Error>> {
    let program = read(source)?;
    if options.engine != Engine::Explore {
        let errors = unbounded_posts(&program);
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    let mut verdicts = Vec::new();
    let mut determinism = None;
    for criterion in &options.criteria {
        let verdict = match (criterion, options.engine) {
            (_, Engine::Explore) => explored(&program, *criterion, options),
            (Criterion::Determinism, _) => {
                determinism.insert(decide(&program, *criterion, options)?).clone()
            }
            (Criterion::Serializability, _) => {
                let asked = determinism.is_some();
                let determinism = match &determinism {
                    Some(known) => known.clone(),
                    None => decide(&program, Criterion::Determinism, options)?,
                };
                serializability(&program, &determinism, asked, options)?
            }
        };
        verdicts.push((*criterion, advised(verdict, &program, options.engine)));
    }
    Ok(Report { file: file.into(), source: source.into(), program, verdicts })
}

/// Adds to an unknown verdict that another engine decides unbounded data.
fn advised(verdict: Verdict, program: &Program, engine: Engine) -> Verdict {
    match verdict {
        Verdict::Unknown { reason } if engine != Engine::Chc && program.has_unbounded_data() => {
            let advice = "the program has integers without bounds: try `--engine chc`";
            Verdict::Unknown { reason: format!("{reason}; {advice}") }
        }
        other => other,
    }
}

/// Decides serializability, given the verdict on determinism and whether that is also reported.
fn serializability(
    program: &Program,
    determinism: &Verdict,
    reported: bool,
    options: &Options,
) -> Result<Verdict, Vec<Error>> {
    match determinism {
        Verdict::Proved { .. } => decide(program, Criterion::Serializability, options),
        Verdict::Violated(_) if reported => Ok(Verdict::Unchecked),
        _ => Ok(match explored(program, Criterion::Serializability, options) {
            Verdict::Unknown { reason } => Verdict::Unknown {
                reason: format!(
                    "the reduction presupposes conflict-determinism, which was not proved; {reason}"
                ),
            },
            decided => decided,
        }),
    }
}

/// Decides `criterion` with the engine asked for.
fn decide(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Verdict, Vec<Error>> {
    match options.engine {
        Engine::Summaries => by_states(program, criterion, options),
        Engine::Chc => by_clauses(program, criterion, options),
        Engine::Explore => Ok(explored(program, criterion, options)),
    }
}

/// Decides `criterion` by reduction: explicit summaries; where those grow too large, random
/// interleavings and few instances at a time, which can only find violations; then diagrams.
fn by_states(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Verdict, Vec<Error>> {
    const HOW: &str = "by reduction to a sequential program and";
    let sequential = reduce(program, criterion, &reduce::Options::default())?.sliced();
    let limits = summaries::Limits::edges(options.edges);
    let too_large = match summaries::reach(&sequential, limits) {
        Reach::Unreachable { work } => {
            let by = format!("{HOW} procedure summaries ({work} path edges)");
            return Ok(Verdict::Proved { by });
        }
        Reach::Reachable(path) => return Ok(violation(program, criterion, &path, options)),
        Reach::Unknown(reason) => reason,
    };
    if let Some(moves) = sample(program, criterion, RANDOM_RUNS)
        && let Some(witness) = confirm(program, criterion, &moves)
    {
        return Ok(Verdict::Violated(Box::new(witness)));
    }
    if let Some(witness) = among_few(program, criterion)? {
        return Ok(Verdict::Violated(Box::new(witness)));
    }
    let limits = symbolic::Limits { nodes: options.nodes, edges: 10 * options.edges };
    Ok(match symbolic::reach(&sequential, limits) {
        Reach::Unreachable { work } => {
            let by = format!("{HOW} sets of states as decision diagrams ({work} nodes)");
            Verdict::Proved { by }
        }
        Reach::Reachable(path) => violation(program, criterion, &path, options),
        Reach::Unknown(reason) => Verdict::Unknown { reason: format!("{too_large}; {reason}") },
    })
}

/// Decides `criterion` by Horn clauses. A refutation carries no interleaving, so one is then
/// looked for with explicit states.
fn by_clauses(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Verdict, Vec<Error>> {
    let sequential = reduce(program, criterion, &reduce::Options::default())?.sliced();
    Ok(match solve(&smt(&sequential), options.seconds) {
        Answer::Safe => {
            let by = "by reduction to a sequential program and Horn clauses (Z3, Spacer)".into();
            Verdict::Proved { by }
        }
        Answer::Unknown(reason) => Verdict::Unknown { reason },
        Answer::Unsafe => {
            let limits = summaries::Limits { edges: 10 * options.edges, around_zero: Some(FAR) };
            match summaries::reach(&sequential, limits) {
                Reach::Reachable(path) => violation(program, criterion, &path, options),
                Reach::Unreachable { .. } => Verdict::Unknown {
                    reason: "Z3 refutes it, but small integers give no interleaving".into(),
                },
                Reach::Unknown(why) => Verdict::Unknown {
                    reason: format!("Z3 refutes it, but no interleaving was found: {why}"),
                },
            }
        }
    })
}

/// Finds a violation among as few instances as can violate `criterion`.
fn among_few(program: &Program, criterion: Criterion) -> Result<Option<Witness>, Vec<Error>> {
    let ids = || program.instance_ids();
    let groups: Vec<Vec<InstanceId>> = match criterion {
        Criterion::Determinism => ids().map(|id| vec![id]).collect(),
        Criterion::Serializability => {
            ids().flat_map(|a| ids().filter(move |b| a < *b).map(move |b| vec![a, b])).collect()
        }
    };
    for only in groups {
        let options = reduce::Options { only: Some(only), ..reduce::Options::default() };
        let sequential = reduce(program, criterion, &options)?.sliced();
        let limits = summaries::Limits::edges(FEW_EDGES);
        if let Reach::Reachable(path) = summaries::reach(&sequential, limits)
            && let Some(witness) = confirm(program, criterion, &schedule(program, &path))
        {
            return Ok(Some(witness));
        }
    }
    Ok(None)
}

/// Returns the verdict for a run that the reduction found.
fn violation(program: &Program, criterion: Criterion, path: &Path, options: &Options) -> Verdict {
    if let Some(witness) = confirm(program, criterion, &schedule(program, path)) {
        return Verdict::Violated(Box::new(witness));
    }
    match explored(program, criterion, options) {
        Verdict::Unknown { reason } => Verdict::Unknown {
            reason: format!(
                "a violation exists if the driver's `after` is ignored, but it does not replay \
                 under it; {reason}"
            ),
        },
        decided => decided,
    }
}

/// Decides `criterion` by brute force.
fn explored(program: &Program, criterion: Criterion, options: &Options) -> Verdict {
    match explore(program, criterion, options.states) {
        Exploration::Holds { states } => {
            Verdict::Proved { by: format!("by exploring all interleavings ({states} states)") }
        }
        Exploration::Unknown(reason) => Verdict::Unknown { reason },
        Exploration::Violated(moves) => match confirm(program, criterion, &moves) {
            Some(witness) => Verdict::Violated(Box::new(witness)),
            None => unreachable!("an explored interleaving replays"),
        },
    }
}
