//! The multi-thread semantics, Fig. 5.
//!
//! A configuration is ⟨g, t, q⟩: globals, running tasks, pending tasks. Thread 0 is the main
//! thread; a task posted to `any` has a thread of its own, so only main-thread tasks can find
//! their thread busy. The queue is unordered.
//!
//! | rule | here |
//! |---|---|
//! | EVENT | [`Machine::start`] |
//! | DISPATCH | [`Machine::dispatch`] |
//! | ASYNC, RETURN, END-EVENT, LOCAL | [`Machine::step`] |
//!
//! The driver's causality, which the paper calls possible but tedious, is a side condition of
//! EVENT ([`Machine::may_start`]).

use std::collections::BTreeMap;

use super::task::{Effect, Next, Task};
use super::{Action, Invocation, Label, Overflow};
use crate::core::flat::{Code, compile};
use crate::core::{InstanceId, Milestone, Program};
use crate::lang::ast::Where;
use crate::lang::span::Span;

/// A set of event instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instances(u64);

impl Instances {
    /// Adds `instance`.
    pub fn insert(&mut self, instance: InstanceId) {
        self.0 |= 1 << instance.index();
    }

    /// Whether the set contains `instance`.
    pub fn contains(self, instance: InstanceId) -> bool {
        self.0 >> instance.index() & 1 == 1
    }
}

/// A configuration ⟨g, t, q⟩.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// g
    pub globals: Vec<i64>,
    /// t: running tasks with their threads.
    running: BTreeMap<Invocation, (Where, Task)>,
    /// q: pending tasks with the threads they will run on.
    pending: BTreeMap<Invocation, (Where, Task)>,
    /// The instances that started.
    pub started: Instances,
    /// The instances that ended.
    pub ended: Instances,
}

impl Config {
    /// Whether nothing runs and nothing is pending.
    pub fn is_quiescent(&self) -> bool {
        self.running.is_empty() && self.pending.is_empty()
    }

    /// The running tasks.
    pub fn running(&self) -> impl Iterator<Item = &Invocation> {
        self.running.keys()
    }

    /// The pending tasks.
    pub fn pending(&self) -> impl Iterator<Item = &Invocation> {
        self.pending.keys()
    }

    /// Whether `invocation` runs.
    pub fn is_running(&self, invocation: &Invocation) -> bool {
        self.running.contains_key(invocation)
    }

    /// The local state of `invocation`, if it runs.
    pub(super) fn task(&self, invocation: &Invocation) -> Option<&Task> {
        self.running.get(invocation).map(|(_, task)| task)
    }

    /// How many tasks run or are pending.
    pub fn tasks(&self) -> usize {
        self.running.len() + self.pending.len()
    }

    /// The number of values of variables in the configuration.
    pub fn values(&self) -> usize {
        let tasks = self.running.values().chain(self.pending.values());
        self.globals.len() + tasks.map(|(_, task)| task.values()).sum::<usize>()
    }

    /// The nesting depth of the calls of `invocation`, or 0 if it does not run.
    pub fn depth(&self, invocation: &Invocation) -> usize {
        self.running.get(invocation).map_or(0, |(_, task)| task.depth())
    }

    fn main_is_idle(&self) -> bool {
        self.running.values().all(|(on, _)| *on != Where::Main)
    }
}

/// A program that is ready to run.
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    pub(crate) code: Vec<Code>,
    /// Whether EVENT respects the driver's causality.
    pub ordered: bool,
}

impl<'p> Machine<'p> {
    /// A machine for a lowered program.
    pub fn new(program: &'p Program, ordered: bool) -> Self {
        Self { program, code: compile(program), ordered }
    }

    /// The configuration before any event.
    pub fn initial(&self) -> Config {
        Config {
            globals: self.program.globals.iter().map(|global| global.init).collect(),
            running: BTreeMap::new(),
            pending: BTreeMap::new(),
            started: Instances::default(),
            ended: Instances::default(),
        }
    }

    /// Whether EVENT applies: the main thread is idle, and the driver allows it.
    pub fn may_start(&self, config: &Config, instance: InstanceId) -> bool {
        let happened = |(other, milestone): &(InstanceId, Milestone)| match milestone {
            Milestone::Start => config.started.contains(*other),
            Milestone::End => config.ended.contains(*other),
        };
        !config.started.contains(instance)
            && config.main_is_idle()
            && (!self.ordered
                || self.program.instances[instance.index()].after.iter().all(happened))
    }

    /// Applies EVENT.
    pub fn start(&self, config: &mut Config, instance: InstanceId, trace: &mut Vec<Label>) {
        debug_assert!(self.may_start(config, instance));
        let declared = &self.program.instances[instance.index()];
        let task = Task::new(&self.code, declared.procedure, &declared.args);
        let invocation = Invocation::root(instance);
        config.started.insert(instance);
        trace.push(Label {
            invocation: invocation.clone(),
            action: Action::Start,
            span: declared.span,
        });
        config.running.insert(invocation, (Where::Main, task));
    }

    /// Whether DISPATCH applies: the task is pending and its thread idle.
    pub fn may_dispatch(&self, config: &Config, invocation: &Invocation) -> bool {
        match config.pending.get(invocation) {
            Some((Where::Any, _)) => true,
            Some((Where::Main, _)) => config.main_is_idle(),
            None => false,
        }
    }

    /// Applies DISPATCH.
    pub fn dispatch(&self, config: &mut Config, invocation: &Invocation, trace: &mut Vec<Label>) {
        debug_assert!(self.may_dispatch(config, invocation));
        let task = config.pending.remove(invocation).expect("the task is pending");
        trace.push(Label {
            invocation: invocation.clone(),
            action: Action::Begin,
            span: Span::default(),
        });
        config.running.insert(invocation.clone(), task);
    }

    /// Returns the next step of a running task.
    pub fn next(&self, config: &Config, invocation: &Invocation) -> Result<Next, Overflow> {
        config.running[invocation].1.next(&self.code)
    }

    /// Returns the least and the greatest value of a running task's decision. None if it is
    /// unbounded.
    pub fn decision(&self, config: &Config, invocation: &Invocation) -> Option<(i64, i64)> {
        let task = &config.running[invocation].1;
        match task.next(&self.code) {
            _ if task.chooses_branch(&self.code) => Some((0, 1)),
            Ok(Next::Decide(crate::core::Var::Local(local))) => {
                self.program.bounds(task.local_type(&self.code, local))
            }
            Ok(Next::Decide(crate::core::Var::Global(global))) => {
                self.program.bounds(self.program.global(global).ty)
            }
            _ => Some((0, 0)),
        }
    }

    /// Applies ASYNC, RETURN, END-EVENT or LOCAL, depending on the running task's next operation.
    pub fn step(
        &self,
        config: &mut Config,
        invocation: &Invocation,
        decision: i64,
        trace: &mut Vec<Label>,
    ) -> Result<(), Overflow> {
        let (_, task) = config.running.get_mut(invocation).expect("the task runs");
        let effect = task.step(&self.code, &mut config.globals, decision)?;
        let label = |action, span| Label { invocation: invocation.clone(), action, span };
        match effect {
            Effect::Quiet => {}
            Effect::Access(access, site, span) => {
                trace.push(label(Action::Access(access, site), span));
            }
            Effect::Post(on, posted, span) => {
                let child = invocation.child(task.posts);
                task.posts += 1;
                trace.push(label(Action::Invoke(on, child.clone()), span));
                config.pending.insert(child, (on, posted));
            }
            Effect::Finished => {
                config.running.remove(invocation);
                trace.push(label(Action::Return, Span::default()));
                let mut remaining = config.running.keys().chain(config.pending.keys());
                if !remaining.any(|other| other.instance == invocation.instance) {
                    config.ended.insert(invocation.instance);
                    trace.push(label(Action::End, Span::default()));
                }
            }
        }
        Ok(())
    }
}
