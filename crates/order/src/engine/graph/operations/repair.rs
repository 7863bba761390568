//! Lets an event that runs begin after something that it came to follow only later.
//!
//! LOOPER-ATOMIC reaches back: what an event follows after its begin, its begin should have followed.
//! The begin's clock and those of all nodes that follow it are then joined with what was missing, and
//! the rules are applied again to these nodes. They all lie between that begin and the current
//! operation, and most often they are few. If they are more than a share of the trace, or if a rule is
//! concerned that is not applied again here, the conclusion is left to another sweep
//! ([`Late`](super::late::Late)).
//!
//! Every such join is sound and monotone, so their order does not matter, and the result is complete
//! when no rule has anything to add.

use trace::{Enqueue, EventId, Id, Op, OpId, Posting};

use super::begin::Known;
use super::nodes::NodeId;
use super::order_so_far::Incoming;
use super::queue_order::TakenOver;
use super::sweep::Sweep;
use crate::engine::graph::clock::Clock;

/// A begin to which the rules are to be applied again.
struct Again {
    event: EventId,
    /// The clock of the begin when all rules were last applied to it.
    settled: Clock,
    /// Ends that it must follow.
    ends: Vec<NodeId>,
}

impl Sweep<'_> {
    /// Lets `event` begin after `ends`. False where that is for another sweep.
    pub(crate) fn begin_after(&mut self, event: EventId, ends: Vec<NodeId>) -> bool {
        let Some(begin) = self.events.begin[event.index()].filter(|_| self.can_repair()) else {
            return false;
        };
        let settled = self.order.nodes.stamp(begin).clock;
        let mut work = vec![Again { event, settled, ends }];
        while let Some(again) = work.pop() {
            let begin = self.events.begin[again.event.index()].expect("it has begun");
            let rest = self.order.nodes.len() - begin.0 as usize;
            let Some(left) = self.patience.checked_sub(rest) else { return false };
            self.patience = left;
            self.order.lists.forget(begin);
            let clock = self.begin_again(begin, again);
            if !self.spread(begin, clock, &mut work) {
                return false;
            }
        }
        true
    }

    /// Whether the rules that are on are those that are applied again here.
    fn can_repair(&self) -> bool {
        self.plan.events_are_ordered() && self.plan.atomic_from_operation.is_none()
    }

    /// Applies the rules to a begin that knows more than it did; what it knows then.
    fn begin_again(&mut self, begin: NodeId, Again { event, settled, ends }: Again) -> Clock {
        let now = self.order.op(begin);
        let (clock, first_edge) = (self.order.nodes.stamp(begin).clock, self.order.edges.len());
        let mut incoming = Incoming { clock, first_edge, after: Vec::new() };
        let rule = self.plan.atomic_from_begin;
        self.order.take_each(&mut incoming, ends.into_iter().map(|end| (end, rule)).collect());
        let message = self.message(event).filter(|message| message.post < begin);
        if let Some(message) = message {
            let clock = self.events.taken[event.index()];
            let taken = TakenOver { clock, ..TakenOver::default() };
            self.follow_posts(&mut incoming, message, &taken, (now, false));
        }
        let looper = self.trace.looper_of(event);
        let known = Known { base: settled, foreseen: Clock::EMPTY };
        self.settle_begin(&mut incoming, message, (event, looper), known, now);
        for edge in &mut self.order.edges[first_edge..] {
            edge.to = begin;
        }
        self.order.nodes.set_clock(begin, incoming.clock);
        incoming.clock
    }

    /// Joins the clock of a begin into everything that follows it. Returns false if that concerns a
    /// conclusion that another sweep must make.
    fn spread(&mut self, begin: NodeId, clock: Clock, work: &mut Vec<Again>) -> bool {
        for i in begin.0 + 1..self.order.nodes.len() as u32 {
            let node = NodeId(i);
            if !self.order.nodes.reaches(begin, node) {
                continue;
            }
            let known = self.order.nodes.stamp(node).clock;
            let joined = self.order.nodes.clocks.join(known, clock);
            if joined != known {
                self.order.nodes.set_clock(node, joined);
                if !self.react(node, known, work) {
                    return false;
                }
            }
        }
        true
    }

    /// Applies the rules to a node that follows more than `known`. Returns false if another sweep must
    /// do so.
    fn react(&mut self, node: NodeId, known: Clock, work: &mut Vec<Again>) -> bool {
        let op = self.order.op(node);
        let task = self.order.nodes.tasks_of[node.0 as usize];
        if let Some(event) = self.begun_at(node) {
            apply_again(work, event, known, Vec::new());
            return true;
        }
        match self.trace.op(op) {
            Op::Remove(event) if self.concerns_removal(node, op, event) => return false,
            Op::Enqueue(enqueue) if self.events.post[enqueue.event.index()] == Some(node) => {
                if self.events.begin[enqueue.event.index()].is_some_and(|begin| begin < node) {
                    return false;
                }
                self.post_knows_more(node, enqueue, work);
            }
            _ => {}
        }
        if self.is_event(task) {
            let event = EventId(task.0);
            let ends = self.ends_to_follow(event, known, node);
            if !ends.is_empty() {
                let begin = self.events.begin[event.index()].expect("its end must be followed");
                let settled = self.order.nodes.stamp(begin).clock;
                apply_again(work, event, settled, ends);
            }
        }
        true
    }

    /// Schedules the begins that depend on what a post follows: that of its own message, and for a
    /// post to the front those of all messages that waited behind it.
    fn post_knows_more(&mut self, post: NodeId, enqueue: Enqueue, work: &mut Vec<Again>) {
        let is_front = self.plan.front.is_some() && enqueue.posting == Posting::Front;
        let later = (post.0 + 1..self.order.nodes.len() as u32).map(NodeId);
        let begun: Vec<(EventId, NodeId)> = match self.events.begin[enqueue.event.index()] {
            _ if is_front => later.filter_map(|node| Some((self.begun_at(node)?, node))).collect(),
            begin => begin.map(|begin| (enqueue.event, begin)).into_iter().collect(),
        };
        for (event, begin) in begun {
            let of_queue = self.trace.event(event).queue == self.trace.event(enqueue.event).queue;
            if of_queue {
                apply_again(work, event, self.order.nodes.stamp(begin).clock, Vec::new());
            }
        }
    }

    /// The event that begins at a node.
    fn begun_at(&self, node: NodeId) -> Option<EventId> {
        match self.trace.op(self.order.op(node)) {
            Op::Begin(event) if self.events.begin[event.index()] == Some(node) => Some(event),
            _ => None,
        }
    }

    /// Whether MSG-REMOVE has something to say about a removal that it had not.
    fn concerns_removal(&self, node: NodeId, op: OpId, event: EventId) -> bool {
        let (Some(post), Some(begin)) =
            (self.events.post[event.index()], self.events.begin[event.index()])
        else {
            return false;
        };
        let is_over = self.order.op(begin) < op;
        is_over && self.order.nodes.reaches(post, node) && !self.order.nodes.reaches(begin, node)
    }
}

/// Adds a begin to those to which the rules are to be applied again.
fn apply_again(work: &mut Vec<Again>, event: EventId, settled: Clock, ends: Vec<NodeId>) {
    match work.iter_mut().find(|again| again.event == event) {
        Some(again) => again.ends.extend(ends),
        None => work.push(Again { event, settled, ends }),
    }
}
