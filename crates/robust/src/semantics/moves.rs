//! Interleavings as lists of moves, one per visible step.
//!
//! Steps that only the task itself sees commute with all others, and posting or returning early
//! only enables more steps. A move is therefore one EVENT, DISPATCH or access, after which the task
//! continues at once until its next access, its end, or an `assume` that fails. Both criteria
//! depend only on accesses, so these interleavings decide them exactly.
//!
//! A task that runs for ever without an access is found by a state that repeats (`Endless`). It
//! *rests* there: it keeps its thread and takes no further step.

use hashbrown::HashSet;

use super::multi::{Config, Machine};
use super::task::{Endless, Next};
use super::{Invocation, Label, Overflow};
use crate::core::InstanceId;

/// The number of silent steps after which a task counts as diverging.
const MAX_QUIET_STEPS: usize = 10_000;

/// The largest number of open calls of a task.
const MAX_DEPTH: usize = 1_000;

/// The largest number of tasks of a configuration.
const MAX_TASKS: usize = 64;

/// A visible step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visible {
    /// EVENT
    Start(InstanceId),
    /// DISPATCH
    Dispatch(Invocation),
    /// The task's next access.
    Access(Invocation),
}

/// A visible step, and the values of the task's free decisions, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The step.
    pub step: Visible,
    /// The values of the free decisions.
    pub decisions: Vec<i64>,
}

/// Why the moves from a configuration cannot be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// A value does not fit 64 bits.
    Overflow,
    /// A task continues without an access.
    Diverges,
    /// `havoc` of an unbounded integer.
    Unbounded,
    /// More tasks than a configuration may hold.
    Tasks,
}

impl Stuck {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Overflow => "an integer left 64 bits",
            Self::Diverges => "a task ran 10,000 steps without an access",
            Self::Unbounded => "`havoc` of an unbounded integer cannot be enumerated",
            Self::Tasks => "more than 64 tasks were alive at once",
        }
    }
}

impl From<Overflow> for Stuck {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl Visible {
    /// The invocation that takes the step.
    pub fn invocation(&self) -> Invocation {
        match self {
            Self::Start(instance) => Invocation::root(*instance),
            Self::Dispatch(invocation) | Self::Access(invocation) => invocation.clone(),
        }
    }
}

/// The point at which running a task on its own stopped.
enum Stop {
    /// Before an access, at its end, at an `assume` that fails, or where it runs for ever.
    Settled,
    /// Before a decision between these bounds that was not given.
    Undecided(i64, i64),
}

/// Whether `step` may be taken.
pub fn is_enabled(machine: &Machine<'_>, config: &Config, step: &Visible) -> bool {
    match step {
        Visible::Start(instance) => machine.may_start(config, *instance),
        Visible::Dispatch(invocation) => machine.may_dispatch(config, invocation),
        Visible::Access(invocation) => {
            config.is_running(invocation)
                && matches!(machine.next(config, invocation), Ok(Next::Access(..)))
        }
    }
}

/// Every enabled visible step.
pub fn enabled(machine: &Machine<'_>, config: &Config) -> Vec<Visible> {
    let starts = machine.program.instance_ids().map(Visible::Start);
    let dispatches = config.pending().cloned().map(Visible::Dispatch);
    let accesses = config.running().cloned().map(Visible::Access);
    let all = starts.chain(dispatches).chain(accesses);
    all.filter(|step| is_enabled(machine, config, step)).collect()
}

/// The configurations `step` leads to, one for each way to decide what the program leaves open.
pub fn successors(
    machine: &Machine<'_>,
    config: &Config,
    step: &Visible,
) -> Result<Vec<(Move, Config, Vec<Label>)>, Stuck> {
    let invocation = step.invocation();
    let mut work = vec![{
        let (mut config, mut trace) = (config.clone(), Vec::new());
        take(machine, &mut config, step, &mut trace)?;
        (config, trace, Vec::new())
    }];
    let mut found = Vec::new();
    let mut undecided = HashSet::new();
    while let Some((mut config, mut trace, decisions)) = work.pop() {
        let reached =
            settle(machine, &mut config, &invocation, &mut std::iter::empty(), &mut trace)?;
        match reached {
            Stop::Undecided(low, high) if undecided.insert(config.clone()) => {
                if undecided.len() > MAX_QUIET_STEPS {
                    return Err(Stuck::Diverges);
                }
                for value in low..=high {
                    let (mut config, mut trace) = (config.clone(), trace.clone());
                    machine.step(&mut config, &invocation, value, &mut trace)?;
                    let mut longer = decisions.clone();
                    longer.push(value);
                    work.push((config, trace, longer));
                }
            }
            // The successors of a repeated decision are already listed. If there are none, the task
            // may decide forever, so it may also rest.
            Stop::Settled | Stop::Undecided(..) => {
                found.push((Move { step: step.clone(), decisions }, config, trace));
            }
        }
    }
    Ok(found)
}

/// Takes `next`, which must be enabled. Decisions that are not given take their least value; a
/// task for which these repeat for ever rests.
pub fn apply(
    machine: &Machine<'_>,
    config: &mut Config,
    next: &Move,
    trace: &mut Vec<Label>,
) -> Result<(), Stuck> {
    take(machine, config, &next.step, trace)?;
    let invocation = next.step.invocation();
    let mut decisions = next.decisions.iter().copied();
    let mut undecided = HashSet::new();
    while let Stop::Undecided(low, _) = settle(machine, config, &invocation, &mut decisions, trace)?
    {
        if !undecided.insert(config.clone()) {
            break;
        }
        if undecided.len() > MAX_QUIET_STEPS {
            return Err(Stuck::Diverges);
        }
        machine.step(config, &invocation, low, trace)?;
    }
    Ok(())
}

fn take(
    machine: &Machine<'_>,
    config: &mut Config,
    step: &Visible,
    trace: &mut Vec<Label>,
) -> Result<(), Stuck> {
    match step {
        Visible::Start(instance) => machine.start(config, *instance, trace),
        Visible::Dispatch(invocation) => machine.dispatch(config, invocation, trace),
        Visible::Access(invocation) => machine.step(config, invocation, 0, trace)?,
    }
    Ok(())
}

/// Runs the task on its own until it settles or needs a decision `decisions` does not give.
fn settle(
    machine: &Machine<'_>,
    config: &mut Config,
    invocation: &Invocation,
    decisions: &mut impl Iterator<Item = i64>,
    trace: &mut Vec<Label>,
) -> Result<Stop, Stuck> {
    let mut endless = Endless::default();
    for _ in 0..MAX_QUIET_STEPS {
        let Some(task) = config.task(invocation) else { return Ok(Stop::Settled) };
        if endless.repeats(task) {
            return Ok(Stop::Settled);
        }
        if config.tasks() > MAX_TASKS {
            return Err(Stuck::Tasks);
        }
        let decision = match machine.next(config, invocation)? {
            Next::Access(..) | Next::Blocked => return Ok(Stop::Settled),
            Next::Quiet => 0,
            Next::Decide(_) => {
                endless = Endless::default();
                match (decisions.next(), machine.decision(config, invocation)) {
                    (Some(value), Some((low, high))) => value.clamp(low, high),
                    (Some(value), None) => value,
                    (None, Some((low, high))) => return Ok(Stop::Undecided(low, high)),
                    (None, None) => return Err(Stuck::Unbounded),
                }
            }
        };
        machine.step(config, invocation, decision, trace)?;
        if config.depth(invocation) > MAX_DEPTH {
            return Err(Stuck::Diverges);
        }
    }
    Err(Stuck::Diverges)
}
