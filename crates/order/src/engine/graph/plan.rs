//! Which mechanisms a set of rules asks the graph engine for.

use super::nodes::TaskId;
use trace::{Enqueue, EventId, OpId, Posting, QueueKind, ThreadId, Trace};

use crate::model::RuleSet;
use crate::rule::Rule;
use crate::rules;

/// What orders the operations of a group by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskKind {
    /// An event: its operations follow the trace.
    Event(u32),
    /// A thread outside events, or whole where events mean nothing.
    Thread(ThreadId),
    /// Nothing: the operation stands alone.
    Alone,
}

impl TaskKind {
    /// The number of the task, with so many events, unless an operation stands alone.
    pub(crate) fn task(self, events: usize) -> Option<TaskId> {
        match self {
            Self::Event(event) => Some(TaskId(event)),
            Self::Thread(thread) => Some(TaskId(events as u32 + thread.0)),
            Self::Alone => None,
        }
    }
}

/// The rules that are on, as the sweep asks for them; a rule that is off is absent.
#[allow(clippy::struct_excessive_bools, reason = "each is a refinement of its own")]
pub(crate) struct Plan {
    /// Order within events, and within threads outside events.
    pub(crate) event_order: Option<&'static Rule>,
    pub(crate) thread_order: Option<&'static Rule>,
    /// Only threads that own no queue and run no event are ordered.
    pub(crate) user_threads_only: bool,
    /// Threads are ordered whole: events mean nothing.
    pub(crate) whole_threads: Option<&'static Rule>,
    pub(crate) threads_model: bool,

    pub(crate) fork: Option<&'static Rule>,
    pub(crate) join: Option<&'static Rule>,
    pub(crate) init: Option<&'static Rule>,
    pub(crate) exit: Option<&'static Rule>,
    pub(crate) loop_begin: Option<&'static Rule>,
    pub(crate) loop_end: Option<&'static Rule>,
    pub(crate) fork_thread: Option<&'static Rule>,
    pub(crate) join_thread: Option<&'static Rule>,
    pub(crate) lock: Option<&'static Rule>,
    pub(crate) notify: Option<&'static Rule>,
    pub(crate) register_invoke: Option<&'static Rule>,
    pub(crate) register_unregister: Option<&'static Rule>,
    pub(crate) invoke_unregister: Option<&'static Rule>,
    pub(crate) invoke_invoke: Option<&'static Rule>,
    pub(crate) enqueue_begin: Option<&'static Rule>,
    pub(crate) blocking: Option<&'static Rule>,
    pub(crate) remove: Option<&'static Rule>,
    pub(crate) remove_on_looper: bool,
    pub(crate) remove_barrier: Option<&'static Rule>,
    /// MSG-BEGIN-1 or PRIORITY.
    pub(crate) posted_in_order: Option<&'static Rule>,
    pub(crate) at_time: Option<&'static Rule>,
    /// MSG-BEGIN-2 or ATFRONT.
    pub(crate) front: Option<&'static Rule>,
    /// LOOPER-ATOMIC: from the begin on.
    pub(crate) atomic_whole: Option<&'static Rule>,
    /// ATOMIC: from the operation on.
    pub(crate) atomic_from: Option<&'static Rule>,
    /// NATIVE or INPUT.
    pub(crate) native: Option<&'static Rule>,
    pub(crate) ipc_handle: Option<&'static Rule>,
    pub(crate) ipc_async: Option<&'static Rule>,

    is_asyncclock: bool,
    normal_form: bool,
    front_passes_barrier: bool,
}

impl Plan {
    pub(crate) fn new(rules: &RuleSet) -> Self {
        let on = |rule: &'static Rule| rules.contains(rule).then_some(rule);
        let is_asyncclock = rules.model().name == crate::model::ASYNCCLOCK.name;
        let threads_model = rules.model().name == crate::model::THREADS.name;
        let outside = on(&rules::THREAD_OP).or(on(&rules::USER_THREAD_OP)).or(on(&rules::PO));
        let ipc = |android, asyncclock| on(if is_asyncclock { asyncclock } else { android });
        Self {
            event_order: on(&rules::EVENT_OP).or(on(&rules::PO)),
            thread_order: outside,
            user_threads_only: outside == Some(&rules::USER_THREAD_OP),
            whole_threads: on(&rules::THREAD_ORDER),
            threads_model,
            fork: on(&rules::THREAD_FORK).or(on(&rules::FORK)),
            join: on(&rules::THREAD_JOIN).or(on(&rules::JOIN)),
            init: on(&rules::THREAD_INIT),
            exit: on(&rules::THREAD_EXIT),
            loop_begin: on(&rules::LOOPBEGIN),
            loop_end: on(&rules::LOOPEND),
            fork_thread: on(&rules::FORK_THREAD),
            join_thread: on(&rules::JOIN_THREAD),
            lock: on(&rules::LOCK_ORDER),
            notify: on(&rules::NOTIFY_WAIT).or(on(&rules::SIGNAL)),
            register_invoke: on(&rules::CALLBACK_REG_1).or(on(&rules::SIGNAL)),
            register_unregister: on(&rules::CALLBACK_REG_2),
            invoke_unregister: on(&rules::CALLBACK_UNREG),
            invoke_invoke: on(&rules::CALLBACK_INV),
            enqueue_begin: on(&rules::MSG_ENQUEUE).or(on(&rules::SEND)),
            blocking: on(&rules::MSG_BLOCKING),
            remove: on(&rules::MSG_REMOVE),
            remove_on_looper: rules.contains(&rules::REMOVE_ON_LOOPER),
            remove_barrier: on(&rules::REMOVE_BARRIER),
            posted_in_order: on(&rules::MSG_BEGIN_1).or(on(&rules::PRIORITY)),
            at_time: on(&rules::AT_TIME),
            front: on(&rules::MSG_BEGIN_2).or(on(&rules::ATFRONT)),
            atomic_whole: on(&rules::LOOPER_ATOMIC),
            atomic_from: on(&rules::ATOMIC),
            native: on(&rules::NATIVE).or(on(&rules::INPUT)),
            ipc_handle: ipc(&rules::IPC_HANDLE, &rules::IPC_HANDLE_IN_ASYNCCLOCK),
            ipc_async: ipc(&rules::IPC_ASYNC, &rules::IPC_ASYNC_IN_ASYNCCLOCK),
            is_asyncclock,
            normal_form: rules.contains(&rules::NORMAL_FORM),
            front_passes_barrier: rules.contains(&rules::FRONT_PASSES_BARRIER),
        }
    }

    /// Whether operations of one event are ordered, so that an event's begin precedes its end.
    pub(crate) fn events_are_ordered(&self) -> bool {
        self.event_order.is_some()
    }

    /// How a message asks to be dispatched, in normal form where the model knows one.
    pub(crate) fn posting(&self, enqueue: Enqueue) -> Posting {
        if self.normal_form { rules::posting::normal(enqueue.posting) } else { enqueue.posting }
    }

    /// Whether a message posted so may run after one posted to the front while it waited.
    pub(crate) fn waits(&self, posting: Posting) -> bool {
        self.is_asyncclock
            || matches!(
                posting,
                Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front | Posting::Idle
            )
    }

    /// Whether `async` flags let a front post γ pass a waiting message η.
    pub(crate) fn front_passes(&self, front_async: bool, waiting_async: bool) -> bool {
        self.is_asyncclock || self.front_passes_barrier || front_async || !waiting_async
    }

    /// Whether `async` flags keep a post η before a later one γ.
    pub(crate) fn keeps(&self, eta_async: bool, eta_front: bool, gamma_async: bool) -> bool {
        eta_async || !gamma_async || eta_front && self.front_passes_barrier
    }

    /// Whether the points in time of two messages order them.
    pub(crate) fn times_order(&self) -> bool {
        self.at_time.is_some() || self.is_asyncclock && self.posted_in_order.is_some()
    }

    /// The rule that orders messages for points in time.
    pub(crate) fn time_rule(&self) -> Option<&'static Rule> {
        if self.is_asyncclock { self.posted_in_order } else { self.at_time }
    }

    pub(crate) fn idle_waits(&self) -> bool {
        !self.is_asyncclock
    }

    /// Whether a queue may order input, or inter-process messages, by trace order.
    pub(crate) fn native_queue(&self, kind: QueueKind) -> bool {
        kind == QueueKind::Looper || kind == QueueKind::Binder && !self.is_asyncclock
    }

    pub(crate) fn ipc_queue(&self, kind: QueueKind) -> bool {
        kind == QueueKind::Binder || kind == QueueKind::Looper && !self.is_asyncclock
    }

    /// Which native kind a message is, where the model orders that kind.
    pub(crate) fn native_kind(&self, posting: Posting) -> Option<bool> {
        match posting {
            Posting::Input => Some(false),
            Posting::Display if !self.is_asyncclock => Some(true),
            _ => None,
        }
    }

    /// What orders an operation with others of its group.
    pub(crate) fn task_kind(&self, trace: &Trace, users: &[bool], op: OpId) -> TaskKind {
        self.kind_of(users, trace.thread_of(op), trace.event_of(op))
    }

    /// The same for an operation on `thread`, in `event`.
    pub(crate) fn kind_of(
        &self,
        users: &[bool],
        thread: ThreadId,
        event: Option<EventId>,
    ) -> TaskKind {
        if self.threads_model {
            return match self.whole_threads {
                Some(_) => TaskKind::Thread(thread),
                None => TaskKind::Alone,
            };
        }
        match event {
            Some(event) if self.event_order.is_some() => TaskKind::Event(event.0),
            Some(_) => TaskKind::Alone,
            None if self.thread_order.is_none() => TaskKind::Alone,
            None if self.user_threads_only && !users[thread.0 as usize] => TaskKind::Alone,
            None => TaskKind::Thread(thread),
        }
    }
}
