//! Closing a model that orders operations: clocks over the operations that order others.
//!
//! Every operation that can order others is a node. Tasks are laid on chains ([`nodes`]), and every
//! node gets a clock ([`clock`](super::clock)) that says how much of each chain happens before it.
//! Other operations stand between two nodes of their task and are compared by these.
//!
//! One sweep in the order of the trace ([`sweep`]) closes all rules except those that reach back to a
//! begin in the past. Most of what these conclude is foreseen when the event begins ([`begin`]), or is
//! added afterwards to the begin and to all nodes that follow it ([`repair`]). Sweeps repeat until none
//! leaves a conclusion to the next.
//!
//! AsyncClock pushes predecessors to each event. Here each chain keeps a log of its posts
//! ([`post_log`]) and of its begins ([`begin_log`]). An event searches those logs, bounded by the clock
//! of its own post, and only where that clock knows more than the clock of the message before it
//! ([`queue_order`]).
//!
//! Cost: for each node a path of its clock, O(log chains), plus what the two sides of each join learnt
//! since they last had something in common; for each begin a search over the chains of which its poster
//! knows more than the posts of the messages it follows. Memory: some hundred bytes a node. If a rule
//! of program order is switched off, every operation it ordered is a node.

mod accumulator;
mod barriers;
mod begin;
mod begin_log;
mod end;
mod hints;
mod late;
mod nodes;
mod order_so_far;
mod path;
mod plan;
mod post_log;
mod posts_by_class;
mod queue_order;
mod repair;
mod skeleton;
mod states;
mod sweep;
mod sync_objects;
mod window;

use trace::{EventId, Op, OpId, ThreadId, Trace};

use super::clock::Clock;
use crate::model::RuleSet;
use crate::rule::Rule;
use accumulator::Accumulators;
use late::Late;
use nodes::{NodeId, Nodes, TaskId};
use order_so_far::{Edge, OrderSoFar};
pub(crate) use plan::{Dispatchers, Mechanism, Overtaken, Plan, Threads};
use skeleton::Skeleton;
use sweep::Sweep;
use window::Floors;

/// The closed order of a trace's operations.
pub(crate) struct Operations {
    plan: Plan,
    user_threads: Vec<bool>,
    nodes: Nodes,
    lists: Accumulators,
    /// The conclusions that the clocks come from, sorted by target.
    edges: Vec<Edge>,
    /// The nodes of each task, by operation: `by_task[starts[t]..starts[t + 1]]`.
    by_task: Vec<NodeId>,
    starts: Vec<u32>,
    events: usize,
    passes: usize,
    /// For each operation of the trace that is queried, how many operations of the trace that was
    /// swept come before it. None if these are the same trace.
    ranks: Option<Vec<u32>>,
    /// The floor of each operation, if there is a window.
    floors: Option<Floors>,
}

impl Operations {
    pub(crate) fn new(trace: &Trace, rules: &RuleSet) -> Self {
        let plan = Plan::new(rules);
        let skeleton = Skeleton::new(trace, &plan);
        let mut late = Late::default();
        let mut passes = 0;
        loop {
            passes += 1;
            let (order, floors) = Sweep::run(trace, &plan, &skeleton, &mut late);
            if !late.has_grown {
                let OrderSoFar { nodes, lists, mut edges } = order;
                edges.sort_by_key(|edge| edge.to);
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
                    ranks: None,
                    floors,
                };
            }
        }
    }

    /// Makes the order one over `trace`, which contains the operations swept and others that order
    /// nothing.
    pub(crate) fn rebase(&mut self, trace: &Trace) {
        let mut passed = 0;
        let rank = |op| {
            let rank = passed;
            passed += u32::from(is_skeleton(trace.op(op)));
            rank
        };
        self.ranks = Some(trace.ops().map(rank).collect());
    }

    /// Returns one past the last operation swept before `op`, and one past the last up to `op`.
    fn bounds(&self, trace: &Trace, op: OpId) -> (OpId, OpId) {
        match &self.ranks {
            Some(ranks) => {
                let rank = ranks[op.0 as usize];
                (OpId(rank), OpId(rank + u32::from(is_skeleton(trace.op(op)))))
            }
            None => (op, OpId(op.0 + 1)),
        }
    }

    /// Whether a ≺ b.
    pub(crate) fn before(&self, trace: &Trace, a: OpId, b: OpId) -> bool {
        if a >= b {
            return false;
        }
        let (task_a, task_b) = (self.task(trace, a), self.task(trace, b));
        if task_a.is_some() && task_a == task_b {
            return true;
        }
        let (from, to) = (self.bounds(trace, a).0, self.bounds(trace, b).1);
        if self.is_old(trace, from, (b, to)) {
            return true;
        }
        match (self.at_or_after(task_a, from), self.at_or_before(task_b, to)) {
            (Some(from), Some(to)) => self.nodes.reaches(from, to),
            _ => false,
        }
    }

    /// Whether rule WINDOW orders, too, so that clocks alone do not decide.
    pub(crate) fn has_window(&self) -> bool {
        self.floors.is_some()
    }

    /// Whether a ≺ b because of the window: a is older than the window of b, or of something that
    /// precedes b. `from` and `to` are the bounds of a and b.
    fn is_old(&self, trace: &Trace, from: OpId, (b, to): (OpId, OpId)) -> bool {
        let Some(floors) = &self.floors else { return false };
        let node = self.at_or_before(self.task(trace, b), to);
        let known = node
            .map_or(0, |node| self.nodes.clocks.get(self.nodes.stamp(node).clock, nodes::FLOOR));
        let own = if trace.event_of(b).is_none() { floors.before(to) } else { 0 };
        floors.epoch(from) < known.max(own)
    }

    /// Returns the chain of an operation that stands between two nodes of its task. An operation before
    /// the task's first node need not follow the task before it on the chain, so it has no chain. An
    /// operation after the last node precedes nothing, and it makes a chain of its own.
    pub(crate) fn chain(&self, trace: &Trace, op: OpId) -> Option<u32> {
        let task = self.task(trace, op);
        let (from, to) = self.bounds(trace, op);
        let node = self.at_or_before(task, to)?;
        match (task, self.at_or_after(task, from)) {
            (Some(TaskId(task)), None) => Some(self.nodes.chain_numbers() as u32 + task),
            _ => Some(self.nodes.stamp(node).chain),
        }
    }

    /// The task of an operation, unless it stands alone.
    fn task(&self, trace: &Trace, op: OpId) -> Option<TaskId> {
        self.plan.task_kind(trace, &self.user_threads, op).task(self.events)
    }

    fn of_task(&self, task: TaskId) -> &[NodeId] {
        let task = task.0 as usize;
        &self.by_task[self.starts[task] as usize..self.starts[task + 1] as usize]
    }

    /// Returns the first node of a task at `from` or later. Whatever follows this node follows the
    /// earlier operations of the task.
    fn at_or_after(&self, task: Option<TaskId>, from: OpId) -> Option<NodeId> {
        let Some(task) = task else { return self.alone(from) };
        let nodes = self.of_task(task);
        nodes.get(nodes.partition_point(|n| self.nodes.ops[n.0 as usize] < from)).copied()
    }

    /// Returns the last node of a task before `to`. Whatever precedes this node precedes the later
    /// operations of the task.
    fn at_or_before(&self, task: Option<TaskId>, to: OpId) -> Option<NodeId> {
        let Some(task) = task else { return self.alone(OpId(to.0 - 1)) };
        let nodes = self.of_task(task);
        nodes[..nodes.partition_point(|n| self.nodes.ops[n.0 as usize] < to)].last().copied()
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

    /// Whether every operation is of a task that orders it with others.
    pub(crate) fn has_tasks_only(&self) -> bool {
        self.tasks() == self.nodes.tasks()
    }

    /// How many events and threads there are.
    pub(crate) fn tasks(&self) -> usize {
        self.events + self.user_threads.len()
    }

    /// The task of node `index`, unless that comes after `op`.
    pub(crate) fn node_at(&self, trace: &Trace, index: usize, op: OpId) -> Option<u32> {
        let at = *self.nodes.ops.get(index)?;
        (at < self.bounds(trace, op).1).then(|| self.nodes.tasks_of[index].0)
    }

    /// The task of an access on `thread`, in `event`.
    pub(crate) fn task_of(&self, thread: ThreadId, event: Option<EventId>) -> Option<u32> {
        let kind = self.plan.kind_of(&self.user_threads, thread, event);
        kind.task(self.events).map(|TaskId(task)| task)
    }

    /// Returns the place in a task after the first `passed` of its nodes: the chain, the position up
    /// to which that happens before, the position from which on it follows, and the clock.
    pub(crate) fn place(&self, task: u32, passed: u32) -> (u32, u32, u32, Clock) {
        let nodes = self.of_task(TaskId(task));
        let position = |node: NodeId| self.nodes.positions[node.0 as usize];
        let next = nodes.get(passed as usize).map_or(u32::MAX, |&node| position(node));
        match passed.checked_sub(1) {
            Some(last) => {
                let node = nodes[last as usize];
                let clock = self.nodes.clock_of[node.0 as usize];
                (self.chain_of(task), position(node), next, clock)
            }
            None => (u32::MAX, 0, next, Clock::EMPTY),
        }
    }

    /// Like `place`, for the place in a task whose next node stands at `next`.
    pub(crate) fn place_before(&self, task: u32, next: u32) -> (u32, u32, u32, Clock) {
        let nodes = self.of_task(TaskId(task));
        let passed = nodes.partition_point(|node| self.nodes.positions[node.0 as usize] < next);
        self.place(task, passed as u32)
    }

    /// Returns the chain and the position of an event's end. None if the event does not end, or if
    /// nothing follows its end.
    pub(crate) fn end_place(&self, trace: &Trace, event: EventId) -> Option<(u32, u32)> {
        let end = trace.event(event).end?;
        let node = self.at_or_after(self.task(trace, end), self.bounds(trace, end).0)?;
        let stamp = self.nodes.stamp(node);
        Some((stamp.chain, stamp.position))
    }

    /// Returns the chain and the position of an event's begin, and its clock, which leaves out that
    /// chain.
    pub(crate) fn begin_stamp(&self, trace: &Trace, event: EventId) -> Option<(u32, u32, Clock)> {
        let begin = trace.event(event).begin?;
        let node = self.at_or_before(self.task(trace, begin), self.bounds(trace, begin).1)?;
        let stamp = self.nodes.stamp(node);
        Some((stamp.chain, stamp.position, stamp.clock))
    }

    /// Calls `each(chain, in_a, in_b)` for every chain of which `b` has more than `a`.
    pub(crate) fn gained(&self, a: Clock, b: Clock, each: &mut impl FnMut(u32, u32, u32)) {
        self.nodes.clocks.gained(a, b, each);
    }

    pub(crate) fn chain_of(&self, task: u32) -> u32 {
        self.nodes.chain(TaskId(task))
    }

    pub(crate) fn entry(&self, clock: Clock, chain: u32) -> u32 {
        self.nodes.clocks.get(clock, chain)
    }

    /// How many sweeps closed the order.
    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// How many chains the tasks lie on.
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

    /// Returns how many conclusions of each rule nothing before them implied.
    pub(crate) fn counters(&self, rules: &RuleSet) -> Vec<(&'static Rule, usize)> {
        let mut counts = std::collections::HashMap::new();
        for edge in &self.edges {
            *counts.entry(edge.rule.name).or_insert(0) += 1;
        }
        rules.iter().map(|rule| (rule, counts.get(rule.name).copied().unwrap_or(0))).collect()
    }
}

/// Whether an operation is of the skeleton: neither an access nor a call.
fn is_skeleton(op: Op) -> bool {
    !matches!(op, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave)
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
