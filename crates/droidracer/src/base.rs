//! The base of the relation: operations, tasks, and the edges that hold before any closure.
//!
//! The closure, the races and the classes see an execution only as a `Base`. Any source that states
//! which operations ran on which thread and in which task can be analysed: the environment model of
//! `abc_log` builds a base, and so does [`crate::generic`] for any trace.
//!
//! Invariants: ids are dense; operations are in the order in which they were logged; the post, call
//! and return of a task are distinct operations whose roles name the task. Edges may point
//! backwards: the log order is *not* a topological order.

use hashbrown::HashMap;

use crate::rules::{Rule, RuleSet};

/// An operation of the graph, numbered from 0 in log order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u32);

/// A task, numbered from 0 in the order the tasks began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A thread: the number that its trace assigns to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u32);

impl OpId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TaskId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The role of an operation in the rules that do not depend on its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Posts the task.
    Post(TaskId),
    /// Begins the task.
    Call(TaskId),
    /// Ends the task.
    Ret(TaskId),
    /// Marks its task as triggered by an environment event.
    Trigger,
    /// Marks its task as an idle handler.
    IdleTrigger,
    /// Anything else.
    Other,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The number of the operation in the original log.
    pub source: u64,
    /// The thread on which the operation ran; none for the start of the process.
    pub thread: Option<ThreadId>,
    /// The task to which the operation belongs.
    pub task: Option<TaskId>,
    /// The role of the operation.
    pub role: Role,
}

/// A task: an asynchronous call that ran.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The thread on which the task ran.
    pub thread: ThreadId,
    /// The post of the task, if it was logged.
    pub post: Option<OpId>,
    /// The beginning of the task.
    pub call: OpId,
    /// The end of the task, if it was logged.
    pub ret: Option<OpId>,
    /// The delay with which the task was posted.
    pub delay: u64,
    /// Whether the queue orders the task by its delay. It does not if the task was posted to the
    /// front or for a point in time.
    pub is_queued: bool,
}

/// An edge and the rule from which it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The earlier operation.
    pub from: OpId,
    /// The later operation.
    pub to: OpId,
    /// The rule from which the edge follows.
    pub rule: Rule,
}

/// The kind of deliveries with which a [`Delivery`] may be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Broadcasts, in the order of their sends.
    Sent,
    /// Sticky broadcasts delivered on registration, in the order of the registrations.
    Sticky,
}

/// A receive whose order with others of its channel follows from the order of their causes.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// The send or registration.
    pub cause: OpId,
    /// The receive.
    pub receive: OpId,
    /// The post of the receive's task.
    pub post: Option<OpId>,
    /// The deliveries with which this one may be ordered.
    pub channel: Channel,
}

/// Operations, tasks and base edges under a set of rules.
#[derive(Clone, Debug)]
pub struct Base {
    rules: RuleSet,
    ops: Vec<Operation>,
    tasks: Vec<Task>,
    edges: Vec<Edge>,
    edge_rules: HashMap<(OpId, OpId), Rule>,
    deliveries: Vec<Delivery>,
}

impl Base {
    /// Returns a base without edges.
    ///
    /// # Panics
    /// Panics if the roles of the operations and the tasks disagree.
    pub fn new(rules: RuleSet, ops: Vec<Operation>, tasks: Vec<Task>) -> Self {
        for (index, task) in tasks.iter().enumerate() {
            let id = TaskId(index as u32);
            assert_eq!(ops[task.call.index()].role, Role::Call(id));
            assert!(task.post.is_none_or(|op| ops[op.index()].role == Role::Post(id)));
            assert!(task.ret.is_none_or(|op| ops[op.index()].role == Role::Ret(id)));
        }
        Self {
            rules,
            ops,
            tasks,
            edges: Vec::new(),
            edge_rules: HashMap::new(),
            deliveries: Vec::new(),
        }
    }

    /// Adds `from → to`, unless `rule` is switched off, the edge exists, or it is a loop.
    pub fn edge(&mut self, from: OpId, to: OpId, rule: Rule) {
        if from != to
            && self.rules.has(rule)
            && self.edge_rules.try_insert((from, to), rule).is_ok()
        {
            self.edges.push(Edge { from, to, rule });
        }
    }

    /// Adds that `cause` makes `op` possible: `cause` precedes `op` and the post of `op`'s task.
    pub fn enable(&mut self, cause: OpId, op: OpId, rule: Rule) {
        self.edge(cause, op, rule);
        if let Some(post) = self.post_of(op) {
            self.edge(cause, post, rule);
        }
    }

    /// Adds that `first` and `second` are successive callbacks of one component: they are ordered,
    /// and so are their tasks and posts if they are different tasks of one thread.
    pub fn chain(&mut self, first: OpId, second: OpId, rule: Rule) {
        self.edge(first, second, rule);
        let (a, b) = (self.op(first), self.op(second));
        let (Some(task_a), Some(task_b)) = (a.task, b.task) else { return };
        if task_a == task_b || a.thread != b.thread {
            return;
        }
        if let Some(ret) = self.task(task_a).ret {
            self.edge(ret, self.task(task_b).call, rule);
        }
        if let (Some(from), Some(to)) = (self.task(task_a).post, self.task(task_b).post) {
            self.edge(from, to, rule);
        }
    }

    /// Records a receive that the order of causes will order.
    pub fn deliver(&mut self, cause: OpId, receive: OpId, channel: Channel) {
        let post = self.post_of(receive);
        self.deliveries.push(Delivery { cause, receive, post, channel });
    }

    /// The post of the task of `op`.
    pub fn post_of(&self, op: OpId) -> Option<OpId> {
        self.op(op).task.and_then(|task| self.task(task).post)
    }

    /// The end of the task of `op`.
    pub fn ret_of(&self, op: OpId) -> Option<OpId> {
        self.op(op).task.and_then(|task| self.task(task).ret)
    }

    /// The rules that apply.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// An operation.
    pub fn op(&self, op: OpId) -> &Operation {
        &self.ops[op.index()]
    }

    /// Every operation, by id.
    pub fn ops(&self) -> &[Operation] {
        &self.ops
    }

    /// A task.
    pub fn task(&self, task: TaskId) -> &Task {
        &self.tasks[task.index()]
    }

    /// Every task, by id.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The base edges, in the order they were found.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The rule of the base edge `from → to`.
    pub fn edge_rule(&self, from: OpId, to: OpId) -> Option<Rule> {
        self.edge_rules.get(&(from, to)).copied()
    }

    /// The deliveries, in log order.
    pub fn deliveries(&self) -> &[Delivery] {
        &self.deliveries
    }
}
