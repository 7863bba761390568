//! The begin of an event: everything that the rules of dispatch let it follow.

use trace::{Enqueue, Event, EventId, Id, OpId, Posting, ProcessId, QueueId};

use super::nodes::NodeId;
use super::order_so_far::Incoming;
use super::queue_order::Message;
use super::sweep::Sweep;
use crate::engine::graph::clock::Clock;
use crate::rule::Rule;

/// Clocks that bound the search of [`Sweep::settle_begin`].
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// A part of the begin's clock: the begin follows the end of everything that began in it.
    pub(crate) base: Clock,
    /// The joined clocks of what the event is going to follow.
    pub(crate) foreseen: Clock,
}

impl Sweep<'_> {
    pub(crate) fn begin(&mut self, op: OpId, event: EventId) {
        let (task, mut incoming) = self.incoming(op);
        let row = self.trace.event(event);
        let thread = self.trace.thread_of(op);
        let looper = self.trace.looper_of(event);
        if looper.is_some() {
            let inits = self.threads[thread.index()].lists.inits;
            self.order.take_all(&mut incoming, inits, self.plan.init_begin);
        }
        let mut base = Clock::EMPTY;
        if let (Some(queue), Some(enqueue)) = (row.queue, self.trace.posting_of(event)) {
            self.dispatched(&mut incoming, queue, enqueue, &row);
        }
        let message = self.message(event);
        if let Some(message) = message {
            self.order.take(&mut incoming, message.post, self.plan.enqueue_begin);
            base = self.posted_before(&mut incoming, message, op);
        }
        self.concluded_late(&mut incoming, event);
        let foreseen = self.foreseen(event);
        self.settle_begin(&mut incoming, message, (event, looper), Known { base, foreseen }, op);
        let node = self.node(op, (task, incoming));
        self.window.iter_mut().for_each(|window| window.begin(op));
        self.events.begin[event.index()] = Some(node);
        self.threads[thread.index()].open.push(event);
        if let Some(looper) = looper {
            let stamp = self.order.nodes.stamp(node);
            self.queues[looper.index()].begins.push(stamp.chain, stamp.position, event);
            self.queues[looper.index()].open.push(event);
        }
    }

    /// Adds what earlier passes concluded about a begin after they had passed it.
    fn concluded_late(&mut self, incoming: &mut Incoming, event: EventId) {
        for (op, rule) in self.late.about(event) {
            if let Some(from) = self.operation_node(op) {
                self.order.take(incoming, from, Some(rule));
            }
        }
    }

    /// Returns the node of an end, or of a barrier's removal, that the pass has passed.
    fn operation_node(&self, op: OpId) -> Option<NodeId> {
        match self.trace.op(op) {
            trace::Op::End(event) => self.events.end[event.index()],
            _ => self.barrier_removals.get(&op).copied(),
        }
    }

    /// Applies NATIVE, INPUT and IPC-HANDLE, which order messages as the trace does.
    fn dispatched(
        &mut self,
        incoming: &mut Incoming,
        queue: QueueId,
        enqueue: Enqueue,
        row: &Event,
    ) {
        let kind = self.trace.queue(queue).kind;
        let native = self.plan.native(enqueue.posting, kind);
        let is_display = usize::from(enqueue.posting == Posting::Display);
        self.order.take_all(incoming, self.queues[queue.index()].native[is_display], native);
        let posted = row.enqueue.expect("it was posted");
        if enqueue.posting == Posting::Ipc
            && let Some(rule) = self.plan.ipc_handle_at(kind)
        {
            let process = self.trace.thread(self.trace.thread_of(posted)).process;
            for sync in [true, false] {
                if sync || !enqueue.sync {
                    self.handled_before(incoming, queue, (process, sync), posted, rule);
                }
            }
        }
    }

    fn handled_before(
        &mut self,
        incoming: &mut Incoming,
        queue: QueueId,
        key: (ProcessId, bool),
        posted: OpId,
        rule: &'static Rule,
    ) {
        let Some(list) = self.queues[queue.index()].ipc.get(&key) else { return };
        let all = list.ended.partition_point(|&(_, _, latest)| latest < posted);
        let others = list.ended[all..].iter().filter(|&&(post, ..)| post < posted);
        let others = others.map(|&(_, end, _)| (end, Some(rule))).collect();
        if let Some(prefix) = self.order.lists.prefix(list.list, all) {
            self.order.take_prefix(incoming, prefix, rule);
        }
        self.order.take_each(incoming, others);
    }

    /// Applies the rules whose premises mention the begin itself: LOOPER-ATOMIC, ATOMIC, MSG-BEGIN-2
    /// and ATFRONT. Repeats until none of them adds anything.
    pub(crate) fn settle_begin(
        &mut self,
        incoming: &mut Incoming,
        message: Option<Message>,
        (event, looper): (EventId, Option<QueueId>),
        Known { base, foreseen }: Known,
        now: OpId,
    ) {
        let Some(looper) = looper else { return };
        let atomic = self
            .plan
            .atomic_from_begin
            .filter(|_| self.plan.events_are_ordered() && self.trace.event(event).end.is_some());
        let overlapping = self.skeleton.overlapping[looper.index()];
        let mut from = if overlapping { Clock::EMPTY } else { base };
        if !overlapping && self.plan.events_are_ordered() {
            let settled = self.settled(incoming, (event, looper));
            from = self.order.nodes.clocks.join(from, settled);
        }
        self.events.checked.insert(event, from);
        loop {
            let upto = incoming.clock;
            self.follow_begun(incoming, event);
            if let Some(rule) = atomic {
                let upto = self.order.nodes.clocks.join(upto, foreseen);
                let mut ends = Vec::new();
                let begins = &self.queues[looper.index()].begins;
                begins.gained(&self.order.nodes.clocks, (from, upto), &mut |begun| {
                    let end = begun.last().and_then(|(_, m)| self.events.end[m.index()]);
                    let end = end.filter(|&end| self.order.op(end) < now);
                    ends.extend(end.map(|end| (end, Some(rule))));
                });
                self.order.take_each(incoming, ends);
                from = upto;
            }
            if let Some(message) = message {
                self.fronts_between(incoming, message, now);
            }
            if incoming.clock == upto {
                return;
            }
        }
    }

    /// Returns the joined clocks of what an event that begins is going to follow, as far as that has
    /// happened. What happens only while the event runs is added to its begin then
    /// ([`repair`](super::repair)).
    fn foreseen(&mut self, event: EventId) -> Clock {
        let mut clock = Clock::EMPTY;
        if self.plan.atomic_from_begin.is_none() {
            return clock;
        }
        let skeleton = self.skeleton;
        for &op in skeleton.learners.get(&event).into_iter().flatten() {
            for (list, rule) in self.followed_by(op) {
                if let (Some(_), Some(prefix)) = (rule, self.order.lists.all(list)) {
                    let all = self.order.lists.clock(&mut self.order.nodes, prefix);
                    clock = self.order.nodes.clocks.join(clock, all);
                }
            }
        }
        clock
    }

    /// Returns the clock of the begin of a late event of the looper that `incoming` follows. In that
    /// clock, every event of the looper that has begun has ended.
    fn settled(&self, incoming: &Incoming, (event, looper): (EventId, QueueId)) -> Clock {
        let known = |&node: &NodeId| self.order.nodes.covers(incoming.clock, node);
        let hint = self.hints.of_post[event.index()].map(|hint| hint.begin).filter(known);
        let late = self.queues[looper.index()].late_ends.iter().rev().copied().find(known);
        let after = incoming.after.iter().filter_map(|&node| {
            let task = self.order.nodes.tasks_of[node.0 as usize];
            self.begin_of(task).filter(|&(of, _)| of == looper).map(|(_, begin)| begin)
        });
        let latest = after.chain(hint).chain(late).max();
        latest.map_or(Clock::EMPTY, |node| self.order.nodes.stamp(node).clock)
    }

    /// Applies MSG-BEGIN-2 and ATFRONT: a message follows the events that were posted to the front
    /// between its post and its begin.
    fn fronts_between(&mut self, incoming: &mut Incoming, message: Message, now: OpId) {
        if self.plan.front.is_none() || !self.plan.waits(message.posting) {
            return;
        }
        let fronts = &self.queues[message.queue.index()].posts.fronts;
        let later = fronts.partition_point(|(post, _)| post.node <= message.post);
        let ends: Vec<_> = fronts[later..]
            .iter()
            .filter(|&&(post, is_async)| {
                post.end < now
                    && self.plan.front_passes(is_async, message.enqueue.is_async)
                    && self.order.nodes.covers(incoming.clock, post.node)
                    && self.order.nodes.reaches(message.post, post.node)
            })
            .map(|(post, _)| self.events.end[post.event.index()])
            .collect();
        for end in ends {
            self.order.take(
                incoming,
                end.expect("an event that ended has a node"),
                self.plan.front,
            );
        }
    }

    /// Applies ATOMIC: an operation of an event that follows the begin of another event of the looper
    /// follows its end.
    pub(crate) fn follow_begun(&mut self, incoming: &mut Incoming, event: EventId) {
        let (Some(rule), Some(looper)) =
            (self.plan.atomic_from_operation, self.trace.looper_of(event))
        else {
            return;
        };
        let every = !self.plan.events_are_ordered();
        let mut from =
            self.events.checked.get(&event).copied().filter(|_| !every).unwrap_or_default();
        loop {
            let upto = incoming.clock;
            let mut ends = Vec::new();
            let begins = &self.queues[looper.index()].begins;
            begins.gained(&self.order.nodes.clocks, (from, upto), &mut |begun| {
                let begun = begun.iter().rev().filter(|&&(_, other)| other != event);
                let counted = begun.take(if every { usize::MAX } else { 1 });
                let ended = counted.filter_map(|(_, m)| self.events.end[m.index()]);
                ends.extend(ended.map(|end| (end, Some(rule))));
            });
            self.order.take_each(incoming, ends);
            from = upto;
            if incoming.clock == upto {
                break;
            }
        }
        self.events.checked.insert(event, from);
    }

    /// Returns the message of an event, if the sweep has passed its post.
    pub(crate) fn message(&self, event: EventId) -> Option<Message> {
        let (queue, enqueue) = (self.trace.event(event).queue?, self.trace.posting_of(event)?);
        let post = self.events.post[event.index()]?;
        let posting = self.plan.posting(enqueue);
        Some(Message { event, queue, enqueue, posting, post })
    }
}
