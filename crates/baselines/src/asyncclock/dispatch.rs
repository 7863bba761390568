//! The begin and the end of an event.

use std::rc::Rc;

use trace::{EventId, Posting, QueueId, QueueKind, ThreadId};

use super::binder::Sender;
use super::chains::Origin;
use super::clocks::{Epoch, Time, Tracked, VectorClock};
use super::event::{Ended, EventRef, Phase};
use super::reclaim::{Marks, reduce, sweep, sweep_event};
use super::resolve::{Predecessors, begun, events, forget_known, stay_atomic};
use super::{AsyncClock, Message, Task};

impl AsyncClock {
    pub(super) fn begin(&mut self, event: EventId, thread: ThreadId) -> (Epoch, VectorClock) {
        let was_posted = self.seen(event).posted;
        self.seen(event).begun = true;
        let mut message = self.messages.remove(&event).unwrap_or_else(|| {
            self.stats.contradictions += u64::from(was_posted);
            self.unsent(thread)
        });
        let new = Rc::clone(&message.event);
        let at_send = new.phase.replace(Phase::Old);
        let mut time = if let Phase::Waiting(time) = at_send { time } else { Time::default() };
        if let Some(length) = self.options.window {
            self.windows.pass(self.now, length);
        }
        let (mut ends, mut reduced, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        message.looper = new.queue.filter(|&q| self.queues.kind(q) == QueueKind::Looper);
        if let Some(looper) = message.looper {
            if let Some(sent) = &new.sent {
                let found = Predecessors::find(&time.clocks, looper, sent, self.options.as_printed);
                if let Some(key) = new.key().filter(|k| matches!(k.tracked, Tracked::Fifo { .. })) {
                    reduced = events(time.clocks.of(key));
                }
                found.inherit(&mut time, &mut ends);
                missed = found.missed;
            }
            self.inherit_from_looper((looper, thread), &message, (&mut time, &mut ends));
        }
        if let Some(sender) = message.sender {
            self.binders.begin(sender, &mut time);
        }
        self.leave(&message);
        let at = self.chains.start_event(origin(&new, message.looper), &ends, &time.vector);
        time.vector.set(at);
        new.phase.replace(Phase::Running { reduced, missed });
        if let Some(looper) = message.looper {
            forget_known(looper, &mut time);
            time.clocks.set(begun(looper, at, &new));
        }
        let moment = (at, time.vector.clone());
        message.task = Some(Task { chain: at.chain, time });
        self.messages.insert(event, message);
        self.stats.events += 1;
        if self.options.reclaim && self.stats.events.is_multiple_of(self.options.collect_after) {
            self.collect();
        }
        moment
    }

    /// A message that begins without having been posted.
    fn unsent(&mut self, thread: ThreadId) -> Message {
        let queue = self.queues.attached(thread);
        let event = self.ledger.open(queue, None, Phase::Old, (VectorClock::default(), None));
        self.registry.add(&event);
        self.stats.most_held = self.stats.most_held.max(self.ledger.held());
        Message { event, start: None, sender: None, looper: None, task: None }
    }

    /// Applies the rules of loopers at a begin: LOOPBEGIN, INPUT, the window, ATOMIC and ATFRONT.
    fn inherit_from_looper(
        &mut self,
        (looper, thread): (QueueId, ThreadId),
        message: &Message,
        (time, ends): (&mut Time, &mut Vec<u32>),
    ) {
        time.join(&self.thread(thread).inits);
        let sent = message.event.sent;
        if sent.is_some_and(|sent| sent.posting == Posting::Input) {
            time.join(self.queues.input(looper));
        }
        if self.options.window.is_some() {
            self.stats.old += self.windows.begin(looper, (time, ends));
        }
        loop {
            let mut gained = stay_atomic(looper, time, ends);
            if let (Some(sent), Some(start)) = (sent, message.start) {
                gained |= self.queues.overtake(looper, (sent.at, start), (time, ends));
            }
            if !gained {
                return;
            }
        }
    }

    pub(super) fn end(&mut self, event: EventId, thread: ThreadId) -> (Epoch, VectorClock) {
        let message = self.messages.remove(&event).expect("it runs");
        let mut task = message.task.expect("it runs");
        let event = message.event;
        if let Some(looper) = message.looper {
            stay_atomic(looper, &mut task.time, &mut Vec::new());
        }
        let (at, mut time) = (task.here(), task.time);
        let moment = (at, time.vector.clone());
        self.chains.end(at);
        event.is_scheduled.set(false);
        let missed = match event.phase.replace(Phase::Old) {
            Phase::Running { missed, .. } => missed,
            _ => Vec::new(),
        };
        let ended = Ended { at, time: Time::default(), missed };
        event.phase.replace(Phase::Ended(Box::new(ended)));
        if let Some(queue) = event.queue {
            forget_known(queue, &mut time);
        }
        if self.options.as_printed {
            self.reduce(&event, &mut time);
        }
        self.join_end(&event, (message.looper, thread), (message.sender, &time));
        if !self.options.as_printed {
            self.reduce(&event, &mut time);
        }
        if let Phase::Ended(ended) = &mut *event.phase.borrow_mut() {
            ended.time = time;
        }
        self.ended(&event, message.looper);
        moment
    }

    /// Applies multi-path reduction to the time at the end of an event.
    fn reduce(&mut self, event: &EventRef, time: &mut Time) {
        if self.options.reclaim && self.options.multi_path {
            self.stats.multi_path += reduce(time, &event.at_send.borrow());
        }
    }

    /// Joins the end of an event into the times that do not depend on its send: LOOPEND, INPUT, binders.
    fn join_end(
        &mut self,
        event: &EventRef,
        (looper, thread): (Option<QueueId>, ThreadId),
        (sender, time): (Option<Sender>, &Time),
    ) {
        if let Some(looper) = looper {
            let ends = &mut self.thread(thread).ends;
            ends.join(time);
            forget_known(looper, ends);
            if event.sent.is_some_and(|sent| sent.posting == Posting::Input) {
                self.queues.input(looper).join(time);
            }
        }
        if let Some(sender) = sender {
            self.binders.end(sender, time);
        }
    }

    /// Passes an event that ended to those that may ask for it.
    fn ended(&mut self, event: &EventRef, looper: Option<QueueId>) {
        if let Some(looper) = looper {
            if event.sent.is_some_and(|sent| sent.posting == Posting::Front) {
                self.queues.executed(looper, event);
            }
            if self.options.window.is_some() {
                self.windows.end(looper, event);
            }
        }
        event.at_send.take();
        if !self.options.reclaim {
            self.kept.push(Rc::clone(event));
        }
    }

    /// Garbage collection (§4.2): removes null pointers, and frees the events that only form cycles, such as
    /// an event and the message that it sent to another looper.
    fn collect(&mut self) {
        let held = self.registry.held();
        for event in &held {
            self.stats.multi_path += sweep_event(event, self.options.multi_path);
        }
        let mut marks = Marks::default();
        for message in self.messages.values() {
            marks.add(&message.event);
        }
        self.queues.fronts().for_each(|event| marks.add(event));
        for time in self.times() {
            sweep(time);
            marks.add_time(time);
        }
        self.stats.in_cycles += marks.collect(&held);
    }

    /// The times that are held outside events.
    fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        let running = self.messages.values_mut().filter_map(|message| message.task.as_mut());
        (self.threads.iter_mut().flat_map(super::Thread::times))
            .chain(running.map(|task| &mut task.time))
            .chain(self.handles.values_mut())
            .chain(self.callbacks.values_mut())
            .chain(self.queues.times())
            .chain(self.binders.times())
            .chain(self.windows.times())
    }
}

/// What determines the FIFO chain of an event.
fn origin(event: &EventRef, looper: Option<QueueId>) -> Option<Origin> {
    let (queue, sent) = (looper?, event.sent?);
    match sent.posting {
        Posting::Delayed(0) => {
            Some(Origin::Sent { queue, from: sent.at.chain, is_async: sent.is_async })
        }
        Posting::Input => Some(Origin::Input(queue)),
        _ => None,
    }
}
