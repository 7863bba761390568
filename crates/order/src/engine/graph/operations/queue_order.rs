//! The rules of queues: a post is logged for later messages, and a message that begins searches the
//! logs for the messages that it follows.

use trace::{Enqueue, Event, EventId, Id, OpId, Posting, QueueId, QueueKind};

use super::barriers::{RemovalsSoFar, Removed};
use super::nodes::NodeId;
use super::order_so_far::Incoming;
use super::post_log::{Accepted, ClassKey, Found, Kept, Kind, Settling};
use super::posts_by_class::{EndedPost, Span};
use super::sweep::Sweep;
use crate::engine::graph::clock::Clock;
use crate::rule::Rule;

/// A message with its post.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) event: EventId,
    pub(crate) queue: QueueId,
    pub(crate) enqueue: Enqueue,
    pub(crate) posting: Posting,
    /// The node of the post.
    pub(crate) post: NodeId,
}

/// Returns the class of a message, if messages posted so keep their order.
fn class(posting: Posting, is_async: bool) -> Option<ClassKey> {
    let (kind, key) = match posting {
        Posting::Delayed(delay) => (Kept::Delayed, delay),
        Posting::AtTime(time) => (Kept::AtTime, time),
        Posting::Idle => (Kept::Idle, 0),
        _ => return None,
    };
    Some(ClassKey { kind, is_async, key })
}

/// Late messages that a message follows by its post, the latest first. When they began, they followed
/// all posts in their clocks that they had to, so the message need not search these posts again.
#[derive(Default)]
struct Predecessors {
    found: Vec<(NodeId, EventId)>,
    /// The class of these messages, if it is not the message's own.
    other: Option<ClassKey>,
}

/// The positions of a chain that are newly known.
#[derive(Clone, Copy)]
struct News {
    chain: u32,
    above: u32,
    upto: u32,
}

/// Posts that a message need not search: messages that it follows have followed them already.
#[derive(Default)]
pub(crate) struct TakenOver {
    /// The posts in this clock were followed.
    pub(crate) clock: Clock,
    /// The posts of these chains up to these positions were followed.
    pub(crate) posts: Vec<(u32, u32)>,
    /// The class of the messages that followed them, if it is not the message's own.
    pub(crate) other: Option<ClassKey>,
}

impl TakenOver {
    /// Returns the position up to which the posts of a chain were followed, where `clock` knows
    /// `known` of the chain.
    fn upto(&self, chain: u32, known: u32) -> u32 {
        let posts = self.posts.iter().filter(|&&(of, _)| of == chain);
        posts.fold(known, |known, &(_, position)| known.max(position))
    }
}

/// How many predecessors are taken, and how many classes are searched for one that has any.
const PREDECESSORS: usize = 4;
const CLASSES: usize = 16;

impl Sweep<'_> {
    /// Logs a post for the messages that are posted after it.
    pub(crate) fn log_post(&mut self, op: OpId, node: NodeId, enqueue: Enqueue, row: &Event) {
        let Some(queue) = row.queue else { return };
        let posting = self.plan.posting(enqueue);
        if let (Some(begin), Some(end)) = (row.begin, row.end) {
            let stamp = self.order.nodes.stamp(node);
            let post = EndedPost::new(stamp.position, node, enqueue.event, end);
            let orders_async_calls = self.orders_async_calls(queue, enqueue);
            let log = &mut self.queues[queue.index()].posts;
            let is_looper = self.trace.queue(queue).kind == QueueKind::Looper;
            let is_kept = |class: &ClassKey| match class.kind {
                Kept::Delayed => is_looper,
                Kept::AtTime => is_looper && self.plan.posted_for_times.is_some(),
                Kept::Idle => is_looper && self.plan.posted_before_idle.is_some(),
            };
            if let Some(class) = class(posting, enqueue.is_async).filter(is_kept) {
                log.push(class, stamp.chain, begin, post);
            } else if posting == Posting::Front && is_looper {
                log.push_front(stamp.chain, enqueue.is_async, post);
            } else if posting == Posting::Ipc && orders_async_calls {
                let thread = i64::from(self.trace.thread_of(op).0);
                log.push_ipc(thread, stamp.chain, begin, post);
            }
        }
        if row.begin.is_some_and(|begin| begin < op) {
            let message = Message { event: enqueue.event, queue, enqueue, posting, post: node };
            self.posted_late(message, row);
        }
    }

    /// Whether IPC-ASYNC orders a message. It does not where IPC-HANDLE, which implies it, is on.
    fn orders_async_calls(&self, queue: QueueId, enqueue: Enqueue) -> bool {
        self.plan.ipc_async_at(self.trace.queue(queue).kind).is_some() && !enqueue.sync
    }

    /// Applies the rules of queues to a message whose post comes after its begin.
    fn posted_late(&mut self, message: Message, row: &Event) {
        let begin = row.begin.expect("it has begun");
        let known =
            self.events.begin[message.event.index()].expect("a begin in the past is a node");
        let mut found = Found::default();
        let news = self.news(message, &TakenOver::default());
        self.search(message, (&news, None), (begin, false), &mut found);
        let removed = self.removed_barriers(message, &news, (begin, false)).nodes.into_iter();
        let removed = removed.map(|node| (node, self.plan.remove_barrier));
        let ends = found.ends.into_iter().map(|(event, kind)| {
            let end = self.events.end[event.index()].expect("an event that ended has a node");
            (end, self.rule_of(kind))
        });
        for (from, rule) in ends.chain(removed).collect::<Vec<_>>() {
            if !self.order.nodes.reaches(from, known) {
                self.conclude_late(message.event, from, rule);
            }
        }
    }

    /// Concludes from ≺ begin(event) for a begin in the past, and leaves it to the next pass.
    pub(crate) fn conclude_late(
        &mut self,
        event: EventId,
        from: NodeId,
        rule: Option<&'static Rule>,
    ) {
        if let Some(rule) = rule {
            let op = self.order.op(from);
            self.late.add(event, op, rule);
        }
    }

    fn rule_of(&self, kind: Kind) -> Option<&'static Rule> {
        match kind {
            Kind::Posted => self.plan.posted_in_order,
            Kind::Timed => self.plan.posted_for_times,
            Kind::Ipc => self.plan.ipc_async.map(|(rule, _)| rule),
        }
    }

    /// Returns the rule that orders messages of one class.
    fn own_rule(&self, message: Message) -> Option<&'static Rule> {
        match message.posting {
            Posting::AtTime(_) => self.plan.posted_for_times,
            Posting::Idle => self.plan.posted_before_idle,
            _ => self.plan.posted_in_order,
        }
    }

    /// Returns the kinds of posts to its queue that keep ahead of a message, if they precede its post.
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
                accepted.at_time = plan.posted_for_times.is_some().then_some(i64::MIN..=time);
            }
            Posting::Idle if is_looper && in_order && plan.posted_before_idle.is_some() => {
                accepted.delayed = Some(0..=0);
                accepted.idle = true;
            }
            Posting::Ipc if self.orders_async_calls(message.queue, message.enqueue) => {
                accepted.front = false;
                let op = self.order.op(message.post);
                accepted.ipc = Some(i64::from(self.trace.thread_of(op).0));
            }
            _ => return None,
        }
        Some(accepted)
    }

    /// Returns the positions that the poster of a message knows and `taken` does not, of the chains
    /// that posted to its queue. The poster's own chain comes first. Returns nothing if no rule
    /// searches the logs by chain.
    fn news(&self, message: Message, taken: &TakenOver) -> Vec<News> {
        let accepted = self.accepted(message);
        let asked = accepted.is_some_and(|accepted| !accepted.is_front_only());
        if !asked && !self.waits_for_barriers(message) {
            return Vec::new();
        }
        let stamp = self.order.nodes.stamp(message.post);
        let above = taken.upto(stamp.chain, self.order.nodes.clocks.get(taken.clock, stamp.chain));
        let mut news = vec![News { chain: stamp.chain, above, upto: stamp.position - 1 }];
        let queue = message.queue.index();
        let sets = [&self.queues[queue].posts.known, &self.queues[queue].barriers.chains];
        let clocks = &self.order.nodes.clocks;
        clocks.gained_among(sets, taken.clock, stamp.clock, &mut |chain, above, upto| {
            let above = taken.upto(chain, above);
            if chain != stamp.chain && above < upto {
                news.push(News { chain, above, upto });
            }
        });
        news
    }

    /// Finds the posts that precede a message's post, keep ahead of it, and whose events ended before
    /// `now`. Searches the posts in `news`, and those of kinds that do not keep ahead of a message of
    /// class `other`.
    fn search(
        &mut self,
        message: Message,
        (news, other): (&[News], Option<ClassKey>),
        (now, settle): (OpId, bool),
        out: &mut Found,
    ) {
        let Some(accepted) = self.accepted(message) else { return };
        let every = !self.plan.events_are_ordered();
        let stamp = self.order.nodes.stamp(message.post);
        let log = &mut self.queues[message.queue.index()].posts;
        let whole = |i: u32| {
            let chain = log.chains[i as usize].chain;
            let upto = self.order.nodes.reach(stamp, chain) - u32::from(chain == stamp.chain);
            (upto > 0).then_some((i as usize, Span { above: 0, upto, every }))
        };
        if let Some(beyond) = other.map(|other| accepted.beyond(other)) {
            for (i, span) in log.of_classes(&beyond).filter_map(whole) {
                log.chains[i].search(&beyond, span, now, out);
            }
        }
        let spans: Vec<(usize, Span)> = if accepted.is_front_only() {
            log.with_fronts.iter().filter_map(|&i| whole(i)).collect()
        } else {
            let span = |&News { chain, above, upto }: &News| {
                log.find(chain, above).map(|i| (i, Span { above, upto, every }))
            };
            news.iter().filter_map(span).collect()
        };
        let mut settling = Settling { lists: &mut self.order.lists, ends: &self.events.end };
        for (i, span) in spans {
            let chain = &mut log.chains[i];
            chain.search(&accepted, span, now, out);
            let settling = settle.then_some(&mut settling);
            chain.search_fronts(&accepted, span, now, settling, out);
        }
    }

    fn predecessors(&self, message: Message, now: OpId) -> Predecessors {
        let Some(class) = class(message.posting, message.enqueue.is_async)
            .filter(|_| self.plan.events_are_ordered() && self.own_rule(message).is_some())
        else {
            return Predecessors::default();
        };
        let log = &self.queues[message.queue.index()].posts;
        let stamp = self.order.nodes.stamp(message.post);
        let own = log.last(class, (stamp.chain, stamp.position - 1), now);
        let levels = log.levels(class.kind, class.is_async).range(..=class.key).rev();
        let mut predecessors = Predecessors::default();
        for (&key, level) in levels.take(CLASSES) {
            let own = own.filter(|_| key == class.key);
            let post = own.into_iter().chain(level.recent()).filter(|post| post.end < now);
            let post = post.map(|post| (post.node, post.event));
            let leading = post.filter(|&(post, event)| self.leads(event, post, message));
            predecessors.found.extend(leading.take(PREDECESSORS));
            if !predecessors.found.is_empty() {
                predecessors.other = Some(ClassKey { key, ..class }).filter(|_| key != class.key);
                break;
            }
        }
        if let Some((post, plain)) = self.plain_predecessor(message, class, now) {
            if class == ClassKey::PLAIN {
                predecessors.found.push((post, plain));
            } else if predecessors.found.is_empty() {
                predecessors.found.push((post, plain));
                predecessors.other = Some(ClassKey::PLAIN);
            }
        }
        predecessors.found.sort_unstable();
        predecessors.found.dedup();
        predecessors.found.reverse();
        predecessors
    }

    /// Whether an event was posted before a message, and followed everything that it had to when it
    /// began.
    fn leads(&self, event: EventId, post: NodeId, message: Message) -> bool {
        let posted_first = self.events.begin[event.index()].is_some_and(|begin| post < begin);
        post < message.post
            && posted_first
            && !self.events.irregular.contains(&event)
            && self.order.nodes.reaches(post, message.post)
    }

    /// Returns a late message without a delay that the poster of `message` knew, if messages of this
    /// class follow such messages.
    fn plain_predecessor(
        &self,
        message: Message,
        class: ClassKey,
        now: OpId,
    ) -> Option<(NodeId, EventId)> {
        let follows = match class.kind {
            Kept::Delayed => class.key >= 0,
            Kept::Idle => self.plan.posted_before_idle.is_some(),
            Kept::AtTime => false,
        };
        let hint =
            self.hints.of_post[message.event.index()].filter(|_| follows && !class.is_async)?;
        let (_, event) = hint.plain?;
        let (post, end) = (self.events.post[event.index()]?, self.events.end[event.index()]?);
        let ended = self.order.op(end) < now;
        (ended && self.leads(event, post, message)).then_some((post, event))
    }

    fn waits_for_barriers(&self, message: Message) -> bool {
        self.plan.remove_barrier.is_some()
            && matches!(message.posting, Posting::Delayed(_))
            && !message.enqueue.is_async
            && self.trace.queue(message.queue).kind == QueueKind::Looper
    }

    /// Returns the removals, of barriers posted in `news`, that a message had to wait for.
    fn removed_barriers(
        &mut self,
        message: Message,
        news: &[News],
        (now, settle): (OpId, bool),
    ) -> Removed {
        let mut removed = Removed::default();
        if !self.waits_for_barriers(message) {
            return removed;
        }
        let barriers = &mut self.queues[message.queue.index()].barriers;
        for news in news {
            if let Some(log) = barriers.of_chain(news.chain) {
                let mut so_far = RemovalsSoFar {
                    lists: &mut self.order.lists,
                    removals: &self.skeleton.removals,
                    node_of: &self.barrier_removals,
                };
                log.removed(&mut so_far, (news.above, news.upto), (now, settle), &mut removed);
            }
        }
        removed
    }

    /// Applies MSG-BEGIN-1, PRIORITY, AT-TIME, IPC-ASYNC and REMOVE-BARRIER to a message that begins.
    /// Returns the joined clocks of its predecessors, in which the begins of the looper are settled.
    pub(crate) fn posted_before(
        &mut self,
        incoming: &mut Incoming,
        message: Message,
        now: OpId,
    ) -> Clock {
        let Predecessors { found: predecessors, other } = self.predecessors(message, now);
        let mut base = Clock::EMPTY;
        let mut taken = TakenOver { other, ..TakenOver::default() };
        for (post, event) in predecessors {
            let stamp = self.order.nodes.stamp(post);
            let known = self.order.nodes.clocks.get(taken.clock, stamp.chain);
            if taken.upto(stamp.chain, known) < stamp.position {
                let end = self.events.end[event.index()].expect("an event that ended has a node");
                self.order.take(incoming, end, self.own_rule(message));
                base = self.order.nodes.clocks.join(base, self.order.nodes.stamp(end).clock);
                taken.clock =
                    self.order.nodes.clocks.join(taken.clock, self.events.taken[event.index()]);
                taken.posts.push((stamp.chain, stamp.position));
            }
        }
        self.follow_posts(incoming, message, &taken, (now, true));
        base
    }

    /// Lets a message follow what was posted before it and is not in `taken`. `settle` may be used only
    /// where `now` never goes back.
    pub(crate) fn follow_posts(
        &mut self,
        incoming: &mut Incoming,
        message: Message,
        taken: &TakenOver,
        (now, settle): (OpId, bool),
    ) {
        let news = self.news(message, taken);
        let mut found = Found::default();
        self.search(message, (&news, taken.other), (now, settle), &mut found);
        let removed = self.removed_barriers(message, &news, (now, settle));
        if found.irregular || removed.irregular {
            self.events.irregular.insert(message.event);
        }
        if class(message.posting, message.enqueue.is_async).is_some() {
            self.events.taken[message.event.index()] = self.order.nodes.stamp(message.post).clock;
        }
        let ends = found.ends.iter().map(|&(event, kind)| {
            let end = self.events.end[event.index()].expect("an event that ended has a node");
            (end, self.rule_of(kind))
        });
        let ends = ends.collect();
        self.order.take_each(incoming, ends);
        for prefix in found.prefixes {
            let rule = self.plan.posted_in_order.expect("posts to the front were searched for");
            self.order.take_prefix(incoming, prefix, rule);
        }
        for prefix in removed.prefixes {
            let rule = self.plan.remove_barrier.expect("removals were searched for");
            self.order.take_prefix(incoming, prefix, rule);
        }
        let rule = self.plan.remove_barrier;
        self.order
            .take_each(incoming, removed.nodes.into_iter().map(|node| (node, rule)).collect());
    }
}
