//! Models that order operations, in one pass.
//!
//! It computes what [`crate::Graph`] computes for models that order operations, for one operation
//! after the other, and keeps no graph. Like AsyncClock (ASPLOS'17), it keeps a vector clock for
//! every task that runs, every message that waits and every event that ended; unlike it, no set of
//! predecessors for each chain and queue. Instead, each chain keeps a log of its posts and begins, and
//! an event that begins searches those logs, bounded by the clock of its post ([`begin`]).
//!
//! Rules that reach back to a begin of the past are applied there ([`tell`]), and whatever covers
//! that begin gains what it gained ([`held`]). "Ordered" is final at once. "Unordered" is final once
//! no event that may still gain began before ([`OperationStream::is_final`]).
//!
//! With rule WINDOW, everything up to the *floor* happens before every new event, so what ended there
//! is dropped ([`window`]), and memory is bounded by the events of the window, those that wait, and
//! the lists in use. Without it, memory grows with the number of events.
//!
//! Where the rules ask about the whole trace, the pass decides by what it has read, and counts the
//! cases in which something later contradicts that ([`OperationStream::approximations`]): a queue whose kind
//! becomes known only after its first event, a message that is posted after it began, a message that
//! begins after it was removed. An event without an end ends with the trace.
//!
//! Cost: as for the graph engine, without its paths; some 400 bytes and the event's clock for each
//! event that is kept.

mod begin;
mod collect;
mod end;
mod held;
mod list;
mod state;
mod tell;
mod window;

use std::collections::VecDeque;

use hashbrown::HashMap;
use trace::{EventId, Id, Op, Posting, ProcessId, QueueId, ThreadId};

use super::chains::{self, Chains};
use super::kept::{Kept, Watched};
use super::{Dropped, KeptId, Needed, NotStreamable, Now, Parts, Point, Row, Settled, log};
use crate::engine::graph::{Clock, Clocks, Plan};
use crate::model::RuleSet;
pub(super) use held::Held;
use held::{Gains, RUNNING};
use list::List;
use state::{BarrierPost, Events, Post, Queue, Slot, Thread};
use tell::Told;
use window::Window;

/// The task of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Event(Slot),
    Thread(ThreadId),
}

#[derive(Default)]
struct Callback {
    registers: List,
    invokes: List,
    sync_invokes: List,
}

/// Happens-before over a trace that is read once.
pub(super) struct OperationStream {
    plan: Plan,
    clocks: Clocks,
    chains: Chains,
    threads: Vec<Thread>,
    queues: Vec<Queue>,
    events: Events,
    handles: HashMap<u32, List>,
    callbacks: HashMap<u32, Callback>,
    /// The removals of each barrier.
    removals: HashMap<u32, Vec<Held>>,
    gains: Gains,
    told: VecDeque<Told>,
    /// Events of loopers that may still gain: those that run, and those that ended after they came to
    /// know one of these.
    unsettled: Vec<Slot>,
    /// The number of the begin of the oldest of them, as of the last look.
    oldest: u64,
    ends_since_look: u32,
    window: Window,
    /// The epoch below which accesses precede all that is to come, as of the last call of
    /// `start_dropping`.
    drops_below: u32,
    /// The number of the current operation.
    number: u64,
    /// How many events have begun.
    epoch: u32,
    /// Clocks that the caller keeps.
    kept: Kept,
    /// Events whose order outlives them.
    watched: HashMap<EventId, Watched>,
    /// How many clock nodes were in use after the last collection.
    live: usize,
    approximations: u64,
    pub(super) parts: Parts,
}

impl OperationStream {
    /// Starts a pass under a set of rules.
    pub(super) fn new(rules: &RuleSet) -> Result<Self, NotStreamable> {
        let plan = Plan::new(rules);
        if plan.ignores_events {
            return Err(NotStreamable::Model);
        }
        if plan.user_threads_only {
            return Err(NotStreamable::On("USER-THREAD-OP"));
        }
        if plan.event_order.is_none() || plan.thread_order.is_none() {
            let named = |(rule, _): &&(&'static crate::Rule, bool)| rule.is_program_order();
            let off = rules.model().rules.iter().filter(named).find(|(r, _)| !rules.contains(r));
            return Err(NotStreamable::Off(off.map_or("EVENT-OP", |(rule, _)| rule.name)));
        }
        let plan_window = plan.window;
        Ok(Self {
            plan,
            clocks: Clocks::new(),
            chains: Chains::new(),
            threads: Vec::new(),
            queues: Vec::new(),
            events: Events::default(),
            handles: HashMap::new(),
            callbacks: HashMap::new(),
            removals: HashMap::new(),
            gains: Gains::default(),
            told: VecDeque::new(),
            unsettled: Vec::new(),
            oldest: 0,
            ends_since_look: 0,
            window: Window::new(plan_window),
            drops_below: 0,
            number: 0,
            epoch: 0,
            kept: Kept::default(),
            watched: HashMap::new(),
            live: 0,
            approximations: 0,
            parts: Parts::default(),
        })
    }

    /// Puts a thread into a process.
    pub(super) fn assign_process(&mut self, thread: ThreadId, process: ProcessId) {
        self.thread(thread).process = process;
    }

    /// How many answers may differ from the definition, because the pass had to decide too early.
    pub(super) fn approximations(&self) -> u64 {
        self.approximations
    }

    /// How many chains the tasks lie on.
    pub(super) fn chains(&self) -> usize {
        self.chains.used
    }

    /// How many events are kept.
    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    /// How many events have begun.
    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// About how many bytes the pass takes.
    pub(super) fn bytes(&self) -> usize {
        self.clocks.bytes() + self.chains.bytes() + self.events.bytes() + self.window.bytes()
    }

    /// Returns what is known where accesses on `thread`, in `event`, stand.
    pub(super) fn now(&mut self, thread: ThreadId, event: Option<EventId>) -> Now {
        let task = self.task(thread, event);
        let held = self.running(task);
        let floor = match (task, self.window.is_on()) {
            (_, false) => 0,
            (Task::Event(_), true) => self.clocks.get(held.clock, chains::FLOOR),
            (Task::Thread(_), true) => self.window.floor(),
        };
        let point = Point { chain: held.chain, position: held.position + 1, epoch: self.epoch };
        let held = Held { number: self.number, ..held };
        Now { point, floor, start: Clock::EMPTY, held, event }
    }

    pub(super) fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The looper on which an event runs.
    pub(super) fn looper(&self, event: Option<EventId>) -> Option<QueueId> {
        self.events[self.events.slot(event?)?].looper
    }

    /// Whether an event is kept.
    pub(super) fn holds(&self, event: EventId) -> bool {
        self.events.slot(event).is_some()
    }

    pub(super) fn has_window(&self) -> bool {
        self.window.is_on()
    }

    pub(super) fn start_dropping(&mut self) {
        self.drops_below = self.window.lowest();
    }

    pub(super) fn is_dropped(&self, point: Point) -> bool {
        point.epoch < self.drops_below
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    fn queue(&mut self, queue: QueueId) -> &mut Queue {
        if self.queues.len() <= queue.index() {
            self.queues.resize_with(queue.index() + 1, Queue::default);
        }
        &mut self.queues[queue.index()]
    }

    fn task(&mut self, thread: ThreadId, event: Option<EventId>) -> Task {
        let slot = event.and_then(|event| self.events.slot(event));
        match slot.filter(|&slot| self.events[slot].begin.is_some()) {
            Some(slot) => Task::Event(slot),
            None => Task::Thread(thread),
        }
    }

    fn held(&mut self, task: Task) -> &mut Held {
        match task {
            Task::Event(slot) => &mut self.events[slot].task,
            Task::Thread(thread) => &mut self.thread(thread).task,
        }
    }

    /// Returns what a task that runs knows, up to date. A thread that has done nothing yet starts.
    fn running(&mut self, task: Task) -> Held {
        let held = *self.held(task);
        if held.chain == 0 {
            let Task::Thread(thread) = task else { unreachable!("an event has begun") };
            return self.start_thread(thread, held);
        }
        let fresh = self.fresh(held);
        *self.held(task) = fresh;
        fresh
    }

    /// Lays what a thread does outside events on a chain. After an exit the thread may go on: it then
    /// follows what it did before.
    fn start_thread(&mut self, thread: ThreadId, held: Held) -> Held {
        let mut clock = self.fresh(held).clock;
        if self.plan.init_first.is_some() {
            let mut inits = std::mem::take(&mut self.thread(thread).inits);
            clock = self.take_list(clock, &mut inits);
            self.thread(thread).inits = inits;
        }
        let floor = self.window.floor();
        let chain = self.chains.choose(&self.clocks, 0, clock, (&[], floor));
        let position = self.chains.last(chain);
        let held = Held { chain, position, number: RUNNING, ..self.joined(clock) };
        self.thread(thread).task = held;
        held
    }

    /// Adds the node of the current operation to its task, and returns it.
    fn node(&mut self, task: Task) -> Held {
        self.follow_floor(task);
        self.so_far(task)
    }

    /// Lets an operation outside events follow what is old.
    fn follow_floor(&mut self, task: Task) {
        if matches!(task, Task::Thread(_)) {
            let clock = self.running(task).clock;
            self.held(task).clock = self.window_joined(clock);
        }
    }

    /// Adds a node for all that a task did so far, and returns it.
    fn so_far(&mut self, task: Task) -> Held {
        let mut held = self.running(task);
        held.position = self.chains.push(held.chain);
        *self.held(task) = held;
        self.window.passed(self.epoch, held.chain, held.position);
        Held { number: self.number, ..held }
    }

    /// Lets a task that runs follow a node from here on.
    fn learn(&mut self, task: Task, from: Held) {
        let from = self.fresh(from);
        let held = self.running(task);
        let clock = self.join(held.clock, held.chain, from);
        self.learnt(task, held, clock);
    }

    /// Replaces what a task that runs knows by a larger clock, and applies atomicity.
    fn learnt(&mut self, task: Task, held: Held, clock: Clock) {
        if clock == held.clock {
            return;
        }
        self.held(task).clock = clock;
        if let Task::Event(slot) = task {
            self.follow_begun(slot);
        }
    }

    /// Lets a task that runs follow all nodes of a list from here on.
    fn learn_list(&mut self, task: Task, list: &mut List) {
        let held = self.running(task);
        let clock = self.take_list(held.clock, list);
        self.learnt(task, held, clock);
    }

    /// Moves past an operation that synchronises.
    pub(super) fn pass(&mut self, row: &Row) {
        self.number = row.number;
        self.window.at(row.at);
        let task = self.task(row.thread, row.event);
        match row.op {
            Op::Init => self.init(task, row.thread),
            Op::Exit => self.exit(task, row.thread),
            Op::Fork(child) => {
                let node = self.node(task);
                self.thread(child).forks.add(node);
            }
            Op::Join(child) => {
                if self.plan.exit_join.is_some() {
                    let mut exits = std::mem::take(&mut self.thread(child).exits);
                    self.learn_list(task, &mut exits);
                    self.thread(child).exits = exits;
                }
                self.node(task);
            }
            Op::Notify(handle) => {
                let node = self.node(task);
                self.handles.entry(handle.0).or_default().add(node);
            }
            Op::Wait(handle) => {
                if self.plan.notify_wait.is_some()
                    && let Some(mut list) = self.handles.remove(&handle.0)
                {
                    self.learn_list(task, &mut list);
                    self.handles.insert(handle.0, list);
                }
                self.node(task);
            }
            Op::Register(callback) => {
                let node = self.node(task);
                self.callbacks.entry(callback.0).or_default().registers.add(node);
            }
            Op::Invoke { callback, sync } => self.invoke(task, callback.0, sync),
            Op::Unregister(callback) => self.unregister(task, callback.0),
            Op::Attach(queue) => self.attach(row.thread, queue),
            Op::Enqueue(_) => self.enqueue(row, task),
            Op::EnqueueEnd(event) => {
                if self.plan.end_enqueue_end.is_some()
                    && let Some(slot) = self.events.slot(event)
                    && self.events[slot].has_ended
                {
                    self.learn(task, self.events[slot].task);
                }
                self.node(task);
            }
            Op::Remove(event) => self.remove(task, row.thread, event),
            Op::Begin(event) => self.begin_if_first(row, event),
            Op::End(event) => self.end_if_open(row, event),
            Op::PostBarrier(barrier, queue) => {
                let node = self.node(task);
                let of_queue = self.queue(queue);
                let index = of_queue.next_barrier;
                of_queue.next_barrier += 1;
                of_queue.barriers.push(node.chain, node.position, index, 0);
                let post = BarrierPost {
                    barrier: barrier.0,
                    number: node.number,
                    node: (node.chain, node.position),
                };
                of_queue.barrier_posts.insert(index, post);
            }
            Op::RemoveBarrier(barrier) => self.remove_barrier(task, barrier.0),
            _ => {}
        }
        self.after_operation();
    }

    /// Ends the trace, and with it the events whose end is missing.
    pub(super) fn finish(&mut self) {
        let open: Vec<Slot> = self.events.slots().filter(|&slot| self.is_open(slot)).collect();
        for slot in open {
            self.number += 1;
            self.end(slot, self.events[slot].begin_thread);
        }
        self.look();
    }

    fn is_open(&self, slot: Slot) -> bool {
        self.events[slot].begin.is_some() && !self.events[slot].has_ended
    }

    /// The tasks that run on a thread, except `own`.
    fn others_on(&mut self, own: Task, thread: ThreadId) -> Vec<Task> {
        let open = self.thread(thread).open.iter().map(|&slot| Task::Event(slot));
        open.chain([Task::Thread(thread)]).filter(|&task| task != own).collect()
    }

    fn init(&mut self, task: Task, thread: ThreadId) {
        if self.plan.fork_init.is_some() {
            let mut forks = std::mem::take(&mut self.thread(thread).forks);
            self.learn_list(task, &mut forks);
            self.thread(thread).forks = forks;
        }
        let node = self.node(task);
        self.thread(thread).inits.add(node);
        if self.plan.init_first.is_some() {
            for other in self.others_on(task, thread) {
                if self.held(other).chain != 0 {
                    self.learn(other, node);
                }
            }
        }
    }

    fn exit(&mut self, task: Task, thread: ThreadId) {
        if self.plan.exit_last.is_some() {
            for other in self.others_on(task, thread) {
                let held = *self.held(other);
                let so_far = if held.chain == 0 { held } else { self.so_far(other) };
                self.learn(task, so_far);
            }
            let mut ends = std::mem::take(&mut self.thread(thread).ends);
            self.learn_list(task, &mut ends);
            self.thread(thread).ends = ends;
        }
        if self.plan.end_exit.is_some() {
            let mut ends = std::mem::take(&mut self.thread(thread).looper_ends);
            self.learn_list(task, &mut ends);
            self.thread(thread).looper_ends = ends;
        }
        let node = self.node(task);
        self.thread(thread).exits.add(node);
        if let Task::Thread(thread) = task {
            self.chains.free(node.chain, self.epoch);
            // Whatever the thread still does follows its exit, on a chain of its own.
            let clock = self.join(node.clock, 0, node);
            self.thread(thread).task = Held { number: RUNNING, ..self.joined(clock) };
        }
    }

    fn invoke(&mut self, task: Task, callback: u32, sync: bool) {
        let mut lists = self.callbacks.remove(&callback).unwrap_or_default();
        if self.plan.register_invoke.is_some() {
            self.learn_list(task, &mut lists.registers);
        }
        if sync && self.plan.invoke_invoke.is_some() {
            self.learn_list(task, &mut lists.sync_invokes);
        }
        let node = self.node(task);
        if self.plan.invoke_unregister.is_some() {
            lists.invokes.add(node);
        }
        if sync && self.plan.invoke_invoke.is_some() {
            lists.sync_invokes.add(node);
        }
        self.callbacks.insert(callback, lists);
    }

    fn unregister(&mut self, task: Task, callback: u32) {
        if let Some(mut lists) = self.callbacks.remove(&callback) {
            if self.plan.register_unregister.is_some() {
                self.learn_list(task, &mut lists.registers);
            }
            if self.plan.invoke_unregister.is_some() {
                self.learn_list(task, &mut lists.invokes);
            }
            self.callbacks.insert(callback, lists);
        }
        self.node(task);
    }

    fn attach(&mut self, thread: ThreadId, queue: QueueId) {
        let of_thread = self.thread(thread);
        let is_late = of_thread.queue.is_none() && of_thread.ran_unposted;
        of_thread.queue.get_or_insert(queue);
        let of_queue = self.queue(queue);
        of_queue.owner.get_or_insert(thread);
        let changed = of_queue.decided.is_some_and(|kind| kind != of_queue.kind());
        self.approximations += u64::from(is_late) + u64::from(changed);
    }

    fn enqueue(&mut self, row: &Row, task: Task) {
        let Op::Enqueue(enqueue) = row.op else { return };
        let node = self.node(task);
        self.approximations += u64::from(self.window.is_gone(enqueue.event));
        let slot = self.events.slot_or_new(enqueue.event);
        let event = &self.events[slot];
        if event.post.is_some() {
            return;
        }
        if event.begin.is_some() {
            self.approximations += 1;
            return;
        }
        let posting = self.plan.posting(enqueue);
        let process = self.thread(row.thread).process;
        let thread = row.thread;
        self.events[slot].post = Some(Post { held: node, posting, enqueue, thread, process });
        self.events[slot].queue = Some(enqueue.queue);
        let is_call = posting == Posting::Ipc;
        let queue = self.queue(enqueue.queue);
        if is_call && !queue.has_ipc {
            queue.has_ipc = true;
            let changed = queue.decided.is_some_and(|kind| kind != queue.kind());
            self.approximations += u64::from(changed);
        }
        self.log_post(slot, enqueue.queue);
    }

    /// Logs a post for the messages that are posted after it.
    fn log_post(&mut self, slot: Slot, queue: QueueId) {
        let Some(post) = self.events[slot].post else { return };
        let plan = &self.plan;
        let (flag, node) = (usize::from(post.enqueue.is_async), post.held);
        let of_queue = &mut self.queues[queue.index()];
        let mut key = 0;
        let log = match post.posting {
            Posting::Delayed(delay) => {
                key = delay;
                plan.posted_in_order.map(|_| &mut of_queue.delayed[flag])
            }
            Posting::AtTime(time) => {
                key = time;
                plan.posted_for_times.map(|_| &mut of_queue.at_time[flag])
            }
            Posting::Idle => plan.posted_before_idle.map(|_| &mut of_queue.idle[flag]),
            Posting::Front => {
                if plan.front.is_some() {
                    of_queue.fronts.push_back(slot);
                }
                plan.posted_in_order.map(|_| &mut of_queue.front[flag])
            }
            Posting::Ipc => {
                let calls = of_queue.calls.entry((post.process, post.enqueue.sync)).or_default();
                calls.waiting.insert(node.number);
                let logs = plan.ipc_async_is_on() && !post.enqueue.sync;
                logs.then(|| of_queue.ipc.entry(post.thread).or_default())
            }
            Posting::Input | Posting::Display => None,
        };
        if let Some(log) = log {
            log.push(node.chain, node.position, slot, key);
        }
        self.tell_of_post(slot, node);
    }

    fn remove(&mut self, task: Task, thread: ThreadId, event: EventId) {
        let slot = self.events.slot(event);
        if let Some(slot) = slot {
            let row = &self.events[slot];
            let owner = row.queue.and_then(|queue| self.queues[queue.index()].owner);
            let applies = self.plan.begin_remove.is_some()
                && (owner == Some(thread) || !self.plan.remove_on_looper);
            if let (Some(post), Some(begin), true) = (row.post, row.begin, applies) {
                // The window may order the post before the removal.
                self.follow_floor(task);
                let held = self.running(task);
                if held.covers(&self.clocks, post.held.chain, post.held.position) {
                    self.learn(task, begin);
                    self.node(task);
                } else {
                    let node = self.node(task);
                    self.tell_of_removal(slot, node);
                }
                return;
            }
            if self.events[slot].begin.is_none() {
                self.forget_call(slot);
                if !std::mem::replace(&mut self.events[slot].is_removed, true) {
                    self.window.removed(self.number, slot, event);
                }
            }
        }
        self.node(task);
    }

    /// Takes a message that is not going to run from the inter-process messages that wait.
    fn forget_call(&mut self, slot: Slot) {
        let Some(post) = self.events[slot].post.filter(|post| post.posting == Posting::Ipc) else {
            return;
        };
        let queue = &mut self.queues[post.enqueue.queue.index()];
        if let Some(calls) = queue.calls.get_mut(&(post.process, post.enqueue.sync)) {
            calls.waiting.remove(&post.held.number);
        }
    }

    fn remove_barrier(&mut self, task: Task, barrier: u32) {
        let node = self.node(task);
        let removals = self.removals.entry(barrier).or_default();
        let again = !removals.is_empty();
        removals.push(node);
        if again {
            for queue in &mut self.queues {
                let posts = queue.barrier_posts.iter();
                let of_barrier = posts.filter(|(_, post)| post.barrier == barrier);
                let mut found: Vec<u32> = of_barrier.map(|(&index, _)| index).collect();
                found.retain(|index| !queue.overtaken_barriers.contains(index));
                found.sort_unstable();
                queue.overtaken_barriers.extend(found);
            }
        }
    }
}
