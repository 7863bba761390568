//! The mechanisms of the sweep over operations, and the plan that says which of them a set of rules
//! uses.
//!
//! Every rule of a model of operations names its mechanisms beside its definition. Two rules share a
//! mechanism if they differ only in name, or in what the mechanism's parameter states.

use super::nodes::TaskId;
use trace::{Enqueue, EventId, OpId, Posting, QueueKind, ThreadId, Trace};

use crate::model::{Events, RuleSet};
use crate::rule::Rule;
use crate::rules;

/// The group of operations that are ordered by program order alone.
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
    /// Returns the number of the task in a trace of so many events, unless the operation stands
    /// alone.
    pub(crate) fn task(self, events: usize) -> Option<TaskId> {
        match self {
            Self::Event(event) => Some(TaskId(event)),
            Self::Thread(thread) => Some(TaskId(events as u32 + thread.0)),
            Self::Alone => None,
        }
    }
}

/// How the graph engine computes what a rule concludes.
///
/// A rule with several mechanisms uses each of them. Where two rules that are on have the same
/// mechanism, the one that the model lists first is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mechanism {
    /// The operations of an event follow the trace.
    EventOrder,
    /// The operations of a thread outside events follow the trace.
    ThreadOrder(Threads),
    /// All operations of a thread follow the trace, inside and outside events.
    WholeThreadOrder,
    /// fork(t) precedes init(t).
    ForkInit,
    /// exit(t) precedes join(t).
    ExitJoin,
    /// init(t) precedes all other operations of t.
    InitFirst,
    /// exit(t) follows all other operations of t.
    ExitLast,
    /// init(t) precedes the begin of every event of t's Looper.
    InitBegin,
    /// exit(t) follows the end of every event of t's Looper.
    EndExit,
    /// fork(t) precedes all operations of t, and join(t).
    ForkThread,
    /// All operations of t precede join(t).
    ThreadJoin,
    /// An outermost release of a lock precedes every later outermost acquire.
    ReleaseAcquire,
    /// notify(h) precedes wait(h).
    NotifyWait,
    /// register(c) precedes invoke(c).
    RegisterInvoke,
    /// register(c) precedes unregister(c).
    RegisterUnregister,
    /// invoke(c) precedes unregister(c).
    InvokeUnregister,
    /// Synchronous invocations of a callback follow the trace.
    InvokeInvoke,
    /// enqueue(m) precedes begin(m).
    EnqueueBegin,
    /// end(m) precedes `enqueue_end(m)`.
    EndEnqueueEnd,
    /// begin(m) precedes remove(m), if enqueue(m) does.
    BeginRemove,
    /// The removal of a barrier precedes the begin of the messages that waited behind it.
    RemoveBarrier,
    /// Messages posted in order, with delays that do not shrink or to the front, run in order.
    PostedInOrder,
    /// Idle messages wait for the messages posted before them without a delay, and for each other.
    PostedBeforeIdle,
    /// Messages posted in order for points in time that do not shrink run in order.
    PostedForTimes,
    /// A message posted to the front runs before messages that were waiting when it was posted.
    Front(Overtaken),
    /// LOOPER-ATOMIC: what began before an event's end ended before its begin.
    AtomicFromBegin,
    /// ATOMIC: what began before an operation of an event ended before that operation.
    AtomicFromOperation,
    /// Input events of a dispatcher follow the trace.
    InputOrder(Dispatchers),
    /// Display events of a dispatcher follow the trace.
    DisplayOrder(Dispatchers),
    /// Inter-process messages of one process to one dispatcher run in the order of their posts.
    IpcHandle(Dispatchers),
    /// Asynchronous inter-process messages of one thread to one dispatcher, posted in order, run in
    /// order.
    IpcAsync(Dispatchers),
    /// What is older than a window precedes begins and operations outside events.
    Window,
    /// Refines how posts are read: time 0 is the front, and a negative delay is 0.
    NormalForm,
    /// Refines [`Self::PostedInOrder`] and [`Self::Front`]: barriers do not hold back what was posted
    /// to the front.
    FrontPassesBarrier,
    /// Refines [`Self::BeginRemove`]: only removals on the Looper's own thread are ordered.
    RemoveOnLooper,
}

impl Mechanism {
    /// Whether the mechanism orders the operations of each task as the trace does.
    pub(crate) fn is_program_order(self) -> bool {
        matches!(self, Self::EventOrder | Self::ThreadOrder(_) | Self::WholeThreadOrder)
    }
}

/// Threads whose operations outside events are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    All,
    /// Threads that own no queue and run no event.
    User,
}

/// Waiting messages that a message posted to the front overtakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overtaken {
    /// Messages that the queue itself sorts, unless a barrier may hold back only the front message.
    Queued,
    /// All messages of the queue.
    Any,
}

/// Queues whose messages a mechanism orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dispatchers {
    Loopers,
    Binders,
    /// Loopers and Binders.
    All,
}

impl Dispatchers {
    fn include(self, kind: QueueKind) -> bool {
        match kind {
            QueueKind::Looper => self != Self::Binders,
            QueueKind::Binder => self != Self::Loopers,
            QueueKind::Pool => false,
        }
    }
}

type On = Option<&'static Rule>;
type OnAt = Option<(&'static Rule, Dispatchers)>;

/// For every mechanism the rule that uses it; none if no such rule is on.
#[allow(clippy::struct_excessive_bools, reason = "each is a refinement of its own")]
#[derive(Default)]
pub(crate) struct Plan {
    /// Whether the model ignores events, so that threads are ordered whole or not at all.
    pub(crate) ignores_events: bool,

    pub(crate) event_order: On,
    pub(crate) thread_order: On,
    /// Whether `thread_order` is for [`Threads::User`].
    pub(crate) user_threads_only: bool,
    pub(crate) whole_threads: On,
    pub(crate) fork_init: On,
    pub(crate) exit_join: On,
    pub(crate) init_first: On,
    pub(crate) exit_last: On,
    pub(crate) init_begin: On,
    pub(crate) end_exit: On,
    pub(crate) fork_thread: On,
    pub(crate) thread_join: On,
    pub(crate) release_acquire: On,
    pub(crate) notify_wait: On,
    pub(crate) register_invoke: On,
    pub(crate) register_unregister: On,
    pub(crate) invoke_unregister: On,
    pub(crate) invoke_invoke: On,
    pub(crate) enqueue_begin: On,
    pub(crate) end_enqueue_end: On,
    pub(crate) begin_remove: On,
    pub(crate) remove_barrier: On,
    pub(crate) posted_in_order: On,
    pub(crate) posted_before_idle: On,
    pub(crate) posted_for_times: On,
    pub(crate) front: On,
    overtakes_any: bool,
    pub(crate) atomic_from_begin: On,
    pub(crate) atomic_from_operation: On,
    input_order: OnAt,
    display_order: OnAt,
    ipc_handle: OnAt,
    pub(crate) ipc_async: OnAt,

    /// The length of the window, if there is one.
    pub(crate) window: Option<u64>,

    normal_form: bool,
    front_passes_barrier: bool,
    pub(crate) remove_on_looper: bool,
}

impl Plan {
    pub(crate) fn new(rules: &RuleSet) -> Self {
        let mut plan = Self::default();
        if rules.model().events == Events::Ignored {
            plan.ignores_events = true;
        }
        plan.window = rules.window();
        // In reverse, so that the rule that the model lists first has the last word.
        for rule in rules.iter().rev() {
            for &mechanism in rule.mechanisms() {
                plan.set(mechanism, rule);
            }
        }
        plan
    }

    /// Sets the slot of a mechanism, which the sweep reads.
    fn set(&mut self, mechanism: Mechanism, rule: &'static Rule) {
        let on = Some(rule);
        match mechanism {
            Mechanism::EventOrder => self.event_order = on,
            Mechanism::ThreadOrder(threads) => {
                self.thread_order = on;
                self.user_threads_only = threads == Threads::User;
            }
            Mechanism::WholeThreadOrder => self.whole_threads = on,
            Mechanism::ForkInit => self.fork_init = on,
            Mechanism::ExitJoin => self.exit_join = on,
            Mechanism::InitFirst => self.init_first = on,
            Mechanism::ExitLast => self.exit_last = on,
            Mechanism::InitBegin => self.init_begin = on,
            Mechanism::EndExit => self.end_exit = on,
            Mechanism::ForkThread => self.fork_thread = on,
            Mechanism::ThreadJoin => self.thread_join = on,
            Mechanism::ReleaseAcquire => self.release_acquire = on,
            Mechanism::NotifyWait => self.notify_wait = on,
            Mechanism::RegisterInvoke => self.register_invoke = on,
            Mechanism::RegisterUnregister => self.register_unregister = on,
            Mechanism::InvokeUnregister => self.invoke_unregister = on,
            Mechanism::InvokeInvoke => self.invoke_invoke = on,
            Mechanism::EnqueueBegin => self.enqueue_begin = on,
            Mechanism::EndEnqueueEnd => self.end_enqueue_end = on,
            Mechanism::BeginRemove => self.begin_remove = on,
            Mechanism::RemoveBarrier => self.remove_barrier = on,
            Mechanism::PostedInOrder => self.posted_in_order = on,
            Mechanism::PostedBeforeIdle => self.posted_before_idle = on,
            Mechanism::PostedForTimes => self.posted_for_times = on,
            Mechanism::Front(overtaken) => {
                self.front = on;
                self.overtakes_any = overtaken == Overtaken::Any;
            }
            Mechanism::AtomicFromBegin => self.atomic_from_begin = on,
            Mechanism::AtomicFromOperation => self.atomic_from_operation = on,
            Mechanism::InputOrder(at) => self.input_order = Some((rule, at)),
            Mechanism::DisplayOrder(at) => self.display_order = Some((rule, at)),
            Mechanism::IpcHandle(at) => self.ipc_handle = Some((rule, at)),
            Mechanism::IpcAsync(at) => self.ipc_async = Some((rule, at)),
            // The set of rules states its length.
            Mechanism::Window => {}
            Mechanism::NormalForm => self.normal_form = true,
            Mechanism::FrontPassesBarrier => self.front_passes_barrier = true,
            Mechanism::RemoveOnLooper => self.remove_on_looper = true,
        }
    }

    /// Whether operations of one event are ordered, so that an event's begin precedes its end.
    pub(crate) fn events_are_ordered(&self) -> bool {
        self.event_order.is_some()
    }

    /// Returns how a message was posted, in normal form if NORMAL-FORM is on.
    pub(crate) fn posting(&self, enqueue: Enqueue) -> Posting {
        if self.normal_form { rules::posting::normal(enqueue.posting) } else { enqueue.posting }
    }

    /// Whether a message posted so may run after one posted to the front while it waited.
    pub(crate) fn waits(&self, posting: Posting) -> bool {
        self.overtakes_any
            || matches!(
                posting,
                Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front | Posting::Idle
            )
    }

    /// Whether the `async` flags let a message posted to the front overtake one that waits.
    pub(crate) fn front_passes(&self, front_async: bool, waiting_async: bool) -> bool {
        self.overtakes_any || self.front_passes_barrier || front_async || !waiting_async
    }

    /// Whether the `async` flags of two posts η ≺ γ keep their messages in order.
    pub(crate) fn keeps(&self, eta_async: bool, eta_front: bool, gamma_async: bool) -> bool {
        eta_async || !gamma_async || eta_front && self.front_passes_barrier
    }

    /// The rule that orders messages posted so to a queue of `kind` by the trace alone, if any.
    pub(crate) fn native(&self, posting: Posting, kind: QueueKind) -> On {
        match posting {
            Posting::Input => at(self.input_order, kind),
            Posting::Display => at(self.display_order, kind),
            _ => None,
        }
    }

    /// The rule that orders inter-process messages to a queue of `kind` by their posts in the trace.
    pub(crate) fn ipc_handle_at(&self, kind: QueueKind) -> On {
        at(self.ipc_handle, kind)
    }

    /// The rule that orders asynchronous inter-process messages to a queue of `kind` by
    /// happens-before of their posts, if it orders anything that [`Self::ipc_handle_at`] does not.
    pub(crate) fn ipc_async_at(&self, kind: QueueKind) -> On {
        at(self.ipc_async, kind).filter(|_| self.ipc_handle.is_none())
    }

    /// Whether asynchronous inter-process messages are ordered by their posts on any queue.
    pub(crate) fn ipc_async_is_on(&self) -> bool {
        self.ipc_async.is_some() && self.ipc_handle.is_none()
    }

    /// Returns the group of an operation.
    pub(crate) fn task_kind(&self, trace: &Trace, users: &[bool], op: OpId) -> TaskKind {
        self.kind_of(users, trace.thread_of(op), trace.event_of(op))
    }

    /// Returns the group of an operation on `thread`, in `event`.
    pub(crate) fn kind_of(
        &self,
        users: &[bool],
        thread: ThreadId,
        event: Option<EventId>,
    ) -> TaskKind {
        if self.ignores_events {
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

fn at(rule: OnAt, kind: QueueKind) -> On {
    rule.filter(|(_, dispatchers)| dispatchers.include(kind)).map(|(rule, _)| rule)
}
