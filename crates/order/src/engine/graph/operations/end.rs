//! The end of an event, and what an event that runs demands of its begin.

use trace::{Enqueue, Event, EventId, Id, OpId, Posting, QueueId};

use super::nodes::{NodeId, TaskId};
use super::sweep::Sweep;
use crate::engine::graph::clock::Clock;

impl Sweep<'_> {
    pub(crate) fn end(&mut self, op: OpId, event: EventId) {
        let (task, incoming) = self.incoming(op);
        let node = self.node(op, (task, incoming));
        let thread = self.trace.thread_of(op);
        let row = self.trace.event(event);
        let looper = self.trace.looper_of(event);
        if !self.plan.events_are_ordered() {
            self.demand_whole(event, Clock::EMPTY, node);
        }
        self.events.end[event.index()] = Some(node);
        if self.plan.events_are_ordered() {
            self.order.nodes.finish(task);
            self.order.lists.add(&mut self.threads[thread.index()].lists.over, node);
        }
        self.events.checked.remove(&event);
        self.threads[thread.index()].open.retain(|&e| e != event);
        if let Some(looper) = looper {
            self.queues[looper.index()].close(event, node);
            let begin_thread = row.begin.map_or(thread, |begin| self.trace.thread_of(begin));
            let list = &mut self.threads[begin_thread.index()].lists.looper_ends;
            self.order.lists.add(list, node);
            self.close_for_open(op, looper, event, node);
        }
        if let (Some(queue), Some(enqueue)) = (row.queue, self.trace.posting_of(event)) {
            self.log_end(queue, enqueue, &row, node);
        }
    }

    /// Applies LOOPER-ATOMIC to an event whose operation `node` follows more than `known`, which was
    /// settled before: whatever began before the event's end must have ended before its begin.
    pub(crate) fn demand_whole(&mut self, event: EventId, known: Clock, node: NodeId) {
        let ends = self.ends_to_follow(event, known, node);
        if !ends.is_empty() && !self.begin_after(event, ends.clone()) {
            for end in ends {
                self.conclude_late(event, end, self.plan.atomic_from_begin);
            }
        }
    }

    /// Returns the ends that the begin of an event should follow by LOOPER-ATOMIC, because `node`, an
    /// operation of the event, follows more than `known`.
    pub(crate) fn ends_to_follow(
        &mut self,
        event: EventId,
        known: Clock,
        node: NodeId,
    ) -> Vec<NodeId> {
        let mut ends = Vec::new();
        let begin =
            self.events.begin[event.index()].filter(|_| self.plan.atomic_from_begin.is_some());
        let (Some(begin), Some(looper)) = (begin, self.trace.looper_of(event)) else { return ends };
        if self.trace.event(event).end.is_none() {
            return ends;
        }
        let every = !self.plan.events_are_ordered();
        let begin_op = self.order.op(begin);
        let stamp = self.order.nodes.stamp(node);
        let mut upto = stamp.clock;
        if every {
            upto = self.order.nodes.clocks.with(upto, stamp.chain, stamp.position);
        }
        let begins = &self.queues[looper.index()].begins;
        begins.gained(&self.order.nodes.clocks, (known, upto), &mut |begun| {
            for (_, other) in begun.iter().rev() {
                let ended =
                    self.events.end[other.index()].filter(|&end| self.order.op(end) < begin_op);
                let Some(ended) = ended else { continue };
                if !self.order.nodes.reaches(ended, begin) {
                    ends.push(ended);
                }
                if !every {
                    break;
                }
            }
        });
        ends
    }

    /// Applies ATOMIC to the open events of a looper when an event that overlaps them ends.
    fn close_for_open(&mut self, op: OpId, looper: QueueId, event: EventId, end: NodeId) {
        if self.plan.atomic_from_operation.is_none() || !self.plan.events_are_ordered() {
            return;
        }
        let Some(begin) = self.events.begin[event.index()] else { return };
        for other in self.queues[looper.index()].open.clone() {
            let task = TaskId(other.0);
            let knows = self
                .order
                .nodes
                .last(task)
                .is_some_and(|last| self.order.nodes.reaches(begin, last));
            if knows && other != event {
                let thread = self.trace.thread_of(op);
                self.follow_from(
                    (task, thread),
                    Some(other),
                    op,
                    end,
                    self.plan.atomic_from_operation,
                );
            }
        }
    }

    /// Logs the end of an event for NATIVE, INPUT and IPC-HANDLE.
    fn log_end(&mut self, queue: QueueId, enqueue: Enqueue, row: &Event, node: NodeId) {
        let kind = self.trace.queue(queue).kind;
        if self.plan.native(enqueue.posting, kind).is_some() {
            let is_display = usize::from(enqueue.posting == Posting::Display);
            let list = &mut self.queues[queue.index()].native[is_display];
            self.order.lists.add(list, node);
        }
        if enqueue.posting == Posting::Ipc && self.plan.ipc_handle_at(kind).is_some() {
            let posted = row.enqueue.expect("it was posted");
            let process = self.trace.thread(self.trace.thread_of(posted)).process;
            let of_queue = &mut self.queues[queue.index()];
            let list = of_queue.ipc.entry((process, enqueue.sync)).or_default();
            let latest = list.ended.last().map_or(posted, |&(_, _, latest)| latest.max(posted));
            list.ended.push((posted, node, latest));
            self.order.lists.add(&mut list.list, node);
        }
    }
}
