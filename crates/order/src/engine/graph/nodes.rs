//! Operations that order others, as nodes on chains.
//!
//! A *task* is a group of operations that follow the trace by program order alone: an event, a
//! thread outside events, or an operation that stands alone. A *chain* is a sequence of tasks, each
//! of which ends before the next begins in happens-before; so the nodes of a chain are totally
//! ordered, and one number per chain, a clock, says which of them happen before an operation.
//!
//! A node may stand in a task without being an operation of it: where a task learns something at
//! an operation of another, and where something later depends on all that a task did so far.

use trace::{Id, OpId};

use super::clock::{Clock, Clocks};

/// A node, in the order of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(pub(crate) u32);

/// Where a node stands, and what happens before it besides its own chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) chain: u32,
    /// From 1.
    pub(crate) position: u32,
    pub(crate) clock: Clock,
}

#[derive(Clone, Copy)]
struct Task {
    chain: u32,
    last: Option<NodeId>,
    is_over: bool,
}

#[derive(Clone, Copy)]
struct Chain {
    /// The position of its last node.
    tail: u32,
    /// Its last task is over, so another may follow.
    free: bool,
}

/// All nodes, tasks and chains of one sweep.
pub(crate) struct Nodes {
    pub(crate) clocks: Clocks,
    pub(crate) ops: Vec<OpId>,
    pub(crate) tasks_of: Vec<TaskId>,
    pub(crate) positions: Vec<u32>,
    pub(crate) clock_of: Vec<Clock>,
    tasks: Vec<Task>,
    chains: Vec<Chain>,
    /// Chains that became free lately, the latest last; some may have been taken since.
    free: Vec<u32>,
}

impl Task {
    const NEW: Self = Self { chain: NO_CHAIN, last: None, is_over: false };
}

/// How many chains that became free lately a new task tries, if it continues none of those it
/// follows directly; then it looks at all it knows.
const LATEST_TRIED: usize = 8;

const NO_CHAIN: u32 = u32::MAX;

impl Nodes {
    pub(crate) fn new(tasks: usize) -> Self {
        Self {
            clocks: Clocks::new(),
            ops: Vec::new(),
            tasks_of: Vec::new(),
            positions: Vec::new(),
            clock_of: Vec::new(),
            tasks: vec![Task::NEW; tasks],
            chains: Vec::new(),
            free: Vec::new(),
        }
    }

    /// A task of its own for an operation that stands alone.
    pub(crate) fn lone_task(&mut self) -> TaskId {
        self.tasks.push(Task::NEW);
        TaskId(self.tasks.len() as u32 - 1)
    }

    pub(crate) fn has_begun(&self, task: TaskId) -> bool {
        self.tasks[task.0 as usize].last.is_some()
    }

    /// Whether no operation of the task follows.
    pub(crate) fn is_over(&self, task: TaskId) -> bool {
        self.tasks[task.0 as usize].is_over
    }

    /// Whether a node stands on the chain of a task that has nodes, and so happens before its next.
    pub(crate) fn shares_chain(&self, task: TaskId, node: NodeId) -> bool {
        self.has_begun(task) && self.chain(task) == self.stamp(node).chain
    }

    /// The last node of a task.
    pub(crate) fn last(&self, task: TaskId) -> Option<NodeId> {
        self.tasks[task.0 as usize].last
    }

    /// The chain of a task that has nodes.
    pub(crate) fn chain(&self, task: TaskId) -> u32 {
        self.tasks[task.0 as usize].chain
    }

    pub(crate) fn chains(&self) -> usize {
        self.chains.len()
    }

    pub(crate) fn tasks(&self) -> usize {
        self.tasks.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(crate) fn stamp(&self, node: NodeId) -> Stamp {
        let i = node.0 as usize;
        Stamp {
            chain: self.chain(self.tasks_of[i]),
            position: self.positions[i],
            clock: self.clock_of[i],
        }
    }

    /// What a task knows so far, its own chain left out.
    pub(crate) fn knows(&self, task: TaskId) -> Clock {
        self.last(task).map_or(Clock::EMPTY, |node| self.clock_of[node.0 as usize])
    }

    /// `clock` and everything that happens before or at `node`.
    pub(crate) fn join(&mut self, clock: Clock, node: NodeId) -> Clock {
        let stamp = self.stamp(node);
        let joined = self.clocks.join(clock, stamp.clock);
        self.clocks.with(joined, stamp.chain, stamp.position)
    }

    /// Whether `node` is in `clock`.
    pub(crate) fn covers(&self, clock: Clock, node: NodeId) -> bool {
        let task = self.tasks_of[node.0 as usize];
        self.clocks.get(clock, self.chain(task)) >= self.positions[node.0 as usize]
    }

    /// a ≼ b.
    pub(crate) fn reaches(&self, a: NodeId, b: NodeId) -> bool {
        let (from, to) = (self.stamp(a), self.stamp(b));
        if from.chain == to.chain {
            from.position <= to.position
        } else {
            self.clocks.get(to.clock, from.chain) >= from.position
        }
    }

    /// How far `stamp` knows `chain`.
    pub(crate) fn reach(&self, stamp: Stamp, chain: u32) -> u32 {
        if stamp.chain == chain { stamp.position } else { self.clocks.get(stamp.clock, chain) }
    }

    /// Adds a node to a task that knows `clock`; a task without nodes follows one of `after`, the
    /// ends of tasks that happen before, if that one's chain is free.
    pub(crate) fn add(&mut self, task: TaskId, op: OpId, clock: Clock, after: &[NodeId]) -> NodeId {
        debug_assert!(self.ops.last().is_none_or(|&last| last <= op));
        debug_assert!(!self.is_over(task));
        if !self.has_begun(task) {
            self.tasks[task.0 as usize].chain = self.choose_chain(clock, after);
        }
        let row = &mut self.tasks[task.0 as usize];
        let chain = &mut self.chains[row.chain as usize];
        chain.tail += 1;
        let node = NodeId::from_index(self.ops.len());
        row.last = Some(node);
        self.positions.push(chain.tail);
        self.ops.push(op);
        self.tasks_of.push(task);
        self.clock_of.push(clock);
        node
    }

    /// No operation of the task follows: another task may continue its chain.
    pub(crate) fn finish(&mut self, task: TaskId) {
        let chain = self.chain(task);
        self.tasks[task.0 as usize].is_over = true;
        self.chains[chain as usize].free = true;
        self.free.push(chain);
        if self.free.len() == 4 * LATEST_TRIED {
            self.free.drain(..2 * LATEST_TRIED);
        }
    }

    fn choose_chain(&mut self, clock: Clock, after: &[NodeId]) -> u32 {
        let may_follow = |nodes: &Self, chain: u32| {
            let Chain { tail, free } = nodes.chains[chain as usize];
            free && nodes.clocks.get(clock, chain) >= tail
        };
        let direct = after.iter().map(|&node| self.stamp(node).chain);
        let latest = self.free.iter().rev().take(LATEST_TRIED).copied();
        let found = direct.chain(latest).find(|&chain| may_follow(self, chain));
        let found = found.or_else(|| {
            let mut known = None;
            self.clocks.gained(Clock::EMPTY, clock, &mut |chain, _, position| {
                let Chain { tail, free } = self.chains[chain as usize];
                if free && position >= tail {
                    known = Some(chain);
                }
            });
            known
        });
        if let Some(chain) = found {
            self.chains[chain as usize].free = false;
            return chain;
        }
        self.chains.push(Chain { tail: 0, free: false });
        self.chains.len() as u32 - 1
    }
}

impl NodeId {
    pub(crate) fn from_index(index: usize) -> Self {
        Self(OpId::new(index).0)
    }
}
