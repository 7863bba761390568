//! One pass over the operations that order others, in the order of the trace.
//!
//! Every conclusion of all but two kinds leads to the operation at hand, so one pass closes them: the
//! clocks of everything earlier are complete. The exceptions reach back to a begin in the past. They
//! are LOOPER-ATOMIC, and messages posted after they began. What these conclude and
//! [`repair`](super::repair) cannot add in place is kept in [`Late`] for the next pass. Passes repeat
//! until one keeps nothing.
//!
//! This file applies the rules of threads, handles, callbacks and locks. `begin.rs` and `end.rs` apply
//! those of events, and `queue_order.rs` those of queues.

use std::collections::HashMap;

use trace::{Enqueue, EventId, Id, LockId, Op, OpId, Posting, QueueId, ThreadId, Trace};

use super::accumulator::ListId;
use super::hints::{Hint, Hints};
use super::late::Late;
use super::nodes::{NodeId, TaskId};
use super::order_so_far::{Incoming, OrderSoFar};
use super::plan::{Plan, TaskKind};
use super::skeleton::Skeleton;
use super::states::{EventStates, QueueState, ThreadState};
use super::sync_objects::{Followed, SyncObjects};
use super::window::{Floors, Window};
use crate::rule::Rule;

/// How many nodes may be visited again in the shortest trace.
const LEAST_PATIENCE: usize = 1 << 16;

/// The state of one pass.
pub(crate) struct Sweep<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) plan: &'a Plan,
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) late: &'a mut Late,
    /// How many nodes may still be visited to add what they should have known.
    pub(crate) patience: usize,
    pub(crate) order: OrderSoFar,
    pub(crate) events: EventStates,
    pub(crate) threads: Vec<ThreadState>,
    pub(crate) queues: Vec<QueueState>,
    sync: SyncObjects,
    pub(crate) hints: Hints,
    pub(crate) window: Option<Window>,
    /// The removals of barriers that the pass has reached.
    pub(crate) barrier_removals: HashMap<OpId, NodeId>,
}

impl<'a> Sweep<'a> {
    /// Makes one pass over the trace, and returns the order that it found. The order is complete
    /// unless `late` has grown.
    pub(crate) fn run(
        trace: &'a Trace,
        plan: &'a Plan,
        skeleton: &'a Skeleton,
        late: &'a mut Late,
    ) -> (OrderSoFar, Option<Floors>) {
        let names = trace.names();
        let (events, threads, queues) =
            (names.events.len(), names.threads.len(), names.queues.len());
        late.has_grown = false;
        let mut sweep = Self {
            trace,
            plan,
            skeleton,
            late,
            patience: LEAST_PATIENCE + 4 * skeleton.ops.len(),
            order: OrderSoFar::new(events + threads, 1 + queues),
            events: EventStates::new(events),
            threads: vec![ThreadState::default(); threads],
            queues: (0..queues).map(|_| QueueState::default()).collect(),
            sync: SyncObjects::new(names),
            hints: Hints::new(events + threads, events),
            window: plan.window.map(Window::new),
            barrier_removals: HashMap::new(),
        };
        if plan.window.is_some() {
            sweep.in_window();
        } else {
            skeleton.ops.iter().for_each(|&op| sweep.operation(op));
        }
        (sweep.order, sweep.window.map(|window| window.floors))
    }

    /// Like the sweep without a window, but the window passes every operation.
    fn in_window(&mut self) {
        let mut ops = self.skeleton.ops.iter().peekable();
        for op in self.trace.ops() {
            self.window.iter_mut().for_each(|window| window.pass(self.trace, op));
            if ops.next_if(|&&next| next == op).is_some() {
                self.operation(op);
            }
        }
    }

    /// Joins what is older than the window to what an operation follows, if it is a begin or stands
    /// outside events.
    fn follow_old(&mut self, incoming: &mut Incoming) {
        if let Some(window) = &mut self.window {
            incoming.clock = window.join(&mut self.order.nodes.clocks, incoming.clock);
        }
    }

    fn operation(&mut self, op: OpId) {
        let thread = self.trace.thread_of(op);
        match self.trace.op(op) {
            Op::Init => self.init(op, thread),
            Op::Exit => self.exit(op, thread),
            Op::Fork(child) => self.fork(op, child),
            Op::Join(child) => self.join(op, child),
            operation @ (Op::Notify(_) | Op::Register(_)) => {
                let node = self.plain(op);
                self.sync.add(&mut self.order.lists, operation, node);
            }
            Op::Wait(_) | Op::Unregister(_) => {
                self.following(op);
            }
            Op::Lock(lock) if self.plan.release_acquire.is_some() => self.acquire(op, thread, lock),
            Op::Unlock(lock) if self.plan.release_acquire.is_some() => {
                self.release(op, thread, lock);
            }
            invoke @ Op::Invoke { .. } => {
                let node = self.following(op);
                self.sync.add(&mut self.order.lists, invoke, node);
            }
            Op::Enqueue(enqueue) => self.enqueue(op, enqueue),
            Op::EnqueueEnd(event) => {
                let mut incoming = self.incoming(op);
                if let Some(end) = self.events.end[event.index()] {
                    self.order.take(&mut incoming.1, end, self.plan.end_enqueue_end);
                }
                self.node(op, incoming);
            }
            Op::Remove(event) => self.remove(op, thread, event),
            Op::Begin(event) if self.is_begin(op, event) => self.begin(op, event),
            Op::End(event) if self.is_end(op, event) => self.end(op, event),
            Op::PostBarrier(barrier, queue) => {
                let node = self.plain(op);
                let stamp = self.order.nodes.stamp(node);
                self.queues[queue.index()].barriers.push(stamp.chain, stamp.position, op, barrier);
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

    /// Returns the task of an operation. An operation that stands alone gets a new task.
    fn task(&mut self, kind: TaskKind) -> TaskId {
        kind.task(self.events.len()).unwrap_or_else(|| self.order.nodes.lone_task())
    }

    fn thread_task(&self, thread: ThreadId) -> TaskId {
        TaskId(self.events.len() as u32 + thread.0)
    }

    /// Returns what an operation follows by its task and its thread alone.
    pub(crate) fn incoming(&mut self, op: OpId) -> (TaskId, Incoming) {
        let kind = self.kind(op);
        let task = self.task(kind);
        let mut incoming = self.incoming_of(task, self.trace.thread_of(op));
        let begins = matches!(self.trace.op(op), Op::Begin(event) if self.is_begin(op, event));
        if begins || self.trace.event_of(op).is_none() {
            self.follow_old(&mut incoming);
        }
        (task, incoming)
    }

    fn incoming_of(&mut self, task: TaskId, thread: ThreadId) -> Incoming {
        let (clock, first_edge) = (self.order.nodes.knows(task), self.order.edges.len());
        let mut incoming = Incoming { clock, first_edge, after: Vec::new() };
        if !self.order.nodes.has_begun(task) {
            let lists = self.threads[thread.index()].lists;
            self.order.take_all(&mut incoming, lists.inits, self.plan.init_first);
            self.order.take_all(&mut incoming, lists.forks, self.plan.fork_thread);
        }
        incoming
    }

    /// Adds the node of an operation, which follows `incoming`.
    pub(crate) fn node(&mut self, op: OpId, (task, mut incoming): (TaskId, Incoming)) -> NodeId {
        let kind = self.kind(op);
        if let Some(event) = self.trace.event_of(op) {
            self.follow_begun(&mut incoming, event);
        }
        let node = self.add(task, op, &incoming);
        let thread = self.trace.thread_of(op);
        match kind {
            TaskKind::Alone => {
                self.order.lists.add(&mut self.threads[thread.index()].lists.over, node);
                self.order.nodes.finish(task);
            }
            TaskKind::Thread(thread) if self.skeleton.last_outside[thread.index()] == Some(op) => {
                self.order.nodes.finish(task);
            }
            _ => {}
        }
        node
    }

    fn keep_hints(&mut self, task: TaskId, after: &[NodeId]) {
        for &node in after {
            let from = self.order.nodes.tasks_of[node.0 as usize];
            if from == task {
                continue;
            }
            self.hints.inherit(task, from);
            if let Some(hint) = self.hint_of(from) {
                self.hints.follow(task, hint);
            }
        }
    }

    /// Returns the looper and the begin of a task, if the task is an event of a looper that ends. The
    /// rules settle the begins of such events only.
    pub(crate) fn begin_of(&self, task: TaskId) -> Option<(QueueId, NodeId)> {
        let event = Some(EventId(task.0)).filter(|_| self.is_event(task))?;
        self.trace.event(event).end?;
        Some((self.trace.looper_of(event)?, self.events.begin[event.index()]?))
    }

    fn hint_of(&self, task: TaskId) -> Option<Hint> {
        let (looper, begin) = self.begin_of(task)?;
        let event = EventId(task.0);
        let enqueue = self.trace.posting_of(event);
        let is_plain = |e: Enqueue| self.plan.posting(e) == Posting::Delayed(0) && !e.is_async;
        Some(self.hints.of_event(event, looper, begin, enqueue.is_some_and(is_plain)))
    }

    /// Returns a hint of the events of `looper` that `task` follows, itself included.
    fn hint(&self, task: TaskId, looper: QueueId) -> Option<Hint> {
        let own = self.begin_of(task).filter(|&(of, _)| of == looper);
        own.and_then(|_| self.hint_of(task)).or_else(|| self.hints.get(task, looper))
    }

    pub(crate) fn is_event(&self, task: TaskId) -> bool {
        task.0 < self.events.len() as u32
    }

    /// Returns the region of a task's chains: that of its queue, for the events of a queue know much
    /// of each other, or one for all threads.
    fn region(&self, task: TaskId) -> usize {
        let queue = self.is_event(task).then(|| self.trace.event(EventId(task.0)).queue).flatten();
        queue.map_or(0, |queue| 1 + queue.index())
    }

    fn add(&mut self, task: TaskId, op: OpId, incoming: &Incoming) -> NodeId {
        let (region, known) = (self.region(task), self.order.nodes.knows(task));
        let node = self.order.nodes.add((task, region), op, incoming.clock, &incoming.after);
        if let Some(window) = &mut self.window {
            let stamp = self.order.nodes.stamp(node);
            window.add(stamp.chain, stamp.position);
        }
        for edge in &mut self.order.edges[incoming.first_edge..] {
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

    /// Adds a node that follows only what its task and thread follow.
    fn plain(&mut self, op: OpId) -> NodeId {
        let incoming = self.incoming(op);
        self.node(op, incoming)
    }

    /// Returns a node for all that `task` did up to `op`, an operation of another task.
    fn so_far(&mut self, task: TaskId, op: OpId, thread: ThreadId) -> NodeId {
        if self.order.nodes.is_over(task) {
            return self.order.nodes.last(task).expect("a task that is over has nodes");
        }
        let incoming = self.incoming_of(task, thread);
        self.add(task, op, &incoming)
    }

    /// Lets `task` follow `from` from `op` on, which is an operation of another task.
    pub(crate) fn follow_from(
        &mut self,
        (task, thread): (TaskId, ThreadId),
        event: Option<EventId>,
        op: OpId,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        if self.order.nodes.is_over(task) || self.order.nodes.shares_chain(task, from) {
            return;
        }
        let mut incoming = self.incoming_of(task, thread);
        self.order.take(&mut incoming, from, rule);
        if let Some(event) = event {
            self.follow_begun(&mut incoming, event);
        }
        self.add(task, op, &incoming);
    }

    /// Returns the tasks that run on `thread`, except the one of `op`.
    fn others_on(&self, op: OpId, thread: ThreadId) -> Vec<(TaskId, Option<EventId>)> {
        let own = self.kind(op);
        let mut others = Vec::new();
        if self.plan.event_order.is_some() {
            let open = self.threads[thread.index()].open.iter();
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

    /// Returns the lists of nodes that an operation follows by its kind.
    pub(crate) fn followed_by(&self, op: OpId) -> [Followed; 2] {
        let (plan, nothing) = (self.plan, (ListId::default(), None));
        match self.trace.op(op) {
            Op::Init => [
                (self.threads[self.trace.thread_of(op).index()].lists.forks, plan.fork_init),
                nothing,
            ],
            Op::Join(child) => {
                let lists = self.threads[child.index()].lists;
                [(lists.exits, plan.exit_join), (lists.forks, plan.fork_thread)]
            }
            operation => self.sync.followed_by(operation, plan),
        }
    }

    /// Adds a node that follows the lists of its kind of operation.
    fn following(&mut self, op: OpId) -> NodeId {
        let (task, mut incoming) = self.incoming(op);
        for (list, rule) in self.followed_by(op) {
            self.order.take_all(&mut incoming, list, rule);
        }
        self.node(op, (task, incoming))
    }

    fn init(&mut self, op: OpId, thread: ThreadId) {
        let node = self.following(op);
        self.order.lists.add(&mut self.threads[thread.index()].lists.inits, node);
        if self.plan.init_first.is_some() {
            for (task, event) in self.others_on(op, thread) {
                self.follow_from((task, thread), event, op, node, self.plan.init_first);
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
            self.order.take(&mut incoming, source, self.plan.exit_last);
        }
        let lists = self.threads[thread.index()].lists;
        self.order.take_all(&mut incoming, lists.over, self.plan.exit_last);
        self.order.take_all(&mut incoming, lists.looper_ends, self.plan.end_exit);
        let node = self.node(op, (task, incoming));
        self.order.lists.add(&mut self.threads[thread.index()].lists.exits, node);
    }

    fn fork(&mut self, op: OpId, child: ThreadId) {
        let node = self.plain(op);
        self.order.lists.add(&mut self.threads[child.index()].lists.forks, node);
        if self.plan.fork_thread.is_some() && self.plan.whole_threads.is_some() {
            let task = self.thread_task(child);
            if self.kind(op) != TaskKind::Thread(child) {
                self.follow_from((task, child), None, op, node, self.plan.fork_thread);
            }
        }
    }

    fn join(&mut self, op: OpId, child: ThreadId) {
        let whole = self.plan.thread_join.is_some() && self.plan.whole_threads.is_some();
        let task = self.thread_task(child);
        let known = whole && self.kind(op) != TaskKind::Thread(child);
        let source = known.then(|| self.so_far(task, op, child));
        let (task, mut incoming) = self.incoming(op);
        for (list, rule) in self.followed_by(op) {
            self.order.take_all(&mut incoming, list, rule);
        }
        if let Some(source) = source {
            self.order.take(&mut incoming, source, self.plan.thread_join);
        }
        if !whole {
            let over = self.threads[child.index()].lists.over;
            self.order.take_all(&mut incoming, over, self.plan.thread_join);
        }
        self.node(op, (task, incoming));
    }

    fn acquire(&mut self, op: OpId, thread: ThreadId, lock: LockId) {
        let (task, mut incoming) = self.incoming(op);
        if let Some(releases) = self.sync.acquire(thread, lock) {
            self.order.take_all(&mut incoming, releases, self.plan.release_acquire);
        }
        self.node(op, (task, incoming));
    }

    fn release(&mut self, op: OpId, thread: ThreadId, lock: LockId) {
        let node = self.plain(op);
        if let Some(releases) = self.sync.release(thread, lock) {
            self.order.lists.add(releases, node);
        }
    }

    fn remove(&mut self, op: OpId, thread: ThreadId, event: EventId) {
        let (task, mut incoming) = self.incoming(op);
        let row = self.trace.event(event);
        let owner = row.queue.and_then(|q| self.trace.queue(q).owner);
        let applies = owner == Some(thread) || !self.plan.remove_on_looper;
        if let (Some(post), Some(begin), true) =
            (self.events.post[event.index()], self.events.begin[event.index()], applies)
            && (self.order.nodes.covers(incoming.clock, post)
                || self.order.nodes.shares_chain(task, post))
        {
            self.order.take(&mut incoming, begin, self.plan.begin_remove);
        }
        self.node(op, (task, incoming));
    }

    fn enqueue(&mut self, op: OpId, enqueue: Enqueue) {
        let node = self.plain(op);
        let row = self.trace.event(enqueue.event);
        if row.enqueue == Some(op) && !self.plan.ignores_events {
            self.events.post[enqueue.event.index()] = Some(node);
            let poster = self.order.nodes.tasks_of[node.0 as usize];
            self.hints.of_post[enqueue.event.index()] = self.hint(poster, enqueue.queue);
            self.log_post(op, node, enqueue, &row);
        }
    }
}
