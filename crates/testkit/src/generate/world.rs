//! The state of the simulated program, and how operations change it.
//!
//! Ids here are the simulation's own numbers ([`super::naming`]). Only [`World::emit`] changes the
//! state and adds operations to the trace, so that a sane step after a wild one sees the actual
//! state.

use fastrand::Rng;
use trace::{
    BarrierId, CallbackId, Diagnostic, Enqueue, EnvironmentId, EventId, HandleId, Id, LockId, Op,
    Posting, QueueId, ThreadId, Trace, TraceBuilder,
};

use super::knobs::Knobs;
use super::naming::Naming;

/// The role of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Serves no queue.
    Worker,
    /// Attaches the queue and dispatches from it.
    Looper(QueueId),
    /// One of the threads of a Binder or a pool.
    Server(QueueId),
}

impl Role {
    pub(super) fn queue(self) -> Option<QueueId> {
        match self {
            Self::Worker => None,
            Self::Looper(queue) | Self::Server(queue) => Some(queue),
        }
    }
}

/// The stage of a thread's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Life {
    Unborn,
    Forked,
    Started,
    Exited,
}

pub(super) struct ThreadState {
    pub(super) role: Role,
    process: usize,
    pub(super) life: Life,
    pub(super) attached: bool,
    pub(super) wants_loop: bool,
    /// The open events, outermost first, each with the number of functions entered in it.
    pub(super) open: Vec<(EventId, usize)>,
    /// Functions entered outside events.
    pub(super) depth: usize,
    pub(super) held: Vec<LockId>,
    /// The blocking post that has not returned.
    pub(super) calling: Option<EventId>,
    /// The queue and posting of the thread's last post. Senders repeat them, so that posts are
    /// ordered.
    pub(super) habit: Option<(QueueId, Posting)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Unposted,
    Pending,
    Removed,
    Running,
    Ended,
}

impl Message {
    /// Whether the message was neither posted, removed nor dispatched.
    pub(super) fn untouched(&self) -> bool {
        self.stage == Stage::Unposted && self.queue.is_none()
    }
}

/// The time at which a message is due, and its place among those due at the same time.
pub(super) type Key = (i64, i64);

pub(super) struct Message {
    pub(super) stage: Stage,
    pub(super) queue: Option<QueueId>,
    pub(super) posting: Posting,
    pub(super) is_async: bool,
    pub(super) key: Key,
    pub(super) begun_at: usize,
    pub(super) ended_at: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Barrier {
    pub(super) id: BarrierId,
    pub(super) queue: QueueId,
    pub(super) key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueRole {
    Looper,
    Binder,
    Pool,
}

pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) knobs: Knobs,
    pub(super) builder: TraceBuilder,
    naming: Naming,
    pub(super) threads: Vec<ThreadState>,
    pub(super) queues: Vec<QueueRole>,
    /// The messages that are posted and not yet dispatched or removed, by queue.
    pub(super) pending: Vec<Vec<EventId>>,
    pub(super) messages: Vec<Message>,
    pub(super) standing: Vec<Barrier>,
    pub(super) barriers: usize,
    pub(super) notified: Vec<HandleId>,
    pub(super) registered: Vec<CallbackId>,
    pub(super) enabled: Vec<EnvironmentId>,
    pub(super) exited: Vec<ThreadId>,
    current: ThreadId,
    pub(super) now: i64,
}

impl World {
    pub(super) fn new(seed: u64, knobs: &Knobs) -> Self {
        let mut world = Self {
            rng: Rng::with_seed(seed),
            knobs: knobs.clone(),
            builder: TraceBuilder::new(),
            naming: Naming { odd: knobs.odd_names },
            threads: Vec::new(),
            queues: Vec::new(),
            pending: Vec::new(),
            messages: Vec::new(),
            standing: Vec::new(),
            barriers: 0,
            notified: Vec::new(),
            registered: Vec::new(),
            enabled: Vec::new(),
            exited: Vec::new(),
            current: ThreadId(0),
            now: 0,
        };
        world.populate();
        world
    }

    fn populate(&mut self) {
        let knobs = self.knobs.clone();
        for _ in 0..knobs.loopers {
            let queue = self.add_queue(QueueRole::Looper);
            self.add_thread(Role::Looper(queue), self.threads.len() % knobs.processes);
        }
        for _ in 0..knobs.workers {
            self.add_thread(Role::Worker, self.threads.len() % knobs.processes);
        }
        let served = [(QueueRole::Binder, knobs.binders), (QueueRole::Pool, knobs.pools)];
        for (i, role) in served.iter().flat_map(|&(role, n)| (0..n).map(move |i| (i, role))) {
            let queue = self.add_queue(role);
            for _ in 0..knobs.servers {
                self.add_thread(Role::Server(queue), i % knobs.processes);
            }
        }
        assert!(!self.threads.is_empty(), "a trace needs a thread");
        self.threads[0].life = Life::Forked;
    }

    fn add_queue(&mut self, role: QueueRole) -> QueueId {
        self.queues.push(role);
        self.pending.push(Vec::new());
        QueueId::new(self.queues.len() - 1)
    }

    fn add_thread(&mut self, role: Role, process: usize) {
        let wants_loop = self.rng.u8(0..4) > 0;
        self.threads.push(ThreadState {
            role,
            process,
            life: Life::Unborn,
            attached: false,
            wants_loop,
            open: Vec::new(),
            depth: 0,
            held: Vec::new(),
            calling: None,
            habit: None,
        });
    }

    pub(super) fn len(&self) -> usize {
        self.builder.len()
    }

    pub(super) fn finish(self) -> (Trace, Vec<Diagnostic>) {
        self.builder.finish()
    }

    /// Appends one operation, on a thread that has one to perform.
    pub(super) fn step(&mut self) {
        if self.chance(self.knobs.anomalies) {
            let thread = ThreadId::new(self.rng.usize(0..self.threads.len()));
            let op = self.wild_op(thread);
            self.emit(thread, op);
            return;
        }
        for _ in 0..64 {
            if !self.chance(0.7) {
                self.current = self.next_thread();
            }
            if let Some(op) = self.sane_op(self.current) {
                self.emit(self.current, op);
                return;
            }
        }
        self.break_deadlock();
    }

    /// Chooses the thread that runs next: of two drawn threads, preferably one with work in its
    /// queue.
    fn next_thread(&mut self) -> ThreadId {
        let draw = |rng: &mut Rng| ThreadId::new(rng.usize(0..self.threads.len()));
        let (first, second) = (draw(&mut self.rng), draw(&mut self.rng));
        let waiting = self.thread(first).role.queue().map_or(0, |q| self.pending[q.index()].len());
        if waiting > 0 { first } else { second }
    }

    /// Breaks a deadlock of all threads: blocked callers give up, and one thread reads, so that
    /// time advances.
    fn break_deadlock(&mut self) {
        for thread in &mut self.threads {
            thread.calling = None;
        }
        let thread = self.threads.iter().position(|t| t.life != Life::Exited).unwrap_or(0);
        let read = self.read();
        self.emit(ThreadId::new(thread), read);
    }

    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.rng.f64() < share
    }

    pub(super) fn thread(&self, thread: ThreadId) -> &ThreadState {
        &self.threads[thread.index()]
    }

    pub(super) fn message(&self, event: EventId) -> &Message {
        &self.messages[event.index()]
    }

    /// Performs `op` on `thread`.
    pub(super) fn emit(&mut self, thread: ThreadId, op: Op) {
        self.now += 1;
        self.track(thread, op);
        let process = self.threads[thread.index()].process;
        let id = self.naming.thread(&mut self.builder, thread);
        if process > 0 {
            let name = self.naming.name("p", process);
            let process = self.builder.names().processes.intern(&name);
            self.builder.assign_process(id, process);
        }
        let op = self.naming.op(&mut self.builder, op);
        let attributes = self.attributes(op);
        self.builder.push(id, op, attributes);
    }

    fn track(&mut self, thread: ThreadId, op: Op) {
        let at = self.len();
        let state = &mut self.threads[thread.index()];
        state.life = state.life.max(Life::Started);
        match op {
            Op::Exit if state.life < Life::Exited => {
                state.life = Life::Exited;
                self.exited.push(thread);
            }
            Op::Fork(child) => {
                if let Some(child) = self.threads.get_mut(child.index()) {
                    child.life = child.life.max(Life::Forked);
                }
            }
            Op::Lock(lock) => state.held.push(lock),
            Op::Unlock(lock) => {
                if let Some(i) = state.held.iter().rposition(|&held| held == lock) {
                    state.held.remove(i);
                }
            }
            Op::Attach(_) => state.attached = true,
            Op::Loop(_) => state.wants_loop = false,
            Op::Enter(_) => *state.depth_mut() += 1,
            Op::Leave => *state.depth_mut() = state.depth_mut().saturating_sub(1),
            Op::EnqueueEnd(_) => state.calling = None,
            Op::Begin(event) if self.messages[event.index()].begun_at == usize::MAX => {
                state.open.push((event, 0));
                let message = &mut self.messages[event.index()];
                message.stage = Stage::Running;
                message.begun_at = at;
                self.unqueue(event);
            }
            Op::End(event) if state.open.last().is_some_and(|&(open, _)| open == event) => {
                state.open.pop();
                self.messages[event.index()].stage = Stage::Ended;
                self.messages[event.index()].ended_at = at;
            }
            Op::Remove(event) => {
                if self.messages[event.index()].stage == Stage::Pending {
                    self.messages[event.index()].stage = Stage::Removed;
                }
                self.unqueue(event);
            }
            _ => self.track_meetings(thread, op),
        }
    }

    fn track_meetings(&mut self, thread: ThreadId, op: Op) {
        match op {
            Op::Enqueue(enqueue) => self.track_post(thread, enqueue),
            Op::PostBarrier(id, queue) => {
                self.barriers = self.barriers.max(id.index() + 1);
                self.threads[thread.index()].habit = Some((queue, Posting::Delayed(0)));
                self.standing.push(Barrier { id, queue, key: (self.now, self.now) });
            }
            Op::RemoveBarrier(id) => self.standing.retain(|barrier| barrier.id != id),
            Op::Notify(handle) => self.notified.push(handle),
            Op::Register(callback) => self.registered.push(callback),
            Op::Enable(event) => self.enabled.push(event),
            _ => {}
        }
    }

    fn track_post(&mut self, thread: ThreadId, enqueue: Enqueue) {
        let now = self.now;
        let blocks = match enqueue.posting {
            Posting::Ipc if enqueue.sync => self.chance(0.8),
            Posting::Delayed(0) => self.chance(0.08),
            _ => false,
        };
        let state = &mut self.threads[thread.index()];
        state.habit = Some((enqueue.queue, enqueue.posting));
        if blocks && state.role.queue() != Some(enqueue.queue) {
            state.calling = Some(enqueue.event);
        }
        let message = &mut self.messages[enqueue.event.index()];
        if message.queue.is_some() {
            return;
        }
        message.queue = Some(enqueue.queue);
        message.posting = enqueue.posting;
        message.is_async = enqueue.is_async;
        message.key = match enqueue.posting {
            Posting::Front | Posting::AtTime(0) => (i64::MIN, -now),
            Posting::Delayed(delay) => (now.saturating_add(delay.max(0)), now),
            Posting::AtTime(time) => (time, now),
            Posting::Idle => (i64::MAX, now),
            Posting::Input | Posting::Display | Posting::Ipc => (now, now),
        };
        if message.stage == Stage::Unposted {
            message.stage = Stage::Pending;
            if let Some(pending) = self.pending.get_mut(enqueue.queue.index()) {
                pending.push(enqueue.event);
            }
        }
    }

    fn unqueue(&mut self, event: EventId) {
        let queue = self.messages[event.index()].queue;
        if let Some(pending) = queue.and_then(|q| self.pending.get_mut(q.index())) {
            pending.retain(|&m| m != event);
        }
    }

    /// A message that no operation has mentioned.
    pub(super) fn fresh_message(&mut self) -> EventId {
        self.messages.push(Message {
            stage: Stage::Unposted,
            queue: None,
            posting: Posting::Delayed(0),
            is_async: false,
            key: (0, 0),
            begun_at: usize::MAX,
            ended_at: usize::MAX,
        });
        EventId::new(self.messages.len() - 1)
    }
}

impl ThreadState {
    /// The number of functions entered in the innermost open event, or outside events, to change
    /// it.
    pub(super) fn depth_mut(&mut self) -> &mut usize {
        match self.open.last_mut() {
            Some((_, depth)) => depth,
            None => &mut self.depth,
        }
    }

    /// The number of functions entered in the innermost open event, or outside events.
    pub(super) fn depth(&self) -> usize {
        self.open.last().map_or(self.depth, |&(_, depth)| depth)
    }
}
