//! Operations that begin and end events, and those that state what an event follows.

use trace::{EventId, Op, Posting, QueueId};

use super::state::{Cause, NEVER, Post, Registered, Sequence, Slot};
use super::{EventStream, Row, Word};
use crate::rules::causes::Kind;

impl EventStream {
    pub(super) fn enqueue(&mut self, row: &Row) {
        let Op::Enqueue(enqueue) = row.op else { return };
        let slot = self.events.slot_or_new(enqueue.event);
        if self.events[slot].queue.is_some() {
            return;
        }
        self.events[slot].queue = Some(enqueue.queue);
        self.queue(enqueue.queue);
        if self.events[slot].has_begun() {
            self.approximations += 1;
            return;
        }
        self.events[slot].is_input = enqueue.posting == Posting::Input;
        let Some(poster) = self.running(row.event) else { return };
        self.refresh(poster);
        self.place(poster);
        self.pin(poster);
        let mut delays = (0..).zip(&self.plan.queue_orders);
        let class = delays.find_map(|(class, delay)| Some((class, delay(enqueue.posting)?)));
        let of_poster = &self.events[poster];
        let post = Post {
            number: row.number,
            poster,
            chain: of_poster.chain,
            position: of_poster.position,
            queue: enqueue.queue,
            class,
            is_clean: !self.knows_open(poster),
        };
        self.events[slot].post = Some(post);
        self.log_post(slot, &post);
    }

    /// Whether an event follows one that still runs.
    fn knows_open(&self, slot: Slot) -> bool {
        let clock = self.events[slot].clock;
        let mut open = self.threads.iter().flat_map(|thread| &thread.open);
        open.any(|&other| other != slot && self.is_in(clock, other))
    }

    pub(super) fn begin(&mut self, slot: Slot, row: &Row) {
        let thread = row.thread;
        for i in 0..self.thread(thread).open.len() {
            let open = self.thread(thread).open[i];
            self.events[open].is_overlapped = true;
        }
        let kind = match row.word {
            Word::Microtask => Kind::Microtask,
            Word::Listener => Kind::Listener,
            Word::Module => Kind::Module,
            _ => Kind::Task,
        };
        let id = {
            let event = &mut self.events[slot];
            (event.begin, event.thread, event.kind) = (row.number, thread, kind);
            event.is_stale = true;
            event.id
        };
        self.start_above_floor(slot);
        if let Some(post) = self.events[slot].post {
            if self.plan.fork {
                self.add_source(slot, post.poster, true);
            }
            let poster = self.events[post.poster].id;
            self.events[slot].calls.push((poster, post.number));
        }
        self.begin_in_task(slot, row);
        self.begin_in_queue(slot);
        for from in std::mem::take(&mut self.events[slot].arcs) {
            self.arc_to_running(from, slot);
        }
        self.epoch += 1;
        self.window.begun(self.epoch, self.number);
        self.unsettled.push(slot);
        let of_thread = self.thread(thread);
        of_thread.open.push(slot);
        of_thread.events.push_back((id, slot));
    }

    /// Applies TASK-ORDER.
    fn begin_in_task(&mut self, slot: Slot, row: &Row) {
        let kind = self.events[slot].kind;
        let of_thread = self.thread(row.thread);
        if !kind.is_part() {
            if row.word != Word::Settlement {
                let listeners = std::mem::take(&mut of_thread.listeners);
                let earlier = of_thread.head.replace(slot);
                self.pin(slot);
                let passed = listeners.running.into_iter().chain(listeners.last).chain(earlier);
                passed.for_each(|slot| self.unpin(slot));
            }
            return;
        }
        let Some(head) = of_thread.head.filter(|_| self.plan.task_order) else { return };
        self.order(head, slot);
        if kind == Kind::Listener {
            let mut listeners = std::mem::take(&mut self.thread(row.thread).listeners);
            self.follow_sequence(&mut listeners, slot);
            self.thread(row.thread).listeners = listeners;
        }
    }

    /// Decides whether the queue of an event is attached, and applies INPUT-ORDER.
    fn begin_in_queue(&mut self, slot: Slot) {
        let Some(queue) = self.events[slot].queue else { return };
        if self.is_attached(queue) && self.plan.input_order && self.events[slot].is_input {
            let mut inputs = std::mem::take(&mut self.queue(queue).inputs);
            self.follow_sequence(&mut inputs, slot);
            self.queue(queue).inputs = inputs;
        }
    }

    /// Whether a queue is attached, as of the begin of its first event.
    pub(super) fn is_attached(&mut self, queue: QueueId) -> bool {
        let of_queue = self.queue(queue);
        let is_attached = of_queue.is_attached;
        of_queue.decided.get_or_insert(is_attached);
        is_attached
    }

    /// Lets an event that begins follow the last ones of a sequence that have ended, and joins it.
    fn follow_sequence(&mut self, sequence: &mut Sequence, slot: Slot) {
        sequence.running.sort_by_key(|&other| self.events[other].end);
        let ended = sequence.running.partition_point(|&other| self.events[other].end != NEVER);
        for done in sequence.running.drain(..ended) {
            let begin = self.events[done].begin;
            let (last, passed) =
                sequence.last.drain(..).partition(|&other| self.events[other].end > begin);
            sequence.last = last;
            let passed: Vec<Slot> = passed;
            for other in passed {
                self.unpin(other);
            }
            sequence.last.push(done);
        }
        for i in 0..sequence.last.len() {
            self.add_source(slot, sequence.last[i], true);
        }
        self.pin(slot);
        sequence.running.push(slot);
    }

    /// Lets an event follow another one that had ended when it began.
    fn order(&mut self, from: Slot, to: Slot) {
        if self.events[from].end < self.events[to].begin {
            self.add_source(to, from, true);
        }
    }

    /// Lets an event follow another one from its begin on.
    pub(super) fn add_source(&mut self, to: Slot, from: Slot, is_cause: bool) {
        if !self.events[to].sources.contains(&from) {
            self.refresh(from);
            self.place(from);
            self.pin(from);
            self.events[to].sources.push(from);
            self.events[to].is_stale = true;
        }
        let source = &self.events[from];
        let cause = Cause {
            event: source.id,
            chain: source.chain,
            position: source.position,
            begin: source.begin,
            call: None,
        };
        let event = &mut self.events[to];
        if is_cause
            && event.kind.is_part()
            && event.causes.iter().all(|known| known.event != cause.event)
        {
            event.causes.push(cause);
            event.is_stale = true;
        }
    }

    pub(super) fn arc(&mut self, from: EventId, to: EventId) {
        let slot = self.events.slot(to).filter(|&slot| self.events[slot].has_begun());
        let Some(slot) = slot else {
            if self.window.has_dropped(to) {
                self.approximations += 1;
            } else {
                let slot = self.events.slot_or_new(to);
                self.events[slot].arcs.push(from);
            }
            return;
        };
        if self.events[slot].is_open() {
            self.arc_to_running(from, slot);
        } else {
            self.arc_to_ended(from, slot);
        }
    }

    fn arc_to_running(&mut self, from: EventId, slot: Slot) {
        if let Some(from) = self.events.slot(from) {
            self.order(from, slot);
        } else {
            // The floor orders the two, but the part does not know its cause.
            let is_part = self.events[slot].kind.is_part();
            self.approximations += u64::from(is_part && self.window.has_dropped(from));
        }
    }

    /// An arc that is read after its target has ended comes too late for parts, which others may have
    /// been compared with, and for events that are settled.
    fn arc_to_ended(&mut self, from: EventId, slot: Slot) {
        let Some(from) = self.events.slot(from) else {
            self.approximations += u64::from(self.window.has_dropped(from));
            return;
        };
        let event = &self.events[slot];
        if self.events[from].end >= event.begin {
            return;
        }
        if event.kind.is_part() {
            let id = self.events[from].id;
            let is_known = event.causes.iter().any(|cause| cause.event == id);
            self.approximations += u64::from(!is_known);
        } else if !event.is_settled {
            self.order(from, slot);
        } else {
            let clock = event.clock;
            self.approximations += u64::from(!self.is_in(clock, from));
        }
    }

    pub(super) fn register(&mut self, callback: u32, registered: Registered) {
        registered.by.into_iter().for_each(|by| self.pin(by));
        let old = self.callbacks.insert(callback, registered);
        old.and_then(|old| old.by).into_iter().for_each(|by| self.unpin(by));
    }

    pub(super) fn invoke(&mut self, slot: Slot, callback: u32) {
        let Some(&Registered { by, number }) = self.callbacks.get(&callback) else {
            self.approximations += u64::from(self.window.has_spent(callback));
            return;
        };
        let Some(by) = by else { return };
        if self.events[slot].kind.is_part() {
            let id = self.events[by].id;
            self.events[slot].calls.push((id, number));
            self.events[slot].is_stale = true;
        }
        if self.plan.listener {
            self.order(by, slot);
        }
        // A reaction of a promise runs once.
        if self.window.is_on() && self.events[slot].kind == Kind::Microtask {
            self.callbacks.remove(&callback);
            self.window.spend(callback);
            self.unpin(by);
        }
    }

    /// With a window, a message that is taken back is forgotten.
    pub(super) fn remove(&mut self, event: EventId) {
        let Some(slot) = self.events.slot(event) else { return };
        if self.window.is_on() && !self.events[slot].has_begun() {
            self.window.note_dropped(event);
            self.forget_message(slot);
        }
    }

    pub(super) fn end(&mut self, slot: Slot) {
        self.refresh(slot);
        self.place(slot);
        let (thread, chain) = (self.events[slot].thread, self.events[slot].chain);
        self.events[slot].end = self.number;
        self.events[slot].end_epoch = self.epoch;
        self.chains.free(chain, self.epoch);
        self.thread(thread).open.retain(|&open| open != slot);
        self.list_part(slot);
        self.window.ended(slot);
        if let Some(watched) = self.watched.get_mut(&self.events[slot].id) {
            watched.end = Some((chain, self.events[slot].position));
        }
        self.ends_since_look += 1;
        if 8 * self.ends_since_look >= self.unsettled.len() {
            self.look();
        }
    }
}
