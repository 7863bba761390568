//! The begin of an event: everything that the rules of dispatch let it follow.

use trace::{EventId, Id, Posting, QueueId, QueueKind, ThreadId};

use super::held::Held;
use super::log::{Log, Span, Taken};
use super::state::{Class, Kept, Post, Queue, Slot};
use super::{OperationStream, Row};
use crate::engine::graph::Clock;

/// What a begin follows, gathered before the event has a chain.
pub(super) struct Incoming {
    pub(super) clock: Clock,
    /// The chains of nodes that it follows directly.
    after: Vec<u32>,
}

/// A log in which a message searches what it follows.
#[derive(Clone, Copy)]
struct Search {
    log: Logged,
    /// The least and the largest key that is followed; none for all, each by itself.
    keys: Option<(i64, i64)>,
}

#[derive(Clone, Copy)]
enum Logged {
    Delayed(usize),
    AtTime(usize),
    Idle(usize),
    Front(usize),
    Ipc(ThreadId),
}

impl Logged {
    fn of(self, queue: &Queue) -> Option<&Log> {
        let log = match self {
            Self::Delayed(flag) => Some(&queue.delayed[flag]),
            Self::AtTime(flag) => Some(&queue.at_time[flag]),
            Self::Idle(flag) => Some(&queue.idle[flag]),
            Self::Front(flag) => Some(&queue.front[flag]),
            Self::Ipc(thread) => queue.ipc.get(&thread),
        };
        log.filter(|log| !log.is_empty())
    }

    /// Whether the log holds messages posted so.
    fn holds(self, post: &Post) -> bool {
        let flag = usize::from(post.enqueue.is_async);
        match (self, post.posting) {
            (Self::Delayed(of), Posting::Delayed(_))
            | (Self::AtTime(of), Posting::AtTime(_))
            | (Self::Idle(of), Posting::Idle)
            | (Self::Front(of), Posting::Front) => of == flag,
            (Self::Ipc(thread), Posting::Ipc) => post.thread == thread && !post.enqueue.sync,
            _ => false,
        }
    }
}

/// The delay or time by which a log is sorted.
fn key(posting: Posting) -> i64 {
    match posting {
        Posting::Delayed(key) | Posting::AtTime(key) => key,
        _ => 0,
    }
}

impl OperationStream {
    pub(super) fn begin_if_first(&mut self, row: &Row, event: EventId) {
        if row.event == Some(event) {
            let slot = self.events.slot_or_new(event);
            if self.events[slot].begin.is_none() {
                self.begin(slot, row.thread);
            }
        }
    }

    fn begin(&mut self, slot: Slot, thread: ThreadId) {
        let is_gone = self.events[slot].post.is_none() && self.window.is_gone(self.events[slot].id);
        self.approximations += u64::from(is_gone);
        let (queue, looper) = self.place(slot, thread);
        let clock = self.window_joined(Clock::EMPTY);
        let mut incoming = Incoming { clock, after: Vec::new() };
        if self.plan.init_first.is_some() || looper.is_some() && self.plan.init_begin.is_some() {
            let mut inits = std::mem::take(&mut self.thread(thread).inits);
            incoming.clock = self.take_list(incoming.clock, &mut inits);
            self.thread(thread).inits = inits;
        }
        let mut settled = Clock::EMPTY;
        if let Some(post) = self.events[slot].post {
            if self.events[slot].is_removed && post.posting == Posting::Ipc {
                self.approximations += 1;
            }
            self.dispatched(&mut incoming, &post);
            let held = self.fresh(post.held);
            if self.plan.enqueue_begin.is_some() {
                self.take(&mut incoming, held);
            }
            settled = self.posted_before(&mut incoming, slot, &Post { held, ..post });
        }
        if let Some(looper) = looper {
            self.settle_begin(&mut incoming, slot, looper, settled);
        }
        let region = queue.map_or(0, |queue| 1 + queue.index());
        let after = (&incoming.after[..], self.window.floor());
        let chain = self.chains.choose(&self.clocks, region, incoming.clock, after);
        let position = self.chains.push(chain);
        self.window.passed(self.epoch, chain, position);
        let node = Held { chain, position, ..self.joined(incoming.clock) };
        let event = &mut self.events[slot];
        event.begin = Some(node);
        event.begin_thread = thread;
        event.floor = self.window.place();
        event.looper = looper;
        event.checked = incoming.clock;
        event.task = node.while_running();
        self.epoch += 1;
        self.window.begun(self.epoch, self.number);
        self.thread(thread).open.push(slot);
        if let Some(looper) = looper {
            let of_queue = &mut self.queues[looper.index()];
            of_queue.begins.push(chain, position, slot, 0);
            of_queue.overlapping |= !of_queue.open.is_empty();
            of_queue.open.push(slot);
            if self.plan.atomic_from_begin.is_some() {
                self.unsettled.push(slot);
            }
        }
        self.tell_of_begin(slot, node);
    }

    /// Returns the queue of an event that begins, and its looper if it runs on one.
    fn place(&mut self, slot: Slot, thread: ThreadId) -> (Option<QueueId>, Option<QueueId>) {
        if self.events[slot].post.is_none() {
            let of_thread = self.thread(thread);
            of_thread.ran_unposted |= of_thread.queue.is_none();
            self.events[slot].queue = self.thread(thread).queue;
        }
        let queue = self.events[slot].queue;
        let looper = queue.filter(|&queue| {
            let of_queue = self.queue(queue);
            let kind = of_queue.kind();
            of_queue.decided.get_or_insert(kind);
            kind == QueueKind::Looper
        });
        (queue, looper)
    }

    /// Lets a begin follow a node, which is up to date.
    pub(super) fn take(&mut self, incoming: &mut Incoming, from: Held) {
        incoming.clock = self.join(incoming.clock, 0, from);
        if incoming.after.len() < 8 {
            incoming.after.push(from.chain);
        }
    }

    fn take_end(&mut self, incoming: &mut Incoming, event: Slot) {
        let end = self.fresh(self.events[event].task);
        self.events[event].task = end;
        self.take(incoming, end);
    }

    /// Applies NATIVE, INPUT and IPC-HANDLE, which order messages as the trace does.
    fn dispatched(&mut self, incoming: &mut Incoming, post: &Post) {
        let queue = post.enqueue.queue;
        let kind = self.queue(queue).kind();
        if self.plan.native(post.posting, kind).is_some() {
            let display = usize::from(post.posting == Posting::Display);
            let mut list = std::mem::take(&mut self.queue(queue).native[display]);
            incoming.clock = self.take_list(incoming.clock, &mut list);
            self.queue(queue).native[display] = list;
        }
        if post.posting == Posting::Ipc {
            let calls = self.queue(queue).calls.get_mut(&(post.process, post.enqueue.sync));
            if let Some(calls) = calls {
                calls.waiting.remove(&post.held.number);
            }
            if self.plan.ipc_handle_at(kind).is_some() {
                for sync in [true, false] {
                    if sync || !post.enqueue.sync {
                        self.handled_before(incoming, post, sync);
                    }
                }
            }
        }
    }

    /// Lets a message follow the messages of its process that were posted before it and ended. Those
    /// that were posted before everything that waits are merged: all that is to come follows them.
    fn handled_before(&mut self, incoming: &mut Incoming, post: &Post, sync: bool) {
        let (number, queue) = (post.held.number, post.enqueue.queue);
        let of_queue = self.queue(queue);
        let first = [true, false]
            .into_iter()
            .filter_map(|sync| of_queue.calls.get(&(post.process, sync))?.waiting.first().copied());
        let before = first.fold(number, u64::min);
        let Some(mut calls) = of_queue.calls.remove(&(post.process, sync)) else { return };
        calls.ended.retain(|&(posted, end)| {
            let merges = posted < before;
            if merges {
                calls.merged.add(end);
            }
            !merges
        });
        incoming.clock = self.take_list(incoming.clock, &mut calls.merged);
        for (posted, end) in &mut calls.ended {
            if *posted < number {
                *end = self.fresh(*end);
                self.take(incoming, *end);
            }
        }
        self.queue(queue).calls.insert((post.process, sync), calls);
    }

    /// Returns the logs of its queue in which a message searches what it follows.
    fn searches(&self, post: &Post) -> Vec<Search> {
        let plan = &self.plan;
        let kind = self.queues[post.enqueue.queue.index()].kind();
        let is_looper = kind == QueueKind::Looper;
        let in_order = plan.posted_in_order.is_some() && is_looper;
        let is_async = post.enqueue.is_async;
        let mut searches = Vec::new();
        let mut add = |front: bool, log: fn(usize) -> Logged, keys| {
            for flag in [false, true] {
                if plan.keeps(flag, front, is_async) {
                    searches.push(Search { log: log(usize::from(flag)), keys });
                }
            }
        };
        match post.posting {
            Posting::Delayed(delay) if in_order => {
                add(false, Logged::Delayed, Some((i64::MIN, delay)));
            }
            Posting::AtTime(time) if is_looper => {
                if plan.posted_for_times.is_some() {
                    add(false, Logged::AtTime, Some((i64::MIN, time)));
                }
            }
            Posting::Idle if in_order && plan.posted_before_idle.is_some() => {
                add(false, Logged::Delayed, Some((0, 0)));
                add(false, Logged::Idle, Some((0, 0)));
            }
            Posting::Ipc if plan.ipc_async_at(kind).is_some() && !post.enqueue.sync => {
                let log = Logged::Ipc(post.thread);
                return vec![Search { log, keys: Some((0, 0)) }];
            }
            _ => return Vec::new(),
        }
        if in_order {
            add(true, Logged::Front, None);
        }
        searches
    }

    pub(super) fn waits_for_barriers(&self, post: &Post) -> bool {
        self.plan.remove_barrier.is_some()
            && matches!(post.posting, Posting::Delayed(_))
            && !post.enqueue.is_async
            && self.queues[post.enqueue.queue.index()].kind() == QueueKind::Looper
    }

    /// Applies MSG-BEGIN-1, PRIORITY, AT-TIME, IPC-ASYNC and REMOVE-BARRIER to a message that begins.
    /// Returns a part of what it follows in which the begins of its looper are settled: what the ends know
    /// that it follows directly, because no two events of the looper overlap.
    ///
    /// A message of the same class that was posted before this one and has ended followed all that it
    /// had to, so the posts that it searched are not searched again. Messages that had not ended when
    /// one began that should have followed them are kept apart and compared one by one.
    fn posted_before(&mut self, incoming: &mut Incoming, slot: Slot, post: &Post) -> Clock {
        let searches = self.searches(post);
        let waits = self.waits_for_barriers(post);
        if searches.is_empty() && !waits {
            return Clock::EMPTY;
        }
        let mut known = Clock::EMPTY;
        let mut settled = Clock::EMPTY;
        for event in self.predecessors(post) {
            let earlier = self.events[event].post.expect("it was posted");
            let is_known = self.clocks.get(known, earlier.held.chain) >= earlier.held.position;
            if is_known {
                continue;
            }
            self.take_end(incoming, event);
            let clock = self.events[event].searched;
            known = self.join(known, 0, Held { clock, ..earlier.held });
            settled = self.join(settled, 0, self.events[event].task);
        }
        let mut found = self.found(post, (&searches, waits), known, self.number);
        // The latest follow most of the others.
        found.sort_unstable_by_key(|end| std::cmp::Reverse(end.number));
        for end in found {
            let end = self.fresh(end);
            self.take(incoming, end);
        }
        self.events[slot].searched = post.held.clock;
        let overlapping = self.queues[post.enqueue.queue.index()].overlapping;
        if overlapping { Clock::EMPTY } else { settled }
    }

    /// Ended messages of the class of a message that were posted before it, the latest first.
    fn predecessors(&self, post: &Post) -> Vec<Slot> {
        let Some(class) = Class::of(post) else {
            return Vec::new();
        };
        let queue = &self.queues[post.enqueue.queue.index()];
        let flag = usize::from(class.is_async);
        // Messages of one class follow each other only if this rule is on.
        let log = match class.kind {
            Kept::Delayed => self.plan.posted_in_order.map(|_| &queue.delayed[flag]),
            Kept::AtTime => self.plan.posted_for_times.map(|_| &queue.at_time[flag]),
            Kept::Idle => self.plan.posted_before_idle.map(|_| &queue.idle[flag]),
            Kept::Ipc => queue.ipc.get(&post.thread),
            Kept::Front => None,
        };
        let Some(log) = log else { return Vec::new() };
        let key = if class.kind == Kept::Ipc { 0 } else { class.key };
        let own = log.latest(post.held.chain, post.held.position - 1, key);
        let recent = queue.recent.get(&class).into_iter().flatten().copied();
        let mut found: Vec<Slot> = own.into_iter().chain(recent).collect();
        found.retain(|&event| {
            let earlier = self.events[event].post.map(|post| post.held);
            self.events[event].has_ended
                && earlier.is_some_and(|earlier| {
                    post.held.covers(&self.clocks, earlier.chain, earlier.position)
                })
        });
        found
    }

    /// Finds the ends and removals that a message follows by what was posted before it and is not in
    /// `known`, as far as they came before operation `now`, its begin.
    fn found(
        &mut self,
        post: &Post,
        (searches, waits): (&[Search], bool),
        known: Clock,
        now: u64,
    ) -> Vec<Held> {
        let (events, clocks) = (&self.events, &self.clocks);
        let queue = &self.queues[post.enqueue.queue.index()];
        let ended = |event: Slot| events[event].has_ended && events[event].task.number < now;
        let (mut ends, mut late) = (Vec::new(), Vec::new());
        let own = Span {
            chain: post.held.chain,
            above: clocks.get(known, post.held.chain),
            upto: post.held.position - 1,
        };
        let followed = |event: Slot, ends: &mut Vec<Slot>, late: &mut Vec<Slot>| {
            if ended(event) {
                ends.push(event);
                Taken::Followed
            } else {
                late.push(event);
                Taken::Passed
            }
        };
        for Search { log, keys } in searches {
            let Some(log) = log.of(queue) else { continue };
            let mut each = |span: Span, log: &super::log::ChainLog| match *keys {
                Some(keys) => {
                    log.search(keys, span, |event| followed(event, &mut ends, &mut late));
                }
                None => log.each(span, |event| {
                    followed(event, &mut ends, &mut late);
                    true
                }),
            };
            if let Some(log) = log.of_chain(own.chain) {
                each(own, log);
            }
            log.gained(clocks, (known, post.held.clock), |span, log| {
                if span.chain != own.chain {
                    each(span, log);
                }
            });
        }
        let accepted = |event: Slot| {
            let Some(earlier) = &events[event].post else { return false };
            let key = key(earlier.posting);
            let takes = |search: &&Search| {
                search.log.holds(earlier)
                    && search.keys.is_none_or(|(least, most)| (least..=most).contains(&key))
            };
            searches.iter().any(|search| takes(&search))
                && post.held.covers(clocks, earlier.held.chain, earlier.held.position)
                && (earlier.held.chain, earlier.held.position)
                    != (post.held.chain, post.held.position)
        };
        let overtaken = queue.overtaken.iter().copied();
        ends.extend(overtaken.filter(|&event| ended(event) && accepted(event)));
        let mut found: Vec<Held> = ends.iter().map(|&event| events[event].task).collect();
        if waits {
            self.removals_found(post, (known, own), now, &mut found);
        }
        self.overtake(&late);
        found
    }

    /// Notes that a message began that should have followed these, which had not ended.
    fn overtake(&mut self, late: &[Slot]) {
        for &event in late {
            let row = &mut self.events[event];
            if !row.is_overtaken {
                row.is_overtaken = true;
                if let (true, Some(queue)) = (row.has_ended, row.queue) {
                    self.queues[queue.index()].overtaken.push(event);
                }
            }
        }
    }

    /// Applies REMOVE-BARRIER: finds the removals of barriers that a message had to wait for.
    fn removals_found(
        &mut self,
        post: &Post,
        (known, own): (Clock, Span),
        now: u64,
        found: &mut Vec<Held>,
    ) {
        let queue = &self.queues[post.enqueue.queue.index()];
        let mut barriers = Vec::new();
        if let Some(log) = queue.barriers.of_chain(own.chain) {
            log.each(own, |index| {
                barriers.push(index);
                true
            });
        }
        queue.barriers.gained(&self.clocks, (known, post.held.clock), |span, log| {
            if span.chain != own.chain {
                log.each(span, |index| {
                    barriers.push(index);
                    true
                });
            }
        });
        for &index in &queue.overtaken_barriers {
            let Some(row) = queue.barrier_posts.get(&index) else { continue };
            if post.held.covers(&self.clocks, row.node.0, row.node.1) {
                barriers.push(index);
            }
        }
        let mut late = Vec::new();
        for index in barriers {
            let Some(row) = queue.barrier_posts.get(&index) else { continue };
            let removals = self.removals.get(&row.barrier).map_or(&[][..], Vec::as_slice);
            let mut after = removals.iter().filter(|node| node.number > row.number).peekable();
            if after.peek().is_none() || after.clone().any(|node| node.number >= now) {
                late.push(index);
            }
            found.extend(after.filter(|node| node.number < now));
        }
        late.retain(|index| !queue.overtaken_barriers.contains(index));
        self.queues[post.enqueue.queue.index()].overtaken_barriers.extend(late);
    }

    /// Applies again the rules of queues to a message that began, whose post came to know more than
    /// `known`.
    pub(super) fn found_again(&mut self, slot: Slot, known: Clock) -> Vec<Held> {
        let (Some(post), Some(begin)) = (self.events[slot].post, self.events[slot].begin) else {
            return Vec::new();
        };
        let searches = self.searches(&post);
        let waits = self.waits_for_barriers(&post);
        self.events[slot].searched = post.held.clock;
        self.found(&post, (&searches, waits), known, begin.number)
    }

    /// Applies the rules whose premises mention the begin itself: LOOPER-ATOMIC, ATOMIC, MSG-BEGIN-2
    /// and ATFRONT. Repeats until none of them adds anything. In `from` they were applied before.
    fn settle_begin(
        &mut self,
        incoming: &mut Incoming,
        slot: Slot,
        looper: QueueId,
        mut from: Clock,
    ) {
        let atomic =
            self.plan.atomic_from_begin.is_some() || self.plan.atomic_from_operation.is_some();
        let overlapping = self.queues[looper.index()].overlapping;
        loop {
            let before = incoming.clock;
            if atomic {
                if !overlapping {
                    from = self.take_latest(incoming, looper, from);
                }
                let upto = incoming.clock;
                let mut found = self.begun(looper, (from, upto), (slot, self.number));
                // The latest follow most of the others.
                found.sort_unstable_by_key(|&e| std::cmp::Reverse(self.events[e].task.number));
                for event in found {
                    self.take_end(incoming, event);
                }
                from = upto;
            }
            for event in self.fronts_between(slot, incoming.clock, self.number) {
                self.take_end(incoming, event);
            }
            if incoming.clock == before {
                return;
            }
        }
    }

    /// Takes the end of the latest event of a looper whose begin is known, of those that ended last. No
    /// two events of the looper overlap, so in what that end knows the begins are settled: it returns that
    /// joined to `from`.
    fn take_latest(&mut self, incoming: &mut Incoming, looper: QueueId, from: Clock) -> Clock {
        let latest = self.queues[looper.index()].latest.iter().copied().find(|&event| {
            let begin = self.events[event].begin;
            begin
                .is_some_and(|begin| self.clocks.get(incoming.clock, begin.chain) >= begin.position)
        });
        let Some(latest) = latest else { return from };
        self.take_end(incoming, latest);
        self.join(from, 0, self.events[latest].task)
    }

    /// For each chain of which `upto` knows more than `from`, the latest event of a looper that began
    /// there in between and ended before operation `now`.
    pub(super) fn begun(
        &self,
        looper: QueueId,
        (from, upto): (Clock, Clock),
        (but, now): (Slot, u64),
    ) -> Vec<Slot> {
        let mut found = Vec::new();
        let begins = &self.queues[looper.index()].begins;
        begins.gained(&self.clocks, (from, upto), |span, log| {
            log.each(span, |event| {
                let row = &self.events[event];
                let counts = event != but && row.has_ended && row.task.number < now;
                if counts {
                    found.push(event);
                }
                !counts
            });
        });
        found
    }

    /// Applies MSG-BEGIN-2 and ATFRONT: returns the events that were posted to the front between the
    /// post of a message and its begin, which knows `clock`, and ended before it, operation `now`.
    pub(super) fn fronts_between(&mut self, slot: Slot, clock: Clock, now: u64) -> Vec<Slot> {
        let Some(post) = self.events[slot].post else { return Vec::new() };
        let queue = &self.queues[post.enqueue.queue.index()];
        if self.plan.front.is_none()
            || !self.plan.waits(post.posting)
            || queue.kind() != QueueKind::Looper
        {
            return Vec::new();
        }
        let number = |event: Slot| self.events[event].post.map_or(0, |post| post.held.number);
        let later = queue.fronts.partition_point(|&event| number(event) <= post.held.number);
        let candidates: Vec<Slot> = queue.fronts.range(later..).copied().collect();
        let mut found = Vec::new();
        for event in candidates {
            let row = &self.events[event];
            let Some(front) = row.post else { continue };
            let ended = row.has_ended && row.task.number < now;
            let passes = self.plan.front_passes(front.enqueue.is_async, post.enqueue.is_async);
            let node = front.held;
            if !ended || !passes || self.clocks.get(clock, node.chain) < node.position {
                continue;
            }
            let node = self.fresh(node);
            if node.covers(&self.clocks, post.held.chain, post.held.position) {
                found.push(event);
            }
        }
        found
    }

    /// Applies ATOMIC or LOOPER-ATOMIC to an event that came to know more while it runs.
    pub(super) fn follow_begun(&mut self, slot: Slot) {
        let Some(looper) = self.events[slot].looper else { return };
        let from_begin = self.plan.atomic_from_begin.is_some();
        if !from_begin && self.plan.atomic_from_operation.is_none() {
            return;
        }
        loop {
            let held = self.fresh(self.events[slot].task);
            self.events[slot].task = held;
            let from = std::mem::replace(&mut self.events[slot].checked, held.clock);
            if from == held.clock {
                return;
            }
            if from_begin {
                self.tell_begin(slot, looper, (from, held.clock));
            } else {
                for event in self.begun(looper, (from, held.clock), (slot, u64::MAX)) {
                    let end = self.fresh(self.events[event].task);
                    let held = self.events[slot].task;
                    self.events[slot].task.clock = self.join(held.clock, held.chain, end);
                }
            }
        }
    }
}
