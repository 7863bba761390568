//! The single-thread semantics, Fig. 6.
//!
//! One task at a time runs on one thread, with a stack of FIFO queues. ASYNC appends to the top
//! queue; DISPATCH takes from the top queue and pushes an empty one if that queue stays non-empty;
//! RETURN and END-EVENT pop the top queue if it is empty. Tasks thus run in depth-first preorder of
//! the call tree, each to its end before any of its own posts starts.

use std::collections::VecDeque;

use super::task::{Effect, Next, Task};
use super::{Action, Invocation, Label, Overflow};
use crate::core::InstanceId;
use crate::lang::span::Span;
use crate::semantics::multi::Machine;

/// A configuration ⟨g, u, q⟩.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// g
    pub globals: Vec<i64>,
    current: Option<(Invocation, Task)>,
    queues: Vec<VecDeque<(Invocation, Task)>>,
}

impl Config {
    /// Whether no task runs and none is pending.
    pub fn is_idle(&self) -> bool {
        self.current.is_none() && self.queues.is_empty()
    }
}

/// Runs `instances` one after the other. `decide` makes the free decisions of the program; it takes
/// their bounds. Returns `None` if a task blocks, `decide` returns none, or `steps` do not suffice.
pub fn run(
    machine: &Machine<'_>,
    instances: &[InstanceId],
    decide: &mut impl FnMut(Option<(i64, i64)>) -> i64,
    steps: usize,
) -> Result<Option<(Config, Vec<Label>)>, Overflow> {
    let mut config = Config {
        globals: machine.program.globals.iter().map(|global| global.init).collect(),
        current: None,
        queues: Vec::new(),
    };
    let mut trace = Vec::new();
    let mut left = steps;
    for instance in instances {
        start(machine, &mut config, *instance, &mut trace);
        while !config.is_idle() {
            left = match left.checked_sub(1) {
                Some(left) => left,
                None => return Ok(None),
            };
            if !step(machine, &mut config, decide, &mut trace)? {
                return Ok(None);
            }
        }
    }
    Ok(Some((config, trace)))
}

/// EVENT: applies to an idle configuration.
fn start(machine: &Machine<'_>, config: &mut Config, instance: InstanceId, trace: &mut Vec<Label>) {
    debug_assert!(config.is_idle());
    let declared = &machine.program.instances[instance.index()];
    let task = Task::new(&machine.code, declared.procedure, &declared.args);
    let invocation = Invocation::root(instance);
    trace.push(Label {
        invocation: invocation.clone(),
        action: Action::Start,
        span: declared.span,
    });
    config.current = Some((invocation, task));
    config.queues.push(VecDeque::new());
}

/// Makes the one transition of a configuration that is not idle. Returns false if its task is
/// blocked.
fn step(
    machine: &Machine<'_>,
    config: &mut Config,
    decide: &mut impl FnMut(Option<(i64, i64)>) -> i64,
    trace: &mut Vec<Label>,
) -> Result<bool, Overflow> {
    let Some((invocation, task)) = &mut config.current else {
        dispatch(config, trace);
        return Ok(true);
    };
    let decision = match task.next(&machine.code)? {
        Next::Blocked => return Ok(false),
        Next::Decide(_) if task.chooses_branch(&machine.code) => decide(Some((0, 1))),
        Next::Decide(crate::core::Var::Local(local)) => {
            decide(machine.program.bounds(task.local_type(&machine.code, local)))
        }
        _ => 0,
    };
    let label = |invocation: &Invocation, action, span| Label {
        invocation: invocation.clone(),
        action,
        span,
    };
    match task.step(&machine.code, &mut config.globals, decision)? {
        Effect::Quiet => {}
        Effect::Access(access, site, span) => {
            trace.push(label(invocation, Action::Access(access, site), span));
        }
        Effect::Post(on, posted, span) => {
            let child = invocation.child(task.posts);
            task.posts += 1;
            trace.push(label(invocation, Action::Invoke(on, child.clone()), span));
            let top = config.queues.last_mut().expect("a running task has a queue");
            top.push_back((child, posted));
        }
        Effect::Finished => {
            let (invocation, _) = config.current.take().expect("it just ran");
            trace.push(label(&invocation, Action::Return, Span::default()));
            if config.queues.last().is_some_and(VecDeque::is_empty) {
                config.queues.pop();
            }
            if config.queues.is_empty() {
                trace.push(label(&invocation, Action::End, Span::default()));
            }
        }
    }
    Ok(true)
}

/// DISPATCH.
fn dispatch(config: &mut Config, trace: &mut Vec<Label>) {
    let top = config.queues.last_mut().expect("an idle thread has a pending task");
    let (invocation, task) = top.pop_front().expect("empty queues are popped");
    trace.push(Label {
        invocation: invocation.clone(),
        action: Action::Begin,
        span: Span::default(),
    });
    if !top.is_empty() {
        config.queues.push(VecDeque::new());
    }
    config.current = Some((invocation, task));
}
