//! The steps of the pass: what each operation does.

use std::rc::Rc;

use trace::{Enqueue, EventId, Id, Op, Posting, ProcessId, QueueKind, ThreadId};

use super::binder::Sender;
use super::clocks::{Entry, Epoch, Key, Time, Tracked, VectorClock};
use super::event::{Phase, Sent};
use super::resolve::stay_atomic;
use super::{AsyncClock, Message, Row, Seen, Task, Thread};

impl AsyncClock {
    pub(super) fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    pub(super) fn seen(&mut self, event: EventId) -> &mut Seen {
        if self.seen.len() <= event.index() {
            self.seen.resize(event.index() + 1, Seen::default());
        }
        &mut self.seen[event.index()]
    }

    /// The task that runs on a thread.
    pub(super) fn task(&mut self, thread: ThreadId, event: Option<EventId>) -> &mut Task {
        let is_open = |message: &Message| message.task.is_some();
        if let Some(event) = event.filter(|event| self.messages.get(event).is_some_and(is_open)) {
            let message = self.messages.get_mut(&event).expect("it is open");
            return message.task.as_mut().expect("it is open");
        }
        if self.thread(thread).task.is_none() {
            let at = self.chains.start_thread();
            let mut task = Task { chain: at.chain, time: Time::default() };
            task.time.vector.set(at);
            self.thread(thread).task = Some(task);
        }
        self.thread(thread).task.as_mut().expect("it was started")
    }

    /// Passes over an operation that synchronises. Returns where it stands, and what happens before it.
    pub fn pass(&mut self, row: &Row) -> (Epoch, VectorClock) {
        self.now = self.now.max(row.at.unwrap_or(0));
        match row.op {
            Op::Begin(event) if row.event == Some(event) && !self.seen(event).begun => {
                self.begin(event, row.thread)
            }
            Op::End(event) if row.event == Some(event) && self.runs(event) => {
                self.end(event, row.thread)
            }
            _ => self.synchronise(row),
        }
    }

    fn runs(&self, event: EventId) -> bool {
        self.messages.get(&event).is_some_and(|message| message.task.is_some())
    }

    /// An operation of a task: it inherits what it waits for, then others may inherit from it.
    fn synchronise(&mut self, row: &Row) -> (Epoch, VectorClock) {
        self.task(row.thread, row.event);
        let mut task = self.take_task(row);
        let thread = row.thread.index();
        match row.op {
            Op::Wait(handle) => {
                self.handles.get(&handle).into_iter().for_each(|time| task.time.join(time));
            }
            Op::Invoke { callback, .. } => {
                self.callbacks.get(&callback).into_iter().for_each(|time| task.time.join(time));
            }
            Op::Init => task.time.join(&self.threads[thread].forks),
            Op::Join(child) => task.time.join(&self.thread(child).exits),
            Op::Exit => task.time.join(&self.threads[thread].ends),
            Op::Attach(queue) => self.queues.attach(row.thread, queue),
            _ => {}
        }
        let looper = row.event.and_then(|event| self.messages.get(&event)?.looper);
        if let Some(looper) = looper {
            stay_atomic(looper, &mut task.time, &mut Vec::new());
        }
        let moment = (task.here(), task.time.vector.clone());
        let publishes = match row.op {
            Op::Notify(handle) => {
                self.handles.entry(handle).or_default().join(&task.time);
                true
            }
            Op::Register(callback) => {
                self.callbacks.entry(callback).or_default().join(&task.time);
                true
            }
            Op::Fork(child) => {
                self.thread(child).forks.join(&task.time);
                true
            }
            Op::Init => {
                self.threads[thread].inits.join(&task.time);
                true
            }
            Op::Exit => {
                self.threads[thread].exits.join(&task.time);
                true
            }
            Op::Enqueue(enqueue) => self.send(enqueue, row, &mut task),
            Op::Remove(event) => {
                self.remove(event);
                false
            }
            _ => false,
        };
        if publishes {
            task.advance();
        }
        self.put_task(row, task);
        moment
    }

    fn take_task(&mut self, row: &Row) -> Task {
        std::mem::take(self.task(row.thread, row.event))
    }

    fn put_task(&mut self, row: &Row, task: Task) {
        *self.task(row.thread, row.event) = task;
    }

    /// A message is sent, unless it was before. Returns whether it is.
    fn send(&mut self, enqueue: Enqueue, row: &Row, task: &mut Task) -> bool {
        let Enqueue { event, queue, posting, is_async, sync } = enqueue;
        let seen = self.seen(event);
        if seen.posted || seen.begun {
            self.stats.contradictions += u64::from(!self.seen(event).posted);
            self.seen(event).posted = true;
            return false;
        }
        seen.posted = true;
        if posting == Posting::Ipc {
            self.queues.declare(queue, QueueKind::Binder);
        }
        let sent = Sent { at: task.here(), posting, is_async };
        let at_send = task.time.clone();
        let phase = Phase::Waiting(at_send);
        let vector = task.time.vector.clone();
        let may_loop = self.queues.may_loop(queue);
        let tracked = sent.tracked().filter(|_| may_loop);
        let key = tracked.map(|tracked| Key { queue, tracked });
        let has_list = key.filter(|key| !matches!(key.tracked, Tracked::Fifo { .. }));
        let previous =
            has_list.and_then(|key| task.time.clocks.get(key, task.chain)).map(Rc::clone);
        let new = self.ledger.open(Some(queue), Some(sent), phase, (vector, previous));
        self.registry.add(&new);
        if let Some(key) = key {
            let entry = Entry { key, gamma: sent.at, event: Rc::clone(&new), is_doubled: false };
            match key.tracked {
                Tracked::Fifo { .. } => task.time.clocks.reduce_to(entry),
                _ => task.time.clocks.set(entry),
            }
        }
        let start = may_loop.then(|| self.queues.wait(queue));
        let process = self.thread(row.thread).process.unwrap_or(ProcessId(0));
        let is_binder = posting == Posting::Ipc && self.queues.kind(queue) == QueueKind::Binder;
        let sender = is_binder.then_some(Sender { queue, process, number: row.number, sync });
        if let Some(sender) = sender {
            self.binders.send(sender);
        }
        let message = Message { event: new, start, sender, looper: None, task: None };
        self.messages.insert(event, message);
        self.stats.most_held = self.stats.most_held.max(self.ledger.held());
        true
    }

    /// A message is taken out of its queue. Its metadata stays while others may follow it.
    fn remove(&mut self, event: EventId) {
        if self.runs(event) {
            return;
        }
        let Some(message) = self.messages.remove(&event) else { return };
        message.event.is_scheduled.set(false);
        self.leave(&message);
        if let Some(sender) = message.sender {
            self.binders.remove(sender);
        }
    }

    pub(super) fn leave(&mut self, message: &Message) {
        if let (Some(start), Some(queue)) = (message.start, message.event.queue) {
            self.queues.leave(queue, start);
        }
    }
}
