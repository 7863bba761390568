//! Misses of the rules about messages and their queues.

use trace::{Enqueue, EventId, Op, OpId, Posting, QueueKind};

use super::links::OF_LOOPER;
use super::{Checks, Found, Pair};
use crate::rules::posting::posting;

/// Two messages that were posted and dispatched: η and γ of the rules.
pub(crate) struct Posts {
    eta: OpId,
    gamma: OpId,
    /// How the messages were posted, in normal form if that is on.
    pub(crate) first: Enqueue,
    pub(crate) second: Enqueue,
}

impl Posts {
    fn of_one_queue(&self) -> Checks {
        let of = (self.eta, self.gamma);
        Checks::default().need_of(self.first.queue == self.second.queue, ONE_QUEUE, of)
    }
}

const ONE_QUEUE: &str = "both messages had been posted to one queue";

impl Pair<'_> {
    /// How the message of an event was posted.
    pub(crate) fn posted(&self, event: EventId) -> Option<(OpId, Enqueue)> {
        let (op, enqueue) = self.trace.event(event).enqueue.zip(self.trace.posting_of(event))?;
        Some((op, Enqueue { posting: posting(enqueue, self.rules), ..enqueue }))
    }

    fn posts(&self) -> Option<Posts> {
        let (t, u) = self.events()?;
        let ((eta, first), (gamma, second)) = self.posted(t).zip(self.posted(u))?;
        Some(Posts { eta, gamma, first, second })
    }

    /// MSG-BEGIN-1, PRIORITY, AT-TIME, FIFO: messages posted in order run in order, if their kinds
    /// keep them in order.
    pub(crate) fn posted_in_order(
        &self,
        keeps: fn(Posting, Posting) -> bool,
        front_passes: bool,
    ) -> Found {
        let posts = self.posts()?;
        let (first, second) = (posts.first, posts.second);
        let passes =
            first.is_async || !second.is_async || front_passes && first.posting == Posting::Front;
        let of = (posts.eta, posts.gamma);
        let checks = posts
            .of_one_queue()
            .need(self.is_looper(first), OF_LOOPER)
            .need_of(
                keeps(first.posting, second.posting),
                "the way they were posted kept them in order",
                of,
            )
            .need_of(passes, "no barrier could hold back the first and let the second pass", of);
        Some(self.ordered(checks, posts.eta, posts.gamma))
    }

    fn is_looper(&self, message: Enqueue) -> bool {
        self.trace.queue(message.queue).kind == QueueKind::Looper
    }

    /// MSG-BEGIN-2, ATFRONT: the first was posted to the front while the second waited.
    pub(crate) fn overtaken(&self, is_queued: fn(Posting) -> bool, barriers: bool) -> Found {
        let posts = self.posts()?;
        let (front, waiting) = (posts.first, posts.second);
        let begin = self.trace.event(self.u?).begin?;
        let of = (posts.eta, posts.gamma);
        let passes = !barriers || front.is_async || !waiting.is_async;
        let checks = posts
            .of_one_queue()
            .need_of(front.posting == Posting::Front, "the first had been posted to the front", of)
            .need_of(is_queued(waiting.posting), "the second waited in the sorted queue", of)
            .need_of(passes, "no barrier could hold back the first and let the second pass", of);
        let checks = self.ordered(checks, posts.gamma, posts.eta);
        Some(self.ordered(checks, posts.eta, begin))
    }

    /// LOOPER-ATOMIC, ATOMIC, NOPRE: an event that has begun ends before the next one.
    pub(crate) fn atomic(&self) -> Found {
        let (t, u) = self.events()?;
        let of = self.trace.event(t).begin.zip(self.trace.event(u).end.or(Some(self.b)));
        let (begin, end) = of?;
        let queues = (self.trace.event(t).queue, self.trace.event(u).queue);
        let checks = Checks::default()
            .need(queues.0.is_some() && queues.0 == queues.1, "both events were of one queue")
            .need(self.is_of_looper(t), OF_LOOPER);
        Some(self.ordered(checks, begin, end))
    }

    /// NATIVE, INPUT: events of one kind run in the order in which they happen.
    pub(crate) fn of_one_kind(&self, kinds: &[Posting]) -> Found {
        let posts = self.posts()?;
        let (first, second) = (posts.first.posting, posts.second.posting);
        let is_either = kinds.contains(&first) || kinds.contains(&second);
        let statement = match kinds {
            [Posting::Input] => "both were input",
            _ => "both were input, or both frames",
        };
        let of = (posts.eta, posts.gamma);
        let checks =
            posts.of_one_queue().need_of(first == second && kinds.contains(&first), statement, of);
        // Frames are what the rule for input leaves out.
        let applies = is_either || first == Posting::Display;
        applies.then(|| checks.need(self.one_after_the_other(), "the first had ended"))
    }

    /// IPC-HANDLE, IPC-ASYNC.
    pub(crate) fn of_one_sender(&self, one_thread: bool, binders: bool) -> Found {
        let posts = self.posts()?;
        let (first, second) = (posts.first, posts.second);
        if first.posting != Posting::Ipc && second.posting != Posting::Ipc {
            return None;
        }
        let of = (posts.eta, posts.gamma);
        let thread = |op| self.trace.thread_of(op);
        let process = |op| self.trace.thread(thread(op)).process;
        let is_binder = self.trace.queue(first.queue).kind == QueueKind::Binder;
        let both = first.posting == second.posting;
        let checks = posts
            .of_one_queue()
            .need_of(both, "both came from another process (`ipc`)", of)
            .need(!binders || is_binder, "the queue were that of a binder");
        Some(if one_thread {
            let threads = thread(posts.eta) == thread(posts.gamma);
            let checks = checks
                .need_of(!first.sync && !second.sync, "neither call blocked its caller", of)
                .need_of(threads, "one thread had sent both", of);
            self.ordered(checks, posts.eta, posts.gamma)
        } else {
            checks
                .need_of(process(posts.eta) == process(posts.gamma), "one process sent both", of)
                .need_of(posts.eta < posts.gamma, "the first had been sent first", of)
                .need_of(
                    first.sync || !second.sync,
                    "a blocking call did not pass one-way messages",
                    of,
                )
        })
    }

    /// MSG-ENQUEUE, SEND, POST: a post comes before its event.
    pub(crate) fn post_before_event(&self) -> Found {
        let event = self.trace.event(self.u?);
        let (post, begin) = event.enqueue.zip(event.begin)?;
        let is_near = self.trace.thread_of(post) == self.trace.thread_of(self.a)
            && self.trace.event_of(post) == self.t;
        let checks = Checks::default();
        let checks = checks.need_of(post < begin, "the post came before the event", (post, begin));
        let checks = self.ordered(checks, self.a, post);
        Some(if is_near { checks } else { checks.far() })
    }

    /// FORK-EVENT, PARENT: an event comes before those that it posts.
    pub(crate) fn posts_other(&self, on_one_thread: bool) -> Found {
        let (t, u) = self.events()?;
        let post = self.trace.event(u).enqueue;
        let checks = Checks::default();
        let checks = match post {
            None => checks.need(false, "the first event had posted the second").far(),
            Some(post) => {
                let is_parent = self.trace.event_of(post) == Some(t);
                let checks = checks
                    .need_of(is_parent, "the first event had posted the second", (post, self.b))
                    .need(Some(post) < self.trace.event(u).begin, "the post had come in time");
                if is_parent { checks } else { checks.far() }
            }
        };
        Some(checks.need(!on_one_thread || self.on_one_thread(), "both ran on one thread"))
    }

    /// MSG-BLOCKING: a blocking post returns after its event.
    pub(crate) fn returned(&self) -> Found {
        let event = self.trace.event(self.t?);
        let post = event.enqueue?;
        let is_sender = self.trace.thread_of(post) == self.trace.thread_of(self.b);
        if !is_sender && self.around.returns.is_empty() {
            return None;
        }
        let checks = Checks::default();
        let checks = match event.end {
            Some(end) => self.ordered(checks, self.a, end),
            None => checks.need(false, "the trace showed the end of the event"),
        };
        let Some(&back) = self.around.returns.first() else {
            let shown = "the sender waited for the event (`enqueue_end`)";
            return Some(checks.need_of(false, shown, (post, self.b)));
        };
        Some(self.ordered(checks, back, self.b))
    }

    /// MSG-REMOVE: an event whose message is removed too late has begun before.
    pub(crate) fn removed(&self) -> Found {
        let of = |&removal: &OpId| {
            let Op::Remove(message) = self.trace.op(removal) else { return None };
            let event = self.trace.event(message);
            let (post, begin) = event.enqueue.zip(event.begin)?;
            let owner = event.queue.and_then(|queue| self.trace.queue(queue).owner);
            let own = owner == Some(self.trace.thread_of(removal));
            let anywhere = !self.rules.contains(&crate::rules::REMOVE_ON_LOOPER);
            let checks = Checks::default()
                .need_of(own || anywhere, "the looper's own thread removed it", (removal, removal))
                .need_of(begin < removal, "the event had begun", (begin, removal));
            let checks = self.ordered(checks, post, removal);
            let checks = self.ordered(checks, removal, self.b);
            let is_own = self.t == Some(message);
            Some(if is_own { checks } else { self.ordered(checks, self.a, begin) })
        };
        self.around
            .removals
            .iter()
            .chain(self.around.second)
            .filter_map(of)
            .min_by_key(|checks| checks.failing)
    }
}
