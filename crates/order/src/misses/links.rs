//! Misses of the rules about threads, locks, handles and callbacks.

use trace::{CallbackId, HandleId, LockId, Op, OpId, Posting, QueueKind};

use super::{Checks, Found, Pair};

/// What two operations must have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    Handle(HandleId),
    Callback(CallbackId),
    Lock(LockId),
    Environment(u32),
}

/// Returns what an operation acts on, if it is of the kind that a rule looks for.
pub(crate) type Kind = fn(Op) -> Option<Object>;

pub(crate) fn notify(op: Op) -> Option<Object> {
    if let Op::Notify(handle) = op { Some(Object::Handle(handle)) } else { None }
}

pub(crate) fn wait(op: Op) -> Option<Object> {
    if let Op::Wait(handle) = op { Some(Object::Handle(handle)) } else { None }
}

pub(crate) fn register(op: Op) -> Option<Object> {
    if let Op::Register(callback) = op { Some(Object::Callback(callback)) } else { None }
}

pub(crate) fn unregister(op: Op) -> Option<Object> {
    if let Op::Unregister(callback) = op { Some(Object::Callback(callback)) } else { None }
}

pub(crate) fn invoke(op: Op) -> Option<Object> {
    if let Op::Invoke { callback, .. } = op { Some(Object::Callback(callback)) } else { None }
}

pub(crate) fn acquire(op: Op) -> Option<Object> {
    if let Op::Lock(lock) = op { Some(Object::Lock(lock)) } else { None }
}

pub(crate) fn release(op: Op) -> Option<Object> {
    if let Op::Unlock(lock) = op { Some(Object::Lock(lock)) } else { None }
}

pub(crate) fn enable(op: Op) -> Option<Object> {
    if let Op::Enable(id) = op { Some(Object::Environment(id.0)) } else { None }
}

pub(crate) fn trigger(op: Op) -> Option<Object> {
    if let Op::Trigger(id) = op { Some(Object::Environment(id.0)) } else { None }
}

/// SIGNAL: a notification, or a registration.
pub(crate) fn signal(op: Op) -> Option<Object> {
    notify(op).or_else(|| register(op))
}

/// SIGNAL: the end of a wait, or the call of a callback.
pub(crate) fn signalled(op: Op) -> Option<Object> {
    wait(op).or_else(|| invoke(op))
}

/// The statements of a rule that orders two operations on one object.
pub(crate) struct Link {
    pub(crate) kinds: (Kind, Kind),
    /// There is an operation of the first kind, and one of the second.
    pub(crate) exist: (&'static str, &'static str),
    /// Both are about one object.
    pub(crate) same: &'static str,
    /// Whether this is the usual way in which threads wait for each other, so that it is missing where there is no
    /// such operation at all.
    pub(crate) is_usual: bool,
}

impl Pair<'_> {
    /// A rule that orders an operation of one kind before a later one of another kind on the same
    /// object. `more` adds the premises of the rule itself.
    pub(crate) fn link(&self, link: &Link, more: impl Fn(Checks, OpId, OpId) -> Checks) -> Found {
        let of = |ops: &[OpId], kind: Kind| -> Vec<(OpId, Object)> {
            ops.iter().filter_map(|&op| Some((op, kind(self.trace.op(op))?))).collect()
        };
        let firsts = of(self.around.first, link.kinds.0);
        let seconds = of(self.around.second, link.kinds.1);
        let mut best: Found = None;
        for &(alpha, of_alpha) in &firsts {
            for &(beta, of_beta) in seconds.iter().filter(|&&(beta, _)| beta != alpha) {
                let checks = Checks::default()
                    .need_of(of_alpha == of_beta, link.same, (alpha, beta))
                    .need_of(alpha < beta, "the one came before the other", (alpha, beta));
                let checks = self.ordered(checks, self.a, alpha);
                let checks = self.ordered(checks, beta, self.b);
                let checks = more(checks, alpha, beta);
                if best.is_none_or(|best| checks.failing < best.failing) {
                    best = Some(checks);
                }
            }
        }
        let is_neither = firsts.is_empty() && seconds.is_empty();
        if best.is_some() || is_neither && (self.on_one_thread() || !link.is_usual) {
            return best;
        }
        let checks = Checks::default()
            .need(!firsts.is_empty(), link.exist.0)
            .need(!seconds.is_empty(), link.exist.1);
        let checks = match (firsts.first(), seconds.first()) {
            (Some(_), None) if !firsts.iter().any(|&(op, _)| self.is_before(self.a, op)) => {
                self.ordered(checks, self.a, firsts[0].0)
            }
            (None, Some(_)) if !seconds.iter().any(|&(op, _)| self.is_before(op, self.b)) => {
                self.ordered(checks, seconds[0].0, self.b)
            }
            (None, None) => checks.far(),
            // Only one operation on the same object could be both.
            (Some(_), Some(_)) => checks.need(false, link.exist.1),
            _ => checks,
        };
        Some(checks)
    }

    fn is_before(&self, x: OpId, y: OpId) -> bool {
        x == y || self.order.before(x, y)
    }

    /// NOTIFY-WAIT and DroidRacer's NOTIFY.
    pub(crate) fn notified(&self) -> Found {
        let link = Link {
            kinds: (notify, wait),
            exist: (
                "the first thread notified something after it (`notify`)",
                "the second thread waited for something before it (`wait`)",
            ),
            same: "the notification were the one that is waited for",
            is_usual: true,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// SIGNAL.
    pub(crate) fn signalled(&self) -> Found {
        let link = Link {
            kinds: (signal, signalled),
            exist: (
                "the first thread notified something or registered a callback after it",
                "the second thread waited for something or ran a callback before it",
            ),
            same: "the signal were the one that is waited for",
            is_usual: true,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// LOCK-ORDER and DroidRacer's LOCK.
    pub(crate) fn locked(&self, outermost: bool) -> Found {
        let link = Link {
            kinds: (release, acquire),
            exist: (
                "the first thread released a lock after it",
                "the second thread acquired a lock before it",
            ),
            same: "both held one lock",
            is_usual: false,
        };
        let threads = !self.on_one_thread();
        self.link(&link, |checks, alpha, _| {
            let is_outermost = !outermost || self.around.released.binary_search(&alpha).is_ok();
            let ends = "the release ended an outermost section of the lock";
            checks.need(outermost || threads, "they ran on different threads").need_of(
                is_outermost,
                ends,
                (alpha, alpha),
            )
        })
    }

    /// CALLBACK-REG-1.
    pub(crate) fn registered(&self) -> Found {
        let link = Link {
            kinds: (register, invoke),
            exist: (
                "a callback were registered after the first",
                "a callback were invoked before the second",
            ),
            same: "the callback were the one that is invoked",
            is_usual: false,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// CALLBACK-REG-2.
    pub(crate) fn registered_and_removed(&self) -> Found {
        let link = Link {
            kinds: (register, unregister),
            exist: (
                "a callback were registered after the first",
                "a callback were unregistered before the second",
            ),
            same: "the callback were the one that is unregistered",
            is_usual: false,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// CALLBACK-UNREG.
    pub(crate) fn invoked_and_removed(&self) -> Found {
        let link = Link {
            kinds: (invoke, unregister),
            exist: (
                "a callback were invoked after the first",
                "a callback were unregistered before the second",
            ),
            same: "the callback were the one that is unregistered",
            is_usual: false,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// CALLBACK-INV.
    pub(crate) fn invoked_twice(&self) -> Found {
        let link = Link {
            kinds: (invoke, invoke),
            exist: (
                "a callback were invoked after the first",
                "a callback were invoked before the second",
            ),
            same: "both invocations were of one callback",
            is_usual: false,
        };
        let is_sync = |op| matches!(self.trace.op(op), Op::Invoke { sync: true, .. });
        self.link(&link, |checks, alpha, beta| {
            let both = is_sync(alpha) && is_sync(beta);
            checks.need_of(both, "both invocations were synchronous", (alpha, beta))
        })
    }

    /// DroidRacer's ENABLE-EVENT.
    pub(crate) fn enabled(&self) -> Found {
        let link = Link {
            kinds: (enable, trigger),
            exist: (
                "something were enabled after the first",
                "something were triggered before the second",
            ),
            same: "what is triggered were what was enabled",
            is_usual: false,
        };
        self.link(&link, |checks, _, _| checks)
    }

    /// FORK, THREAD-FORK, FORK-THREAD.
    pub(crate) fn forked(&self, needs_init: bool) -> Found {
        let of = |&fork: &OpId| {
            let checks = Checks::default();
            let (checks, start) = if needs_init {
                let statement = "the trace showed where the second thread starts (`init`)";
                (checks.need(self.around.init.is_some(), statement), self.around.init)
            } else {
                (checks.need(fork < self.b, "the fork came before the second"), None)
            };
            let checks = self.ordered(checks, self.a, fork);
            start.map_or(checks, |start| self.ordered(checks, start, self.b))
        };
        self.around.forks.iter().map(of).min_by_key(|checks| checks.failing)
    }

    /// JOIN, THREAD-JOIN, JOIN-THREAD.
    pub(crate) fn joined(&self, needs_exit: bool) -> Found {
        let of = |&join: &OpId| {
            let checks = Checks::default();
            let checks = match self.around.exit {
                _ if !needs_exit => checks,
                None => checks.need(false, "the trace showed where the first thread ends (`exit`)"),
                Some(exit) => {
                    let came = "the thread had ended when the join returned";
                    self.ordered(checks, self.a, exit).need_of(exit < join, came, (exit, join))
                }
            };
            let checks = checks.need_of(self.a < join, "the join came later", (self.a, join));
            self.ordered(checks, join, self.b)
        };
        let found = self.around.joins.iter().map(of).min_by_key(|checks| checks.failing);
        found.or_else(|| {
            let is_join = |op: &&OpId| matches!(self.trace.op(**op), Op::Join(_));
            let &join = self.around.second.iter().filter(|&&op| op <= self.b).find(is_join)?;
            let waited = "the join waited for the thread of the first";
            Some(Checks::default().need_of(false, waited, (join, self.a)))
        })
    }

    /// EVENT-OP, PO: operations of one event.
    pub(crate) fn in_one_event(&self) -> Found {
        let applies = self.on_one_thread() && self.events().is_some();
        applies.then(|| Checks::default().need(false, "both ran in one event"))
    }

    /// PO in AsyncClock and DroidRacer.
    pub(crate) fn in_one_task(&self) -> Found {
        let statement = "both ran in one event, or both outside events";
        self.on_one_thread().then(|| Checks::default().need(false, statement))
    }

    /// EVENT-ORDER.
    pub(crate) fn in_one_action(&self) -> Checks {
        let both = self.t.is_some() && self.u.is_some();
        let checks = Checks::default().need(both, "both ran in events");
        checks.need(false, "both ran in one event").far()
    }

    /// THREAD-OP, USER-THREAD-OP.
    pub(crate) fn outside_events(&self, user_threads: bool) -> Found {
        let is_user = || {
            let thread = self.trace.thread(self.trace.thread_of(self.a));
            thread.queue.is_none() && !self.around.runs_events
        };
        let outside = self.t.is_none() && self.u.is_none();
        let checks = Checks::default().need(outside, "both ran outside events");
        let statement = "the thread owned no queue and ran no event";
        self.on_one_thread().then(|| checks.need(!user_threads || is_user(), statement))
    }

    /// THREAD-ORDER.
    pub(crate) fn on_thread(&self) -> Checks {
        Checks::default().need(self.on_one_thread(), "both ran on one thread")
    }

    /// THREAD-INIT.
    pub(crate) fn initialised(&self) -> Found {
        let applies = self.on_one_thread() && self.t.is_none();
        let is_init = self.trace.op(self.a) == Op::Init;
        applies.then(|| Checks::default().need(is_init, "the first were the thread's `init`"))
    }

    /// THREAD-EXIT.
    pub(crate) fn exited(&self) -> Found {
        if let Some(exit) = self.around.exit.filter(|_| !self.on_one_thread()) {
            return Some(self.ordered(Checks::default(), exit, self.b));
        }
        let applies = self.on_one_thread() && self.u.is_none();
        let is_exit = self.trace.op(self.b) == Op::Exit;
        applies.then(|| Checks::default().need(is_exit, "the second were the thread's `exit`"))
    }

    /// LOOPBEGIN.
    pub(crate) fn loop_begun(&self) -> Found {
        let event = self.u?;
        if let Some(init) = self.around.init.filter(|_| !self.on_one_thread()) {
            let checks = Checks::default().need(self.is_of_looper(event), OF_LOOPER);
            return Some(self.ordered(checks, self.a, init));
        }
        if !self.on_one_thread() || self.t.is_some() {
            return None;
        }
        let is_init = self.trace.op(self.a) == Op::Init;
        let checks = Checks::default().need(self.is_of_looper(event), OF_LOOPER);
        Some(checks.need(is_init, "the first were the thread's `init`"))
    }

    /// LOOPEND.
    pub(crate) fn loop_ended(&self) -> Found {
        let event = self.t?;
        if let Some(exit) = self.around.exit.filter(|_| !self.on_one_thread()) {
            let checks = Checks::default().need(self.is_of_looper(event), OF_LOOPER);
            return Some(self.ordered(checks, exit, self.b));
        }
        if !self.on_one_thread() || self.u.is_some() {
            return None;
        }
        let is_exit = self.trace.op(self.b) == Op::Exit;
        let checks = Checks::default().need(self.is_of_looper(event), OF_LOOPER);
        Some(checks.need(is_exit, "the second were the thread's `exit`"))
    }

    pub(crate) fn is_of_looper(&self, event: trace::EventId) -> bool {
        let queue = self.trace.event(event).queue;
        queue.is_some_and(|queue| self.trace.queue(queue).kind == QueueKind::Looper)
    }

    /// DroidRacer's ATTACH and LOOP.
    pub(crate) fn attached(&self, looping: bool) -> Found {
        let wanted = |op: &&OpId| match self.trace.op(**op) {
            Op::Loop(_) => looping,
            Op::Attach(_) => !looping,
            _ => false,
        };
        let &op = self.around.first.iter().find(wanted)?;
        let applies = !looping || self.on_one_thread();
        applies.then(|| self.ordered(Checks::default(), self.a, op))
    }

    /// DroidRacer's TRANS.
    pub(crate) fn through_another_thread(&self) -> Found {
        let applies = self.on_one_thread() && self.events().is_some();
        let statement =
            "the steps between them led from the end of one task to the begin of the other";
        applies.then(|| Checks::default().need(false, statement).far())
    }

    /// REMOVE-BARRIER.
    pub(crate) fn barrier_removed(&self) -> Found {
        let (_, message) = self.posted(self.u?)?;
        let begin = self.trace.event(self.u?).begin?;
        let removal = |op: &OpId| match self.trace.op(*op) {
            Op::RemoveBarrier(barrier) => Some((*op, barrier)),
            _ => None,
        };
        let held = matches!(message.posting, Posting::Delayed(_));
        let of = |(removal, barrier)| {
            let post = self.around.barriers.iter().find_map(|&op| match self.trace.op(op) {
                Op::PostBarrier(other, queue) if other == barrier => Some((op, queue)),
                _ => None,
            });
            let (post, queue) = post?;
            let enqueue = self.trace.event(self.u?).enqueue?;
            let checks = Checks::default()
                .need(queue == message.queue, "the barrier stood in the queue of the second")
                .need(held, "the second had been posted with a delay or none")
                .need(!message.is_async, "the second were not asynchronous")
                .need_of(post < removal, "the barrier had been posted before", (post, removal))
                .need_of(removal < begin, "the removal came before the event", (removal, begin));
            let checks = self.ordered(checks, post, enqueue);
            Some(self.ordered(checks, self.a, removal))
        };
        let removals = self.around.first.iter().filter_map(removal);
        removals.filter_map(of).min_by_key(|checks| checks.failing)
    }
}

pub(crate) const OF_LOOPER: &str = "the events ran on a looper";
