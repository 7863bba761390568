//! The graph engine: happens-before over the operations that order others, exactly.
//!
//! It computes what [`crate::Oracle`] computes, for the same rules, without the full relation. Tasks
//! are laid on chains ([`nodes`]), and every node gets a clock ([`clock`]) that says how much of each
//! chain happens before it; clocks share what they have in common. One sweep in the order of the trace
//! ([`sweep`]) closes all rules but those that reach back into the past; sweeps repeat until nothing is
//! left to tell (one or two more, in the traces of working queues). Operations that order nothing are
//! not nodes: they stand between two nodes of their task, and compare by these.
//!
//! The mechanics of queues follow AsyncClock, turned around: not the events that are told what precedes
//! them, but logs of what each chain posted ([`sends`]) and began ([`begins`]), searched up to what the
//! clock at hand knows, and only where it knows more than the clock of the message before.
//!
//! Cost: for each node a path of its clock, O(log chains), plus what joins differ in; for each begin a
//! search over the chains of which its poster learnt since its last post of the kind. Memory: some
//! hundred bytes a node. Rules of program order that are switched off make every operation a node.

mod accumulator;
mod barriers;
mod begin;
mod begins;
mod clock;
mod events;
mod nodes;
mod path;
mod plan;
mod sends;
mod skeleton;
mod sweep;

use trace::{OpId, Trace};

use crate::model::RuleSet;
use crate::rule::Rule;
use accumulator::Accumulators;
pub(crate) use events::EventClocks;
use nodes::{NodeId, Nodes, TaskId};
use plan::{Plan, TaskKind};
use skeleton::Skeleton;
use sweep::{Edge, Late, Sweep};

/// The closed order of a trace's operations.
pub(crate) struct Operations {
    plan: Plan,
    user_threads: Vec<bool>,
    nodes: Nodes,
    lists: Accumulators,
    /// By target.
    edges: Vec<Edge>,
    /// The nodes of each task, by operation: `by_task[starts[t]..starts[t + 1]]`.
    by_task: Vec<NodeId>,
    starts: Vec<u32>,
    events: usize,
    passes: usize,
}

impl Operations {
    pub(crate) fn new(trace: &Trace, rules: &RuleSet) -> Self {
        let plan = Plan::new(rules);
        let skeleton = Skeleton::new(trace, &plan);
        let mut late = Late::default();
        let mut passes = 0;
        loop {
            passes += 1;
            let sweep = Sweep::run(trace, &plan, &skeleton, &mut late);
            if !sweep.found_late {
                let (nodes, lists, edges) = (sweep.nodes, sweep.lists, sweep.edges);
                let (by_task, starts) = group_by_task(&nodes);
                let events = trace.names().events.len();
                let user_threads = skeleton.user_threads;
                return Self {
                    plan,
                    user_threads,
                    nodes,
                    lists,
                    edges,
                    by_task,
                    starts,
                    events,
                    passes,
                };
            }
        }
    }

    /// a ≺ b.
    pub(crate) fn before(&self, trace: &Trace, a: OpId, b: OpId) -> bool {
        if a >= b {
            return false;
        }
        let (task_a, task_b) = (self.task(trace, a), self.task(trace, b));
        if task_a.is_some() && task_a == task_b {
            return true;
        }
        match (self.at_or_after(task_a, a), self.at_or_before(task_b, b)) {
            (Some(from), Some(to)) => self.nodes.reaches(from, to),
            _ => false,
        }
    }

    /// The chain of an operation, if it follows a node of its task: what a task does before its
    /// first node need not follow the task before it on the chain.
    pub(crate) fn lane(&self, trace: &Trace, op: OpId) -> Option<u32> {
        let node = self.at_or_before(self.task(trace, op), op)?;
        Some(self.nodes.stamp(node).chain)
    }

    /// The task of an operation, unless it stands alone.
    fn task(&self, trace: &Trace, op: OpId) -> Option<TaskId> {
        match self.plan.task_kind(trace, &self.user_threads, op) {
            TaskKind::Event(event) => Some(TaskId(event)),
            TaskKind::Thread(thread) => Some(TaskId(self.events as u32 + thread.0)),
            TaskKind::Alone => None,
        }
    }

    fn of_task(&self, task: TaskId) -> &[NodeId] {
        let task = task.0 as usize;
        &self.by_task[self.starts[task] as usize..self.starts[task + 1] as usize]
    }

    /// The first node of a task that is not before `op`: what comes after it follows `op` too.
    fn at_or_after(&self, task: Option<TaskId>, op: OpId) -> Option<NodeId> {
        let Some(task) = task else { return self.alone(op) };
        let nodes = self.of_task(task);
        nodes.get(nodes.partition_point(|n| self.nodes.ops[n.0 as usize] < op)).copied()
    }

    /// The last node of a task that is not after `op`: what comes before it precedes `op` too.
    fn at_or_before(&self, task: Option<TaskId>, op: OpId) -> Option<NodeId> {
        let Some(task) = task else { return self.alone(op) };
        let nodes = self.of_task(task);
        nodes[..nodes.partition_point(|n| self.nodes.ops[n.0 as usize] <= op)].last().copied()
    }

    /// The node of an operation that stands alone.
    fn alone(&self, op: OpId) -> Option<NodeId> {
        let ops = &self.nodes.ops;
        let from = ops.partition_point(|&o| o < op);
        let same = (from..ops.len()).take_while(|&i| ops[i] == op);
        let threads = self.user_threads.len();
        let is_lone = |i: usize| self.nodes.tasks_of[i].0 as usize >= self.events + threads;
        same.into_iter().find(|&i| is_lone(i)).map(NodeId::from_index)
    }

    /// How many sweeps it took.
    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// On how many chains the tasks lie.
    pub(crate) fn chains(&self) -> usize {
        self.nodes.chains()
    }

    /// How many operations order others.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many bytes the clocks and lists take.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.clocks.bytes()
            + self.lists.bytes()
            + 20 * self.nodes.len()
            + std::mem::size_of::<Edge>() * self.edges.capacity()
    }

    /// How often each rule told something new.
    pub(crate) fn counters(&self, rules: &RuleSet) -> Vec<(&'static Rule, usize)> {
        let mut counts = std::collections::HashMap::new();
        for edge in &self.edges {
            *counts.entry(edge.rule.name).or_insert(0) += 1;
        }
        rules.iter().map(|rule| (rule, counts.get(rule.name).copied().unwrap_or(0))).collect()
    }
}

fn group_by_task(nodes: &Nodes) -> (Vec<NodeId>, Vec<u32>) {
    let tasks = nodes.tasks();
    let mut starts = vec![0_u32; tasks + 1];
    for task in &nodes.tasks_of {
        starts[task.0 as usize + 1] += 1;
    }
    for i in 0..tasks {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut by_task = vec![NodeId(0); nodes.len()];
    for (i, task) in nodes.tasks_of.iter().enumerate() {
        let slot = &mut next[task.0 as usize];
        by_task[*slot as usize] = NodeId::from_index(i);
        *slot += 1;
    }
    (by_task, starts)
}
