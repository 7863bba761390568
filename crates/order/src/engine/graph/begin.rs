//! What happens when a message is posted, and when its event begins and ends.

use trace::{Enqueue, Event, EventId, Id, OpId, Posting, QueueId, QueueKind};

use super::barriers::Taken;
use super::clock::Clock;
use super::nodes::{NodeId, Stamp, TaskId};
use super::sends::{Accepted, ClassKey, Found, Kind, Sent, Settling, Span};
use super::sweep::{Incoming, Sweep};
use crate::rule::Rule;

/// A message as its queue sees it.
#[derive(Clone, Copy)]
struct Message {
    event: EventId,
    queue: QueueId,
    enqueue: Enqueue,
    posting: Posting,
    /// Where it was posted.
    post: NodeId,
}

/// The class of a message, if its like keep their order.
fn class(posting: Posting, is_async: bool) -> Option<ClassKey> {
    match posting {
        Posting::Delayed(delay) => Some((0, delay, is_async)),
        Posting::AtTime(time) => Some((1, time, is_async)),
        Posting::Idle => Some((2, 0, is_async)),
        _ => None,
    }
}

impl Sweep<'_> {
    /// Notes a post for those that come after it.
    pub(crate) fn log_post(&mut self, op: OpId, node: NodeId, enqueue: Enqueue, row: &Event) {
        let Some(queue) = row.queue else { return };
        let posting = self.plan.posting(enqueue);
        if let (Some(begin), Some(end)) = (row.begin, row.end) {
            let stamp = self.nodes.stamp(node);
            let sent = Sent::new(stamp.position, node, enqueue.event, end);
            let flag = usize::from(enqueue.is_async);
            let orders_async_calls = self.orders_async_calls(queue, enqueue);
            let sends = &mut self.sends[queue.index()];
            let is_looper = self.trace.queue(queue).kind == QueueKind::Looper;
            if let Some(class) = class(posting, enqueue.is_async).filter(|_| is_looper) {
                sends.note(class, sent);
            }
            match posting {
                Posting::Delayed(delay) if is_looper => {
                    sends.of_chain(stamp.chain).delayed[flag].push(delay, begin, sent);
                }
                Posting::AtTime(time) if is_looper && self.plan.times_order() => {
                    sends.of_chain(stamp.chain).at_time[flag].push(time, begin, sent);
                }
                Posting::Idle if is_looper && self.plan.idle_waits() => {
                    sends.of_chain(stamp.chain).idle[flag].push(0, begin, sent);
                }
                Posting::Front if is_looper => {
                    sends.push_front(stamp.chain, enqueue.is_async, sent);
                }
                Posting::Ipc if orders_async_calls => {
                    let thread = i64::from(self.trace.thread_of(op).0);
                    sends.of_chain(stamp.chain).ipc.push(thread, begin, sent);
                }
                _ => {}
            }
        }
        if row.begin.is_some_and(|begin| begin < op) {
            let message = Message { event: enqueue.event, queue, enqueue, posting, post: node };
            self.posted_late(message, row);
        }
    }

    /// Whether IPC-ASYNC says anything about a message: what IPC-HANDLE says implies it.
    fn orders_async_calls(&self, queue: QueueId, enqueue: Enqueue) -> bool {
        self.plan.ipc_async.is_some()
            && self.plan.ipc_handle.is_none()
            && self.plan.ipc_queue(self.trace.queue(queue).kind)
            && !enqueue.sync
    }

    /// What the post of a message that had begun before it says about that begin.
    fn posted_late(&mut self, message: Message, row: &Event) {
        let begin = row.begin.expect("it has begun");
        let known = self.begins[message.event.index()].expect("a begin in the past is a node");
        let mut found = Found::default();
        self.search(message, None, begin, false, &mut found);
        for (event, kind) in found.ends {
            let end = self.ends[event.index()].expect("an event that ended has a node");
            self.conclude_late(message.event, known, end, self.rule_of(kind));
        }
        for (_, nodes) in self.removed_barriers(message, begin, false) {
            for node in nodes {
                self.conclude_late(message.event, known, node, self.plan.remove_barrier);
            }
        }
    }

    /// from ≺ begin(event), found when the begin is in the past: news, unless known there.
    fn conclude_late(
        &mut self,
        event: EventId,
        begin: NodeId,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        if let Some(rule) = rule
            && !self.nodes.reaches(from, begin)
        {
            let op = self.nodes.ops[from.0 as usize];
            self.late.0.entry(event).or_default().insert(op, rule);
            self.found_late = true;
        }
    }

    fn rule_of(&self, kind: Kind) -> Option<&'static Rule> {
        match kind {
            Kind::Posted => self.plan.posted_in_order,
            Kind::Timed => self.plan.time_rule(),
            Kind::Ipc => self.plan.ipc_async,
        }
    }

    /// The rule that orders messages of one class.
    fn own_rule(&self, message: Message) -> Option<&'static Rule> {
        match message.posting {
            Posting::AtTime(_) => self.plan.time_rule(),
            Posting::Idle if !self.plan.idle_waits() => None,
            _ => self.plan.posted_in_order,
        }
    }

    /// Which posts to its queue keep ahead of a message, if they come before it.
    fn accepted(&self, message: Message) -> Option<Accepted> {
        let plan = self.plan;
        let is_async = message.enqueue.is_async;
        let in_order = plan.posted_in_order.is_some();
        let mut accepted = Accepted {
            delayed: None,
            at_time: None,
            idle: false,
            front: in_order,
            ipc: None,
            flags: [plan.keeps(false, false, is_async), plan.keeps(true, false, is_async)],
            front_flags: [plan.keeps(false, true, is_async), plan.keeps(true, true, is_async)],
        };
        let is_looper = self.trace.queue(message.queue).kind == QueueKind::Looper;
        match message.posting {
            Posting::Delayed(delay) if is_looper && in_order => {
                accepted.delayed = Some(i64::MIN..=delay);
            }
            Posting::AtTime(time) if is_looper => {
                accepted.at_time = plan.times_order().then_some(i64::MIN..=time);
            }
            Posting::Idle if is_looper && in_order && plan.idle_waits() => {
                accepted.delayed = Some(0..=0);
                accepted.idle = true;
            }
            Posting::Ipc if self.orders_async_calls(message.queue, message.enqueue) => {
                accepted.front = false;
                let op = self.nodes.ops[message.post.0 as usize];
                accepted.ipc = Some(i64::from(self.trace.thread_of(op).0));
            }
            _ => return None,
        }
        Some(accepted)
    }

    /// The posts that precede a message in happens-before and keep ahead of it, ended before `now`;
    /// only those that `base` did not know, if there is one.
    fn search(
        &mut self,
        message: Message,
        base: Option<Stamp>,
        now: OpId,
        settle: bool,
        out: &mut Found,
    ) {
        let Some(accepted) = self.accepted(message) else { return };
        let every = !self.plan.events_are_ordered();
        let stamp = self.nodes.stamp(message.post);
        let sends = &mut self.sends[message.queue.index()];
        let mut spans: Vec<(usize, Span)> = Vec::new();
        if let Some(base) = base {
            let mut add = |chain, above, upto| {
                spans.extend(sends.find(chain).map(|i| (i, Span { above, upto, every })));
            };
            add(stamp.chain, self.nodes.reach(base, stamp.chain), stamp.position - 1);
            self.nodes.clocks.gained(base.clock, stamp.clock, &mut |chain, above, upto| {
                let above = if chain == base.chain { base.position } else { above };
                if chain != stamp.chain && above < upto {
                    add(chain, above, upto);
                }
            });
        } else {
            let only_fronts =
                accepted.delayed.is_none() && accepted.at_time.is_none() && accepted.ipc.is_none();
            let with_fronts = sends.with_fronts.iter().map(|&i| i as usize);
            let chains: Vec<usize> =
                if only_fronts { with_fronts.collect() } else { (0..sends.chains.len()).collect() };
            for i in chains {
                let chain = sends.chains[i].chain;
                let upto = if chain == stamp.chain {
                    stamp.position - 1
                } else {
                    self.nodes.clocks.get(stamp.clock, chain)
                };
                if upto > 0 {
                    spans.push((i, Span { above: 0, upto, every }));
                }
            }
        }
        let mut settling = Settling { lists: &mut self.lists, ends: &self.ends };
        for (i, span) in spans {
            let chain = &mut sends.chains[i];
            chain.search(&accepted, span, now, out);
            let settling = settle.then_some(&mut settling);
            chain.search_fronts(&accepted, span, now, settling, out);
        }
    }

    /// A late message of the same class that was posted before, whose begin took over everything
    /// that precedes its post; and how far that post knew.
    fn predecessor(&self, message: Message, now: OpId) -> Option<(EventId, Stamp)> {
        if !self.plan.events_are_ordered() || self.own_rule(message).is_none() {
            return None;
        }
        let class = class(message.posting, message.enqueue.is_async)?;
        let usable = |sent: &&Sent| {
            let posted_first =
                self.begins[sent.event.index()].is_some_and(|begin| sent.post < begin);
            sent.end < now
                && sent.post < message.post
                && posted_first
                && !self.irregular.contains(&sent.event)
                && self.nodes.reaches(sent.post, message.post)
        };
        let sent = self.sends[message.queue.index()].recent(class).find(usable)?;
        Some((sent.event, self.nodes.stamp(sent.post)))
    }

    /// The removals that a message had to wait for, by the chain of their barriers' posts.
    fn removed_barriers(
        &mut self,
        message: Message,
        now: OpId,
        settle: bool,
    ) -> Vec<(Option<super::accumulator::Prefix>, Vec<NodeId>)> {
        let held = matches!(message.posting, Posting::Delayed(_)) && !message.enqueue.is_async;
        let is_looper = self.trace.queue(message.queue).kind == QueueKind::Looper;
        if self.plan.remove_barrier.is_none() || !held || !is_looper {
            return Vec::new();
        }
        let stamp = self.nodes.stamp(message.post);
        let barriers = &mut self.barriers[message.queue.index()];
        let mut found = Vec::new();
        for chain in &barriers.order {
            let upto = self.nodes.reach(stamp, *chain);
            if upto == 0 {
                continue;
            }
            let mut taken = Taken {
                lists: &mut self.lists,
                removals: &self.skeleton.removals,
                node_of: &self.barrier_removals,
            };
            let log = barriers.chains.get_mut(chain).expect("listed chains have posts");
            found.push(log.removed(&mut taken, upto, now, settle));
        }
        found
    }

    pub(crate) fn begin(&mut self, op: OpId, event: EventId) {
        let (task, mut incoming) = self.incoming(op);
        let row = self.trace.event(event);
        let thread = self.trace.thread_of(op);
        let looper = self.trace.looper_of(event);
        if looper.is_some() {
            let inits = self.threads[thread.index()].inits;
            self.take_all(&mut incoming, inits, self.plan.loop_begin);
        }
        let (mut message, mut base) = (None, Clock::EMPTY);
        if let (Some(queue), Some(enqueue)) = (row.queue, self.trace.posting_of(event)) {
            self.dispatched(&mut incoming, queue, enqueue, &row);
            message = self.posts[event.index()].map(|post| {
                let posting = self.plan.posting(enqueue);
                Message { event, queue, enqueue, posting, post }
            });
        }
        if let Some(message) = message {
            self.take(&mut incoming, message.post, self.plan.enqueue_begin);
            base = self.posted_before(&mut incoming, message, op);
        }
        self.concluded_late(&mut incoming, event);
        self.settle_begin(&mut incoming, message, (event, looper), base, op);
        let node = self.node(op, (task, incoming));
        self.begins[event.index()] = Some(node);
        self.open_on[thread.index()].push(event);
        if let Some(looper) = looper {
            let stamp = self.nodes.stamp(node);
            self.looper_begins[looper.index()].push(stamp.chain, stamp.position, event);
            self.open_in[looper.index()].push(event);
        }
    }

    /// What earlier passes concluded about a begin after they had passed it.
    fn concluded_late(&mut self, incoming: &mut Incoming, event: EventId) {
        let Some(known) = self.late.0.get(&event) else { return };
        let known: Vec<_> = known.iter().map(|(&op, &rule)| (op, rule)).collect();
        for (op, rule) in known {
            if let Some(from) = self.operation_node(op) {
                self.take(incoming, from, Some(rule));
            }
        }
    }

    /// The node of an end or of a barrier's removal in the past.
    fn operation_node(&self, op: OpId) -> Option<NodeId> {
        match self.trace.op(op) {
            trace::Op::End(event) => self.ends[event.index()],
            _ => self.barrier_removals.get(&op).copied(),
        }
    }

    /// NATIVE, INPUT and IPC-HANDLE: the order of the trace.
    fn dispatched(
        &mut self,
        incoming: &mut Incoming,
        queue: QueueId,
        enqueue: Enqueue,
        row: &Event,
    ) {
        let kind = self.trace.queue(queue).kind;
        if let Some(native) = self.plan.native_kind(enqueue.posting)
            && self.plan.native_queue(kind)
            && let Some(&list) = self.native.get(&(queue, native))
        {
            self.take_all(incoming, list, self.plan.native);
        }
        let posted = row.enqueue.expect("it was posted");
        if enqueue.posting == Posting::Ipc && self.plan.ipc_queue(kind) {
            let process = self.trace.thread(self.trace.thread_of(posted)).process;
            for sync in [true, false] {
                if sync || !enqueue.sync {
                    self.handled_before(incoming, (queue, process, sync), posted);
                }
            }
        }
    }

    fn handled_before(
        &mut self,
        incoming: &mut Incoming,
        key: (QueueId, trace::ProcessId, bool),
        posted: OpId,
    ) {
        let Some(list) = self.ipc.get(&key) else { return };
        if list.last_post < Some(posted) {
            self.take_all(incoming, list.list, self.plan.ipc_handle);
        } else {
            let earlier = list.ended.iter().filter(|(post, _)| *post < posted);
            let earlier: Vec<NodeId> = earlier.map(|&(_, end)| end).collect();
            for end in earlier {
                self.take(incoming, end, self.plan.ipc_handle);
            }
        }
    }

    /// MSG-BEGIN-1, PRIORITY, AT-TIME, IPC-ASYNC and REMOVE-BARRIER. What it follows through a
    /// message of its class is returned: events of the looper up to there are settled.
    fn posted_before(&mut self, incoming: &mut Incoming, message: Message, now: OpId) -> Clock {
        let predecessor = self.predecessor(message, now);
        let mut base = Clock::EMPTY;
        if let Some((event, _)) = predecessor {
            let end = self.ends[event.index()].expect("an event that ended has a node");
            self.take(incoming, end, self.own_rule(message));
            base = self.nodes.stamp(end).clock;
        }
        let mut found = Found::default();
        self.search(message, predecessor.map(|(_, stamp)| stamp), now, true, &mut found);
        if found.irregular {
            self.irregular.insert(message.event);
        }
        let mut ends: Vec<(NodeId, Kind)> = found
            .ends
            .iter()
            .map(|&(event, kind)| {
                (self.ends[event.index()].expect("an event that ended has a node"), kind)
            })
            .collect();
        ends.sort_unstable_by_key(|&(end, _)| std::cmp::Reverse(end));
        for (end, kind) in ends {
            self.take(incoming, end, self.rule_of(kind));
        }
        for prefix in found.prefixes {
            let rule = self.plan.posted_in_order.expect("posts to the front were searched for");
            self.take_prefix(incoming, prefix, rule);
        }
        for (prefix, nodes) in self.removed_barriers(message, now, true) {
            let rule = self.plan.remove_barrier.expect("removals were searched for");
            if let Some(prefix) = prefix {
                self.take_prefix(incoming, prefix, rule);
            }
            for node in nodes {
                self.take(incoming, node, Some(rule));
            }
        }
        base
    }

    /// Rules whose premises look at the begin itself: LOOPER-ATOMIC, ATOMIC, MSG-BEGIN-2, ATFRONT.
    fn settle_begin(
        &mut self,
        incoming: &mut Incoming,
        message: Option<Message>,
        (event, looper): (EventId, Option<QueueId>),
        base: Clock,
        now: OpId,
    ) {
        let Some(looper) = looper else { return };
        let atomic = self
            .plan
            .atomic_whole
            .filter(|_| self.plan.events_are_ordered() && self.trace.event(event).end.is_some());
        let overlapping = self.skeleton.overlapping[looper.index()];
        let mut from = if overlapping { Clock::EMPTY } else { base };
        if from == Clock::EMPTY && !overlapping && self.plan.events_are_ordered() {
            from = self.settled(incoming.clock, looper);
        }
        self.checked.insert(event, from);
        loop {
            let upto = incoming.clock;
            self.follow_begun(incoming, event);
            if let Some(rule) = atomic {
                let mut ends = Vec::new();
                self.nodes.clocks.gained(from, upto, &mut |chain, _, position| {
                    let latest = self.looper_begins[looper.index()].upto(chain, position).next();
                    ends.extend(latest.and_then(|m| self.ends[m.index()]));
                });
                for end in ends {
                    self.take(incoming, end, Some(rule));
                }
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

    /// The clock at the end of a late event of the looper that `clock` knows to have ended: whatever
    /// that knew to have begun it knew to have ended.
    fn settled(&self, clock: Clock, looper: QueueId) -> Clock {
        let late = self.late_ends[looper.index()].iter().rev();
        let known = late.copied().find(|&end| self.nodes.covers(clock, end));
        known.map_or(Clock::EMPTY, |end| self.nodes.stamp(end).clock)
    }

    /// The events posted to the front between a message's post and its begin.
    fn fronts_between(&mut self, incoming: &mut Incoming, message: Message, now: OpId) {
        if self.plan.front.is_none() || !self.plan.waits(message.posting) {
            return;
        }
        let eta = self.nodes.stamp(message.post);
        let sends = &self.sends[message.queue.index()];
        let mut ends = Vec::new();
        for &i in &sends.with_fronts {
            let log = &sends.chains[i as usize];
            let upto = self.nodes.clocks.get(incoming.clock, log.chain);
            if upto <= self.nodes.reach(eta, log.chain) {
                continue;
            }
            for flag in [0, 1] {
                if !self.plan.front_passes(flag == 1, message.enqueue.is_async) {
                    continue;
                }
                let fronts = &log.front[flag].sent;
                let upto = fronts.partition_point(|s| s.position <= upto);
                let later = fronts[..upto].iter().rev().take_while(|sent| {
                    sent.post != message.post && self.nodes.reaches(message.post, sent.post)
                });
                let ended = later.filter(|sent| sent.end < now);
                ends.extend(ended.map(|sent| self.ends[sent.event.index()]));
            }
        }
        for end in ends {
            self.take(incoming, end.expect("an event that ended has a node"), self.plan.front);
        }
    }

    /// ATOMIC: whatever began before something in an event ended before it, on one looper.
    pub(crate) fn follow_begun(&mut self, incoming: &mut Incoming, event: EventId) {
        let (Some(rule), Some(looper)) = (self.plan.atomic_from, self.trace.looper_of(event))
        else {
            return;
        };
        let every = !self.plan.events_are_ordered();
        let mut from = self.checked.get(&event).copied().filter(|_| !every).unwrap_or_default();
        loop {
            let upto = incoming.clock;
            let mut ends = Vec::new();
            self.nodes.clocks.gained(from, upto, &mut |chain, _, position| {
                let begun = self.looper_begins[looper.index()].upto(chain, position);
                let begun = begun.filter(|&other| other != event);
                let counted = begun.take(if every { usize::MAX } else { 1 });
                ends.extend(counted.filter_map(|m| self.ends[m.index()]));
            });
            for end in ends {
                self.take(incoming, end, Some(rule));
            }
            from = upto;
            if incoming.clock == upto {
                break;
            }
        }
        self.checked.insert(event, from);
    }

    pub(crate) fn end(&mut self, op: OpId, event: EventId) {
        let (task, incoming) = self.incoming(op);
        let node = self.node(op, (task, incoming));
        let thread = self.trace.thread_of(op);
        let row = self.trace.event(event);
        let looper = self.trace.looper_of(event);
        if let Some(looper) = looper {
            self.demand_whole(event, looper, node);
        }
        self.ends[event.index()] = Some(node);
        if self.plan.events_are_ordered() {
            self.nodes.finish(task);
            self.lists.add(&mut self.threads[thread.index()].over, node);
        }
        self.checked.remove(&event);
        self.open_on[thread.index()].retain(|&e| e != event);
        if let Some(looper) = looper {
            self.open_in[looper.index()].retain(|&e| e != event);
            let late = &mut self.late_ends[looper.index()];
            if late.len() == 32 {
                late.drain(..16);
            }
            late.push(node);
            let begin_thread = row.begin.map_or(thread, |begin| self.trace.thread_of(begin));
            let list = &mut self.threads[begin_thread.index()].looper_ends;
            self.lists.add(list, node);
            self.tell_open(op, looper, event, node);
        }
        if let (Some(queue), Some(enqueue)) = (row.queue, self.trace.posting_of(event)) {
            self.log_end(queue, enqueue, &row, node);
        }
    }

    /// LOOPER-ATOMIC: whatever began before the end of an event must have ended before its begin.
    fn demand_whole(&mut self, event: EventId, looper: QueueId, end: NodeId) {
        let (Some(rule), Some(begin)) = (self.plan.atomic_whole, self.begins[event.index()]) else {
            return;
        };
        let every = !self.plan.events_are_ordered();
        let begin_op = self.nodes.ops[begin.0 as usize];
        let from = if every { Clock::EMPTY } else { self.nodes.stamp(begin).clock };
        let mut ends = Vec::new();
        let mut upto = self.nodes.stamp(end).clock;
        if every {
            let stamp = self.nodes.stamp(end);
            upto = self.nodes.clocks.with(upto, stamp.chain, stamp.position);
        }
        self.nodes.clocks.gained(from, upto, &mut |chain, _, position| {
            for other in self.looper_begins[looper.index()].upto(chain, position) {
                let ended = self.ends[other.index()]
                    .filter(|end| self.nodes.ops[end.0 as usize] < begin_op);
                let Some(ended) = ended else { continue };
                if !self.nodes.reaches(ended, begin) {
                    ends.push(ended);
                }
                if !every {
                    break;
                }
            }
        });
        for ended in ends {
            self.conclude_late(event, begin, ended, Some(rule));
        }
    }

    /// ATOMIC, for events that overlap one of their looper that ends only now.
    fn tell_open(&mut self, op: OpId, looper: QueueId, event: EventId, end: NodeId) {
        if self.plan.atomic_from.is_none() || !self.plan.events_are_ordered() {
            return;
        }
        let Some(begin) = self.begins[event.index()] else { return };
        for other in self.open_in[looper.index()].clone() {
            let task = TaskId(other.0);
            let knows = self.nodes.last(task).is_some_and(|last| self.nodes.reaches(begin, last));
            if knows && other != event {
                let thread = self.trace.thread_of(op);
                self.tell((task, thread), Some(other), op, end, self.plan.atomic_from);
            }
        }
    }

    /// Notes the end of an event for those that follow in the order of the trace.
    fn log_end(&mut self, queue: QueueId, enqueue: Enqueue, row: &Event, node: NodeId) {
        let kind = self.trace.queue(queue).kind;
        if let Some(native) = self.plan.native_kind(enqueue.posting)
            && self.plan.native_queue(kind)
        {
            let list = self.native.entry((queue, native)).or_default();
            self.lists.add(list, node);
        }
        if enqueue.posting == Posting::Ipc
            && self.plan.ipc_handle.is_some()
            && self.plan.ipc_queue(kind)
        {
            let posted = row.enqueue.expect("it was posted");
            let process = self.trace.thread(self.trace.thread_of(posted)).process;
            let list = self.ipc.entry((queue, process, enqueue.sync)).or_default();
            list.ended.push((posted, node));
            list.last_post = list.last_post.max(Some(posted));
            self.lists.add(&mut list.list, node);
        }
    }
}
