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

use crate::engine::graph::clock::{AT_ONCE, Clock, Clocks, Part};

/// A node, in the order of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// A task: an event, a thread outside events, or an operation that stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(pub(crate) u32);

/// The chain and position of a node, and what happens before it besides its own chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) chain: u32,
    /// The position on the chain, counted from 1.
    pub(crate) position: u32,
    pub(crate) clock: Clock,
}

#[derive(Clone, Copy)]
struct Task {
    chain: u32,
    last: Option<NodeId>,
    is_over: bool,
}

#[derive(Clone)]
struct Chain {
    nodes: Vec<NodeId>,
    /// Whether the last task of the chain is over, so that another may follow.
    free: bool,
    region: u32,
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
    /// How many chains have nodes.
    used: usize,
    regions: Vec<Region>,
}

/// A group of tasks that know much of each other. Their chains have neighbouring numbers, so that
/// clocks that know as much of them share that part.
#[derive(Clone, Default)]
struct Region {
    /// Chains that became free lately, the latest last; some may have been taken since.
    free: Vec<u32>,
    /// All chains of the region that have nodes.
    used: Vec<u32>,
    /// The index in `used` of the next chain to try among those that became free long ago.
    hand: usize,
    /// The next chain of the region that was never used, if there is one.
    next: Option<u32>,
}

impl Task {
    const NEW: Self = Self { chain: NO_CHAIN, last: None, is_over: false };
}

/// How many chains that became free lately a new task tries, if it continues none of those it
/// follows directly; and then how many others.
const LATEST_TRIED: usize = 8;
const OTHERS_TRIED: usize = 8;

/// How many chains a region takes at a time: those of one leaf of a clock.
const BLOCK: usize = 16;

const NO_CHAIN: u32 = u32::MAX;

/// The chain that holds the floor of a window. No task lies on it.
pub(crate) const FLOOR: u32 = 0;

impl Nodes {
    pub(crate) fn new(tasks: usize, regions: usize) -> Self {
        Self {
            clocks: Clocks::new(),
            ops: Vec::new(),
            tasks_of: Vec::new(),
            positions: Vec::new(),
            clock_of: Vec::new(),
            tasks: vec![Task::NEW; tasks],
            chains: vec![Chain { nodes: Vec::new(), free: false, region: NO_CHAIN }; BLOCK],
            used: 0,
            regions: vec![Region::default(); regions],
        }
    }

    /// Adds a task for an operation that stands alone.
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
        self.used
    }

    /// One past the largest number of a chain.
    pub(crate) fn chain_numbers(&self) -> usize {
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

    /// Returns the clock of a task's last node. It leaves out the task's own chain.
    pub(crate) fn knows(&self, task: TaskId) -> Clock {
        self.last(task).map_or(Clock::EMPTY, |node| self.clock_of[node.0 as usize])
    }

    /// Returns `clock` joined with everything that happens before or at `node`. `taken`, if given, is
    /// in `clock`.
    pub(crate) fn join(&mut self, clock: Clock, node: NodeId, taken: Option<NodeId>) -> Clock {
        let stamp = self.stamp(node);
        let base = self.common(clock, node, taken);
        self.clocks.merge_with(base, (clock, stamp.clock), (stamp.chain, stamp.position))
    }

    /// Returns `clock` joined with everything that happens before or at some nodes, at most
    /// [`AT_ONCE`].
    pub(crate) fn join_all(
        &mut self,
        clock: Clock,
        nodes: &[NodeId],
        taken: Option<NodeId>,
    ) -> Clock {
        if let &[node] = nodes {
            return self.join(clock, node, taken);
        }
        let mut parts = [Part::default(); AT_ONCE];
        let mut points = [(0, 0); AT_ONCE];
        for (i, &node) in nodes.iter().enumerate() {
            let stamp = self.stamp(node);
            parts[i] = Part { clock: stamp.clock, base: self.common(clock, node, taken) };
            points[i] = (stamp.chain, stamp.position);
        }
        let points = &mut points[..nodes.len()];
        points.sort_unstable();
        self.clocks.join_all(clock, &parts[..nodes.len()], points)
    }

    /// Returns a clock that is contained in `clock` and in the clock of `node`: that of a late node
    /// that both follow, on the chain of `node` or of `taken`, which is in `clock`.
    fn common(&self, clock: Clock, node: NodeId, taken: Option<NodeId>) -> Clock {
        let knows = self.clock_of[node.0 as usize];
        let late = taken.and_then(|taken| self.known_upto(taken, knows));
        let late = late.max(self.known_upto(node, clock));
        late.map_or(Clock::EMPTY, |node| self.clock_of[node.0 as usize])
    }

    /// The last node of a node's chain that is in `clock`, up to the node itself.
    pub(crate) fn known_upto(&self, node: NodeId, clock: Clock) -> Option<NodeId> {
        let Stamp { chain, position, .. } = self.stamp(node);
        let known = self.clocks.get(clock, chain).min(position).checked_sub(1)?;
        Some(self.chains[chain as usize].nodes[known as usize])
    }

    /// Whether `node` is in `clock`.
    pub(crate) fn covers(&self, clock: Clock, node: NodeId) -> bool {
        let task = self.tasks_of[node.0 as usize];
        self.clocks.get(clock, self.chain(task)) >= self.positions[node.0 as usize]
    }

    /// Whether a ≼ b.
    pub(crate) fn reaches(&self, a: NodeId, b: NodeId) -> bool {
        let (from, to) = (self.stamp(a), self.stamp(b));
        if from.chain == to.chain {
            from.position <= to.position
        } else {
            self.clocks.get(to.clock, from.chain) >= from.position
        }
    }

    /// Returns the position up to which `stamp` knows `chain`.
    pub(crate) fn reach(&self, stamp: Stamp, chain: u32) -> u32 {
        if stamp.chain == chain { stamp.position } else { self.clocks.get(stamp.clock, chain) }
    }

    /// Adds a node with `clock` to a task. A task without nodes continues the chain of one of `after`,
    /// which happen before it, if that chain is free and of the task's region.
    pub(crate) fn add(
        &mut self,
        (task, region): (TaskId, usize),
        op: OpId,
        clock: Clock,
        after: &[NodeId],
    ) -> NodeId {
        debug_assert!(self.ops.last().is_none_or(|&last| last <= op));
        debug_assert!(!self.is_over(task));
        if !self.has_begun(task) {
            self.tasks[task.0 as usize].chain = self.choose_chain(region, clock, after);
        }
        let row = &mut self.tasks[task.0 as usize];
        let chain = &mut self.chains[row.chain as usize];
        let node = NodeId::from_index(self.ops.len());
        chain.nodes.push(node);
        row.last = Some(node);
        self.positions.push(chain.nodes.len() as u32);
        self.ops.push(op);
        self.tasks_of.push(task);
        self.clock_of.push(clock);
        node
    }

    /// Replaces the clock of a node by a larger one.
    pub(crate) fn set_clock(&mut self, node: NodeId, clock: Clock) {
        self.clock_of[node.0 as usize] = clock;
    }

    /// Marks a task as over: another task may continue its chain.
    pub(crate) fn finish(&mut self, task: TaskId) {
        let chain = self.chain(task);
        self.tasks[task.0 as usize].is_over = true;
        let Chain { region, ref mut free, .. } = self.chains[chain as usize];
        *free = true;
        let free = &mut self.regions[region as usize].free;
        free.push(chain);
        if free.len() == 4 * LATEST_TRIED {
            free.drain(..2 * LATEST_TRIED);
        }
    }

    fn choose_chain(&mut self, region: usize, clock: Clock, after: &[NodeId]) -> u32 {
        let may_follow = |chain: u32| {
            let row = &self.chains[chain as usize];
            row.free
                && row.region as usize == region
                && self.clocks.get(clock, chain) >= row.nodes.len() as u32
        };
        let Region { free, used, hand, .. } = &self.regions[region];
        let direct = after.iter().map(|&node| self.stamp(node).chain);
        let latest = free.iter().rev().take(LATEST_TRIED).copied();
        let others = used[*hand..].iter().chain(&used[..*hand]).take(OTHERS_TRIED).copied();
        let mut tried = 0;
        let found = direct
            .chain(latest)
            .find(|&chain| may_follow(chain))
            .or_else(|| others.inspect(|_| tried += 1).find(|&chain| may_follow(chain)));
        self.regions[region].hand = (hand + tried) % used.len().max(1);
        let chain = found.unwrap_or_else(|| self.new_chain(region));
        self.chains[chain as usize].free = false;
        chain
    }

    fn new_chain(&mut self, region: usize) -> u32 {
        self.used += 1;
        let Region { next, used, .. } = &mut self.regions[region];
        let chain = next.unwrap_or_else(|| {
            let chain = Chain { nodes: Vec::new(), free: false, region: region as u32 };
            self.chains.resize(self.chains.len() + BLOCK, chain);
            (self.chains.len() - BLOCK) as u32
        });
        used.push(chain);
        *next = Some(chain + 1).filter(|&next| !(next as usize).is_multiple_of(BLOCK));
        chain
    }
}

impl NodeId {
    pub(crate) fn from_index(index: usize) -> Self {
        Self(OpId::new(index).0)
    }
}
