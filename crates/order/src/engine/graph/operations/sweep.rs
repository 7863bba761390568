//! One pass over the operations that order others, in the order of the trace.
//!
//! Every conclusion but two kinds leads to the operation at hand, so that one pass closes them: the
//! clocks of everything earlier are complete. The exceptions reach back to a begin in the past:
//! LOOPER-ATOMIC, and messages posted after they began. What these conclude and cannot be told in place
//! is kept in [`Late`] and known from the next pass on; passes repeat until one concludes nothing of the
//! kind.
//!
//! This file holds the operations of threads, handles, callbacks and locks; `begin.rs` what happens
//! when an event begins or ends.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use trace::{Enqueue, EventId, Id, LockId, Op, OpId, Posting, ProcessId, QueueId, ThreadId, Trace};

use super::accumulator::{Accumulators, ListId, Prefix};
use super::barriers::Barriers;
use super::begin_log::BeginLog;
use super::hints::{Hint, Hints};
use super::nodes::{NodeId, Nodes, TaskId};
use super::plan::{Plan, TaskKind};
use super::post_log::PostLog;
use super::skeleton::Skeleton;
use crate::engine::graph::clock::{AT_ONCE, Clock};
use crate::rule::Rule;

/// Where a conclusion comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Node(NodeId),
    /// Any of several nodes.
    Any(Prefix),
}

/// A conclusion that made a difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Source,
    pub(crate) to: NodeId,
    pub(crate) rule: &'static Rule,
}

/// Conclusions α ≺ begin(m) that a pass found after it had passed begin(m), by m, then α.
#[derive(Default)]
pub(crate) struct Late(pub(crate) BTreeMap<EventId, BTreeMap<OpId, &'static Rule>>);

/// What an operation learns before it becomes a node.
pub(crate) struct Incoming {
    pub(crate) clock: Clock,
    /// From the first of `Sweep::edges` that belongs to it.
    pub(crate) first_edge: usize,
    /// Nodes that it follows directly: their chains may be continued.
    pub(crate) after: Vec<NodeId>,
}

/// The lists of what happened to a thread.
#[derive(Clone, Copy, Default)]
pub(crate) struct ThreadLists {
    pub(crate) forks: ListId,
    pub(crate) inits: ListId,
    pub(crate) exits: ListId,
    /// What is over on the thread: ends of events, operations that stand alone.
    pub(crate) over: ListId,
    pub(crate) looper_ends: ListId,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct CallbackLists {
    registers: ListId,
    invokes: ListId,
    sync_invokes: ListId,
}

/// Inter-process messages from one process to one dispatcher that are over, as they ended.
#[derive(Default)]
pub(crate) struct IpcList {
    /// Post, end, and the latest post of this and all before it.
    pub(crate) ended: Vec<(OpId, NodeId, OpId)>,
    pub(crate) list: ListId,
}

/// So many nodes may be visited again in the shortest trace.
const LEAST_PATIENCE: usize = 1 << 16;

/// The state of one pass.
pub(crate) struct Sweep<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) plan: &'a Plan,
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) late: &'a mut Late,
    /// Whether `late` grew.
    pub(crate) found_late: bool,
    /// How many nodes may still be visited to tell them what they should have known.
    pub(crate) patience: usize,

    pub(crate) nodes: Nodes,
    pub(crate) lists: Accumulators,
    pub(crate) edges: Vec<Edge>,

    pub(crate) begins: Vec<Option<NodeId>>,
    pub(crate) ends: Vec<Option<NodeId>>,
    pub(crate) posts: Vec<Option<NodeId>>,
    /// For messages of a class, what its post knew: posts up to there, and those of its own chain,
    /// that the message had to follow were taken over when its event began.
    pub(crate) taken: Vec<Clock>,
    pub(crate) hints: Hints,
    /// What the poster of each message knew of the looper it posted to.
    pub(crate) post_hints: Vec<Option<Hint>>,
    /// Messages some of whose predecessors were still to end when they began.
    pub(crate) irregular: BTreeSet<EventId>,

    pub(crate) threads: Vec<ThreadLists>,
    pub(crate) open_on: Vec<Vec<EventId>>,
    pub(crate) open_in: Vec<Vec<EventId>>,
    handles: Vec<ListId>,
    callbacks: Vec<CallbackLists>,
    locks: Vec<ListId>,
    held: HashMap<(ThreadId, LockId), usize>,
    pub(crate) post_logs: Vec<PostLog>,
    pub(crate) begin_logs: Vec<BeginLog>,
    /// The ends of some of the latest events of each looper.
    pub(crate) late_ends: Vec<Vec<NodeId>>,
    /// Up to where an event's knowledge was searched for events it must follow.
    pub(crate) checked: HashMap<EventId, Clock>,
    pub(crate) barriers: Vec<Barriers>,
    pub(crate) barrier_removals: HashMap<OpId, NodeId>,
    pub(crate) native: HashMap<(QueueId, bool), ListId>,
    pub(crate) ipc: HashMap<(QueueId, ProcessId, bool), IpcList>,
}

impl<'a> Sweep<'a> {
    pub(crate) fn run(
        trace: &'a Trace,
        plan: &'a Plan,
        skeleton: &'a Skeleton,
        late: &'a mut Late,
    ) -> Self {
        let names = trace.names();
        let (events, threads, queues) =
            (names.events.len(), names.threads.len(), names.queues.len());
        let mut sweep = Self {
            trace,
            plan,
            skeleton,
            late,
            found_late: false,
            patience: LEAST_PATIENCE + 4 * skeleton.ops.len(),
            nodes: Nodes::new(events + threads, 1 + queues),
            lists: Accumulators::default(),
            edges: Vec::new(),
            begins: vec![None; events],
            ends: vec![None; events],
            posts: vec![None; events],
            taken: vec![Clock::EMPTY; events],
            hints: Hints::new(events + threads),
            post_hints: vec![None; events],
            irregular: BTreeSet::new(),
            threads: vec![ThreadLists::default(); threads],
            open_on: vec![Vec::new(); threads],
            open_in: vec![Vec::new(); queues],
            handles: vec![ListId::default(); names.handles.len()],
            callbacks: vec![CallbackLists::default(); names.callbacks.len()],
            locks: vec![ListId::default(); names.locks.len()],
            held: HashMap::new(),
            post_logs: (0..queues).map(|_| PostLog::default()).collect(),
            begin_logs: (0..queues).map(|_| BeginLog::default()).collect(),
            late_ends: vec![Vec::new(); queues],
            checked: HashMap::new(),
            barriers: (0..queues).map(|_| Barriers::default()).collect(),
            barrier_removals: HashMap::new(),
            native: HashMap::new(),
            ipc: HashMap::new(),
        };
        for &op in &skeleton.ops {
            sweep.operation(op);
        }
        sweep
    }

    fn operation(&mut self, op: OpId) {
        let thread = self.trace.thread_of(op);
        match self.trace.op(op) {
            Op::Init => self.init(op, thread),
            Op::Exit => self.exit(op, thread),
            Op::Fork(child) => self.fork(op, child),
            Op::Join(child) => self.join(op, child),
            Op::Notify(handle) => {
                let node = self.plain(op);
                self.lists.add(&mut self.handles[handle.index()], node);
            }
            Op::Wait(_) | Op::Unregister(_) => {
                self.learner(op);
            }
            Op::Lock(lock) if self.plan.release_acquire.is_some() => self.acquire(op, thread, lock),
            Op::Unlock(lock) if self.plan.release_acquire.is_some() => {
                self.release(op, thread, lock);
            }
            Op::Register(callback) => {
                let node = self.plain(op);
                let list = &mut self.callbacks[callback.index()].registers;
                self.lists.add(list, node);
            }
            Op::Invoke { callback, sync } => self.invoke(op, callback.index(), sync),
            Op::Enqueue(enqueue) => self.enqueue(op, enqueue),
            Op::EnqueueEnd(event) => {
                let mut incoming = self.incoming(op);
                if let Some(end) = self.ends[event.index()] {
                    self.take(&mut incoming.1, end, self.plan.end_enqueue_end);
                }
                self.node(op, incoming);
            }
            Op::Remove(event) => self.remove(op, thread, event),
            Op::Begin(event) if self.is_begin(op, event) => self.begin(op, event),
            Op::End(event) if self.is_end(op, event) => self.end(op, event),
            Op::PostBarrier(barrier, queue) => {
                let node = self.plain(op);
                let stamp = self.nodes.stamp(node);
                self.barriers[queue.index()].push(stamp.chain, stamp.position, op, barrier);
            }
            Op::RemoveBarrier(_) => {
                let node = self.plain(op);
                self.barrier_removals.insert(op, node);
            }
            _ => {
                if self.kind(op) == TaskKind::Alone {
                    self.plain(op);
                }
            }
        }
    }

    fn is_begin(&self, op: OpId, event: EventId) -> bool {
        !self.plan.ignores_events && self.trace.event(event).begin == Some(op)
    }

    fn is_end(&self, op: OpId, event: EventId) -> bool {
        !self.plan.ignores_events && self.trace.event(event).end == Some(op)
    }

    pub(crate) fn kind(&self, op: OpId) -> TaskKind {
        self.plan.task_kind(self.trace, &self.skeleton.user_threads, op)
    }

    /// The task of an operation; a new one for an operation that stands alone.
    fn task(&mut self, kind: TaskKind) -> TaskId {
        kind.task(self.begins.len()).unwrap_or_else(|| self.nodes.lone_task())
    }

    fn thread_task(&self, thread: ThreadId) -> TaskId {
        TaskId(self.begins.len() as u32 + thread.0)
    }

    /// What an operation knows by its task and its thread alone.
    pub(crate) fn incoming(&mut self, op: OpId) -> (TaskId, Incoming) {
        let kind = self.kind(op);
        let task = self.task(kind);
        let incoming = self.incoming_of(task, self.trace.thread_of(op));
        (task, incoming)
    }

    fn incoming_of(&mut self, task: TaskId, thread: ThreadId) -> Incoming {
        let (clock, first_edge) = (self.nodes.knows(task), self.edges.len());
        let mut incoming = Incoming { clock, first_edge, after: Vec::new() };
        if !self.nodes.has_begun(task) {
            let lists = self.threads[thread.index()];
            self.take_all(&mut incoming, lists.inits, self.plan.init_first);
            self.take_all(&mut incoming, lists.forks, self.plan.fork_thread);
        }
        incoming
    }

    /// Learns everything that happens before or at `from`, if the rule is on.
    pub(crate) fn take(
        &mut self,
        incoming: &mut Incoming,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        let Some(rule) = rule else { return };
        if incoming.after.len() < 8 {
            incoming.after.push(from);
        }
        if !self.nodes.covers(incoming.clock, from) {
            let taken = incoming.after.iter().rev().find(|&&node| node != from).copied();
            incoming.clock = self.nodes.join(incoming.clock, from, taken);
            self.edges.push(Edge { from: Source::Node(from), to: NodeId(0), rule });
        }
    }

    /// The same for several nodes, by one rule each.
    pub(crate) fn take_each(
        &mut self,
        incoming: &mut Incoming,
        mut sources: Vec<(NodeId, Option<&'static Rule>)>,
    ) {
        sources.retain(|&(from, _)| !self.nodes.covers(incoming.clock, from));
        // The latest first: they are likely to know of the others.
        sources.sort_unstable_by_key(|&(node, _)| std::cmp::Reverse(node));
        let taken = incoming.after.last().copied();
        let mut waiting: Vec<NodeId> = Vec::new();
        for (from, rule) in sources {
            let Some(rule) = rule else { continue };
            if incoming.after.len() < 8 {
                incoming.after.push(from);
            }
            let known = self.nodes.covers(incoming.clock, from)
                || waiting.iter().any(|&other| self.nodes.reaches(from, other));
            if !known {
                self.edges.push(Edge { from: Source::Node(from), to: NodeId(0), rule });
                waiting.push(from);
            }
            if waiting.len() == AT_ONCE {
                incoming.clock = self.nodes.join_all(incoming.clock, &waiting, taken);
                waiting.clear();
            }
        }
        incoming.clock = self.nodes.join_all(incoming.clock, &waiting, taken);
    }

    /// The same for all of a list.
    pub(crate) fn take_all(
        &mut self,
        incoming: &mut Incoming,
        list: ListId,
        rule: Option<&'static Rule>,
    ) {
        if let (Some(rule), Some(prefix)) = (rule, self.lists.all(list)) {
            self.take_prefix(incoming, prefix, rule);
        }
    }

    pub(crate) fn take_prefix(
        &mut self,
        incoming: &mut Incoming,
        prefix: Prefix,
        rule: &'static Rule,
    ) {
        let last = self.lists.sources(prefix).last();
        incoming.after.extend(last.filter(|_| incoming.after.len() < 8));
        let all = self.lists.clock(&mut self.nodes, prefix);
        let joined = self.nodes.clocks.join(incoming.clock, all);
        if joined != incoming.clock {
            incoming.clock = joined;
            self.edges.push(Edge { from: Source::Any(prefix), to: NodeId(0), rule });
        }
    }

    /// Makes an operation that orders others a node.
    pub(crate) fn node(&mut self, op: OpId, (task, mut incoming): (TaskId, Incoming)) -> NodeId {
        let kind = self.kind(op);
        if let Some(event) = self.trace.event_of(op) {
            self.follow_begun(&mut incoming, event);
        }
        let node = self.add(task, op, &incoming);
        let thread = self.trace.thread_of(op);
        match kind {
            TaskKind::Alone => {
                self.lists.add(&mut self.threads[thread.index()].over, node);
                self.nodes.finish(task);
            }
            TaskKind::Thread(thread) if self.skeleton.last_outside[thread.index()] == Some(op) => {
                self.nodes.finish(task);
            }
            _ => {}
        }
        node
    }

    fn keep_hints(&mut self, task: TaskId, after: &[NodeId]) {
        for &node in after {
            let from = self.nodes.tasks_of[node.0 as usize];
            if from == task {
                continue;
            }
            self.hints.inherit(task, from);
            if let Some(hint) = self.hint_of(from) {
                self.hints.follow(task, hint);
            }
        }
    }

    /// The looper and the begin of a task that is an event of a looper, if it comes to an end: only
    /// then its begin is settled.
    pub(crate) fn begin_of(&self, task: TaskId) -> Option<(QueueId, NodeId)> {
        let event = Some(EventId(task.0)).filter(|_| self.is_event(task))?;
        self.trace.event(event).end?;
        Some((self.trace.looper_of(event)?, self.begins[event.index()]?))
    }

    fn hint_of(&self, task: TaskId) -> Option<Hint> {
        let (looper, begin) = self.begin_of(task)?;
        let event = EventId(task.0);
        let enqueue = self.trace.posting_of(event);
        let is_plain = |e: Enqueue| self.plan.posting(e) == Posting::Delayed(0) && !e.is_async;
        Some(self.hints.of_event(event, looper, begin, enqueue.is_some_and(is_plain)))
    }

    /// Events of `looper` that `task` follows or is.
    fn hint(&self, task: TaskId, looper: QueueId) -> Option<Hint> {
        let own = self.begin_of(task).filter(|&(of, _)| of == looper);
        own.and_then(|_| self.hint_of(task)).or_else(|| self.hints.get(task, looper))
    }

    pub(crate) fn is_event(&self, task: TaskId) -> bool {
        task.0 < self.begins.len() as u32
    }

    /// The events of a queue know much of each other, and threads of the events they run.
    fn region(&self, task: TaskId) -> usize {
        let queue = self.is_event(task).then(|| self.trace.event(EventId(task.0)).queue).flatten();
        queue.map_or(0, |queue| 1 + queue.index())
    }

    fn add(&mut self, task: TaskId, op: OpId, incoming: &Incoming) -> NodeId {
        let (region, known) = (self.region(task), self.nodes.knows(task));
        let node = self.nodes.add((task, region), op, incoming.clock, &incoming.after);
        for edge in &mut self.edges[incoming.first_edge..] {
            edge.to = node;
        }
        if self.plan.atomic_from_begin.is_some() {
            self.keep_hints(task, &incoming.after);
        }
        if known != incoming.clock && self.is_event(task) && self.plan.events_are_ordered() {
            self.demand_whole(EventId(task.0), known, node);
        }
        node
    }

    /// A node that learns nothing but what its task and thread know.
    fn plain(&mut self, op: OpId) -> NodeId {
        let incoming = self.incoming(op);
        self.node(op, incoming)
    }

    /// What `task` did up to `op`, an operation of another, as a node.
    fn so_far(&mut self, task: TaskId, op: OpId, thread: ThreadId) -> NodeId {
        if self.nodes.is_over(task) {
            return self.nodes.last(task).expect("a task that is over has nodes");
        }
        let incoming = self.incoming_of(task, thread);
        self.add(task, op, &incoming)
    }

    /// Lets `task` learn of `from` at `op`, an operation of another.
    pub(crate) fn tell(
        &mut self,
        (task, thread): (TaskId, ThreadId),
        event: Option<EventId>,
        op: OpId,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        if self.nodes.is_over(task) || self.nodes.shares_chain(task, from) {
            return;
        }
        let mut incoming = self.incoming_of(task, thread);
        self.take(&mut incoming, from, rule);
        if let Some(event) = event {
            self.follow_begun(&mut incoming, event);
        }
        self.add(task, op, &incoming);
    }

    /// The tasks that are under way on `thread`, but for the one of `op`.
    fn others_on(&self, op: OpId, thread: ThreadId) -> Vec<(TaskId, Option<EventId>)> {
        let own = self.kind(op);
        let mut others = Vec::new();
        if self.plan.event_order.is_some() {
            let open = self.open_on[thread.index()].iter();
            let open = open.filter(|&&event| own != TaskKind::Event(event.0));
            others.extend(open.map(|&event| (TaskId(event.0), Some(event))));
        }
        let ordered = self.plan.thread_order.is_some()
            && (!self.plan.user_threads_only || self.skeleton.user_threads[thread.index()]);
        if ordered && own != TaskKind::Thread(thread) {
            others.push((self.thread_task(thread), None));
        }
        others
    }

    /// What an operation learns from whatever there was of a kind before it.
    pub(crate) fn learns(&self, op: OpId) -> [(ListId, Option<&'static Rule>); 2] {
        let (plan, nothing) = (self.plan, (ListId::default(), None));
        match self.trace.op(op) {
            Op::Init => {
                [(self.threads[self.trace.thread_of(op).index()].forks, plan.fork_init), nothing]
            }
            Op::Join(child) => {
                let lists = self.threads[child.index()];
                [(lists.exits, plan.exit_join), (lists.forks, plan.fork_thread)]
            }
            Op::Wait(handle) => [(self.handles[handle.index()], plan.notify_wait), nothing],
            Op::Invoke { callback, sync } => {
                let lists = self.callbacks[callback.index()];
                let invoked = plan.invoke_invoke.filter(|_| sync);
                [(lists.registers, plan.register_invoke), (lists.sync_invokes, invoked)]
            }
            Op::Unregister(callback) => {
                let lists = self.callbacks[callback.index()];
                [
                    (lists.registers, plan.register_unregister),
                    (lists.invokes, plan.invoke_unregister),
                ]
            }
            _ => [nothing; 2],
        }
    }

    /// A node that learns what its kind of operation does.
    fn learner(&mut self, op: OpId) -> NodeId {
        let (task, mut incoming) = self.incoming(op);
        for (list, rule) in self.learns(op) {
            self.take_all(&mut incoming, list, rule);
        }
        self.node(op, (task, incoming))
    }

    fn init(&mut self, op: OpId, thread: ThreadId) {
        let node = self.learner(op);
        self.lists.add(&mut self.threads[thread.index()].inits, node);
        if self.plan.init_first.is_some() {
            for (task, event) in self.others_on(op, thread) {
                self.tell((task, thread), event, op, node, self.plan.init_first);
            }
        }
    }

    fn exit(&mut self, op: OpId, thread: ThreadId) {
        let sources: Vec<NodeId> = match self.plan.exit_last {
            Some(_) => {
                let others = self.others_on(op, thread);
                others.into_iter().map(|(task, _)| self.so_far(task, op, thread)).collect()
            }
            None => Vec::new(),
        };
        let (task, mut incoming) = self.incoming(op);
        for source in sources {
            self.take(&mut incoming, source, self.plan.exit_last);
        }
        let lists = self.threads[thread.index()];
        self.take_all(&mut incoming, lists.over, self.plan.exit_last);
        self.take_all(&mut incoming, lists.looper_ends, self.plan.end_exit);
        let node = self.node(op, (task, incoming));
        self.lists.add(&mut self.threads[thread.index()].exits, node);
    }

    fn fork(&mut self, op: OpId, child: ThreadId) {
        let node = self.plain(op);
        self.lists.add(&mut self.threads[child.index()].forks, node);
        if self.plan.fork_thread.is_some() && self.plan.whole_threads.is_some() {
            let task = self.thread_task(child);
            if self.kind(op) != TaskKind::Thread(child) {
                self.tell((task, child), None, op, node, self.plan.fork_thread);
            }
        }
    }

    fn join(&mut self, op: OpId, child: ThreadId) {
        let whole = self.plan.thread_join.is_some() && self.plan.whole_threads.is_some();
        let task = self.thread_task(child);
        let known = whole && self.kind(op) != TaskKind::Thread(child);
        let source = known.then(|| self.so_far(task, op, child));
        let (task, mut incoming) = self.incoming(op);
        for (list, rule) in self.learns(op) {
            self.take_all(&mut incoming, list, rule);
        }
        if let Some(source) = source {
            self.take(&mut incoming, source, self.plan.thread_join);
        }
        if !whole {
            let over = self.threads[child.index()].over;
            self.take_all(&mut incoming, over, self.plan.thread_join);
        }
        self.node(op, (task, incoming));
    }

    fn acquire(&mut self, op: OpId, thread: ThreadId, lock: LockId) {
        let (task, mut incoming) = self.incoming(op);
        let depth = self.held.entry((thread, lock)).or_default();
        *depth += 1;
        if *depth == 1 {
            self.take_all(&mut incoming, self.locks[lock.index()], self.plan.release_acquire);
        }
        self.node(op, (task, incoming));
    }

    fn release(&mut self, op: OpId, thread: ThreadId, lock: LockId) {
        let node = self.plain(op);
        let Some(depth) = self.held.get_mut(&(thread, lock)) else { return };
        *depth -= 1;
        if *depth == 0 {
            self.held.remove(&(thread, lock));
            self.lists.add(&mut self.locks[lock.index()], node);
        }
    }

    fn invoke(&mut self, op: OpId, callback: usize, sync: bool) {
        let node = self.learner(op);
        self.lists.add(&mut self.callbacks[callback].invokes, node);
        if sync {
            self.lists.add(&mut self.callbacks[callback].sync_invokes, node);
        }
    }

    fn remove(&mut self, op: OpId, thread: ThreadId, event: EventId) {
        let (task, mut incoming) = self.incoming(op);
        let row = self.trace.event(event);
        let owner = row.queue.and_then(|q| self.trace.queue(q).owner);
        let applies = owner == Some(thread) || !self.plan.remove_on_looper;
        if let (Some(post), Some(begin), true) =
            (self.posts[event.index()], self.begins[event.index()], applies)
            && (self.nodes.covers(incoming.clock, post) || self.nodes.shares_chain(task, post))
        {
            self.take(&mut incoming, begin, self.plan.begin_remove);
        }
        self.node(op, (task, incoming));
    }

    fn enqueue(&mut self, op: OpId, enqueue: Enqueue) {
        let node = self.plain(op);
        let row = self.trace.event(enqueue.event);
        if row.enqueue == Some(op) && !self.plan.ignores_events {
            self.posts[enqueue.event.index()] = Some(node);
            let poster = self.nodes.tasks_of[node.0 as usize];
            self.post_hints[enqueue.event.index()] = self.hint(poster, enqueue.queue);
            self.log_post(op, node, enqueue, &row);
        }
    }
}
