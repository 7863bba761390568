//! The steps of a disciplined program.

use trace::{
    BarrierId, CallbackId, Enqueue, EnvironmentId, EventId, FunctionId, HandleId, Id, LocationId,
    LockId, Op, Posting, QueueId, ThreadId,
};

use super::menu::Menu;
use super::world::{Barrier, Life, Message, QueueRole, Role, Stage, World};

/// The number of handles, and also of locks, callbacks, environment events and functions.
pub(super) const FEW: u32 = 3;

/// The number of pending messages above which nothing more is posted to a queue.
const CROWDED: usize = 5;

impl World {
    /// Chooses the next operation of `thread`. None lets another thread run.
    pub(super) fn sane_op(&mut self, thread: ThreadId) -> Option<Op> {
        let state = self.thread(thread);
        match state.life {
            Life::Exited => return None,
            Life::Unborn | Life::Forked => return self.start(thread),
            Life::Started => {}
        }
        if let Some(call) = state.calling {
            return match self.message(call).stage {
                Stage::Ended => Some(Op::EnqueueEnd(call)),
                Stage::Removed => {
                    self.threads[thread.index()].calling = None;
                    None
                }
                _ => None,
            };
        }
        if let Role::Looper(queue) = state.role {
            if !state.attached {
                return Some(Op::Attach(queue));
            }
            if state.wants_loop {
                return Some(Op::Loop(queue));
            }
        }
        let mut menu = Menu::default();
        if state.open.is_empty()
            && let Some(queue) = state.role.queue()
        {
            let next = self.next_message(queue);
            menu.offer_any(120, next.map(Op::Begin));
            if next.is_none() && self.chance(0.8) {
                return None;
            }
        }
        self.offer_ends(thread, &mut menu);
        self.offer_queue_work(thread, &mut menu);
        self.offer_meetings(thread, &mut menu);
        self.offer_life(thread, &mut menu);
        let (read, write) = (self.read(), self.write());
        menu.offer(7, read);
        menu.offer(5, write);
        menu.choose(&mut self.rng)
    }

    /// The first operation of a thread: mostly an init, mostly after a fork.
    fn start(&mut self, thread: ThreadId) -> Option<Op> {
        let state = self.thread(thread);
        let role = state.role;
        if state.life == Life::Unborn && self.chance(0.9) {
            return None;
        }
        if self.chance(0.85) {
            return Some(Op::Init);
        }
        Some(match role {
            Role::Looper(queue) => Op::Attach(queue),
            Role::Worker | Role::Server(_) => self.read(),
        })
    }

    /// Offers operations that close an open event, function, lock or call.
    fn offer_ends(&mut self, thread: ThreadId, menu: &mut Menu) {
        let state = self.thread(thread);
        let tidy = state.depth() == 0 && state.held.is_empty();
        menu.offer_any(
            if tidy { 30 } else { 1 },
            state.open.last().map(|&(event, _)| Op::End(event)),
        );
        menu.offer_any(10, state.held.last().map(|&lock| Op::Unlock(lock)));
        if state.depth() > 0 {
            menu.offer(6, Op::Leave);
        }
        if state.depth() < 3 {
            menu.offer(3, Op::Enter(FunctionId(self.rng.u32(0..FEW))));
        }
    }

    /// Offers posts, removals, barriers and arcs.
    fn offer_queue_work(&mut self, thread: ThreadId, menu: &mut Menu) {
        menu.offer_any(30, self.enqueue(thread).map(Op::Enqueue));
        let own = self.thread(thread).role.queue();
        let begun = |m: &Message| matches!(m.stage, Stage::Running | Stage::Ended);
        let dispatched_here = self.recent(|m| begun(m) && m.queue.is_some() && m.queue == own);
        menu.offer_any(2, dispatched_here.map(Op::Remove));
        let dispatched = self.recent(|m| begun(m) && m.queue.is_some());
        menu.offer_any(1, dispatched.map(Op::Remove));
        let pending = self.recent(|m| m.stage == Stage::Pending);
        menu.offer_any(1, pending.map(Op::Remove));
        self.offer_barriers(menu);
        if let Some(target) = self.recent(|m| begun(m)) {
            let begun_at = self.message(target).begun_at;
            let source = self.recent(|m| m.stage == Stage::Ended && m.ended_at < begun_at);
            menu.offer_any(4, source.map(|source| Op::Arc(source, target)));
        }
    }

    fn offer_barriers(&mut self, menu: &mut Menu) {
        if self.knobs.loopers == 0 {
            return;
        }
        let queue = QueueId::new(self.rng.usize(0..self.knobs.loopers));
        if self.standing.iter().all(|barrier| barrier.queue != queue) {
            let fresh = BarrierId::new(self.barriers);
            menu.offer(2, Op::PostBarrier(fresh, queue));
        }
        let standing = self.rng.choice(&self.standing);
        menu.offer_any(7, standing.map(|barrier| Op::RemoveBarrier(barrier.id)));
    }

    /// Offers operations that pair by a name, such as `notify` and `wait`.
    fn offer_meetings(&mut self, thread: ThreadId, menu: &mut Menu) {
        let any = self.rng.u32(0..FEW);
        menu.offer(2, Op::Notify(HandleId(any)));
        let notified = self.rng.choice(&self.notified).copied();
        menu.offer_any(3, notified.map(Op::Wait));
        if self.thread(thread).held.len() < 2 {
            menu.offer(2, Op::Lock(LockId(any)));
        }
        menu.offer(2, Op::Register(CallbackId(any)));
        let sync = self.rng.bool();
        let registered = self.rng.choice(&self.registered).copied();
        menu.offer_any(3, registered.map(|callback| Op::Invoke { callback, sync }));
        menu.offer_any(2, registered.map(Op::Unregister));
        menu.offer(1, Op::Enable(EnvironmentId(any)));
        let enabled = self.rng.choice(&self.enabled).copied();
        menu.offer_any(2, enabled.map(Op::Trigger));
    }

    /// Offers the start and the end of threads.
    fn offer_life(&mut self, thread: ThreadId, menu: &mut Menu) {
        let unborn = self.threads.iter().position(|t| t.life == Life::Unborn);
        menu.offer_any(8, unborn.map(|child| Op::Fork(ThreadId::new(child))));
        let exited = self.rng.choice(&self.exited).copied();
        menu.offer_any(3, exited.map(Op::Join));
        let state = self.thread(thread);
        let late = self.len() * 3 > self.knobs.operations;
        if late
            && state.open.is_empty()
            && state.held.is_empty()
            && self.exited.len() + 1 < self.threads.len()
        {
            menu.offer(2, Op::Exit);
        }
    }

    /// Returns the message that `queue` would dispatch now: the one that is due first, else an idle
    /// handler. If there is neither, time may advance to the next message.
    fn next_message(&mut self, queue: QueueId) -> Option<EventId> {
        let free = |event: &EventId| {
            let message = self.message(*event);
            message.is_async || !self.held_back(queue, message)
        };
        let by_key = |&event: &EventId| self.message(event).key;
        let pending = &self.pending[queue.index()];
        let first = pending.iter().copied().filter(free).min_by_key(by_key)?;
        let (due, _) = self.message(first).key;
        if due <= self.now {
            return Some(first);
        }
        let idle = |event: &EventId| self.message(*event).posting == Posting::Idle;
        let handler = pending.iter().copied().filter(idle).filter(free).min_by_key(by_key);
        if handler.is_none() && self.chance(0.3) {
            self.now = due.min(self.now + 100);
            return Some(first);
        }
        handler
    }

    fn held_back(&self, queue: QueueId, message: &Message) -> bool {
        self.standing.iter().any(|b: &Barrier| b.queue == queue && b.key < message.key)
    }

    /// Returns a fresh message, to the queue that `thread` posted to last or to any queue, unless
    /// the queue is crowded.
    fn enqueue(&mut self, thread: ThreadId) -> Option<Enqueue> {
        if self.queues.is_empty() {
            return None;
        }
        let habit = self.thread(thread).habit.filter(|(q, _)| q.index() < self.queues.len());
        let (queue, habitual) = match habit {
            Some((queue, posting)) if self.chance(0.7) => (queue, Some(posting)),
            _ => (QueueId::new(self.rng.usize(0..self.queues.len())), None),
        };
        if self.pending[queue.index()].len() >= CROWDED {
            return None;
        }
        let posting = match (self.queues[queue.index()], habitual) {
            (QueueRole::Looper, Some(posting)) if self.chance(0.5) => posting,
            (QueueRole::Looper, _) => self.looper_posting(queue),
            (QueueRole::Binder, _) => Posting::Ipc,
            (QueueRole::Pool, _) => Posting::Delayed(0),
        };
        let barred = self.standing.iter().any(|barrier| barrier.queue == queue);
        Some(Enqueue {
            event: self.reuse_or_fresh(),
            queue,
            posting,
            is_async: self.chance(if barred { 0.4 } else { 0.2 }),
            sync: posting == Posting::Ipc && self.chance(0.4),
        })
    }

    /// Returns a message that no operation mentions: one of an offer that was not chosen, or a new
    /// one.
    fn reuse_or_fresh(&mut self) -> EventId {
        match self.messages.last() {
            Some(last) if last.untouched() => EventId::new(self.messages.len() - 1),
            _ => self.fresh_message(),
        }
    }

    fn looper_posting(&mut self, queue: QueueId) -> Posting {
        let crowd = !self.pending[queue.index()].is_empty();
        match self.rng.u8(0..if crowd { 31 } else { 26 }) {
            0..=11 => Posting::Delayed([0, 0, 0, 0, 0, 1, 10, -1][self.rng.usize(0..8)]),
            12..=15 => Posting::AtTime([0, 10, 10, self.now][self.rng.usize(0..4)]),
            16..=19 => Posting::Idle,
            20 | 21 => Posting::Input,
            22 | 23 => Posting::Display,
            24 => Posting::Ipc,
            _ => Posting::Front,
        }
    }

    /// One of the newest messages that satisfies `wanted`, if a few draws find one.
    pub(super) fn recent(&mut self, wanted: impl Fn(&Message) -> bool) -> Option<EventId> {
        let newest = self.messages.len().min(16);
        if newest == 0 {
            return None;
        }
        (0..8)
            .map(|_| self.messages.len() - 1 - self.rng.usize(0..newest))
            .find(|&i| wanted(&self.messages[i]))
            .map(EventId::new)
    }

    pub(super) fn read(&mut self) -> Op {
        Op::Read(LocationId::new(self.rng.usize(0..self.knobs.locations)))
    }

    pub(super) fn write(&mut self) -> Op {
        Op::Write(LocationId::new(self.rng.usize(0..self.knobs.locations)))
    }
}
