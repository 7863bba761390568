//! Hand-written traces, and assertions about them for the tests of rules.

use trace::{Attributes, Enqueue, Op, OpId, Posting, Trace, TraceBuilder};

use crate::oracle::{Model, RuleSwitches, happens_before};

/// A builder of small traces. Every method appends one operation; its first argument is the thread.
pub(super) struct Mini(TraceBuilder);

/// A method that interns the name of an operation's only argument and appends it.
macro_rules! unary {
    ($($method:ident $table:ident $op:ident;)*) => {$(
        pub(super) fn $method(&mut self, thread: &str, name: &str) -> OpId {
            let id = self.0.names().$table.intern(name.as_bytes());
            self.push(thread, Op::$op(id))
        }
    )*};
}

impl Mini {
    /// An empty trace.
    pub(super) fn new() -> Self {
        Self(TraceBuilder::new())
    }

    /// A trace whose threads `L` and `L2` have attached the queues `Q` and `Q2`.
    pub(super) fn with_loopers() -> Self {
        let mut mini = Self::new();
        mini.attach("L", "Q");
        mini.attach("L2", "Q2");
        mini
    }

    unary! {
        fork threads Fork;
        join threads Join;
        notify handles Notify;
        wait handles Wait;
        lock locks Lock;
        unlock locks Unlock;
        attach queues Attach;
        enqueue_end events EnqueueEnd;
        remove events Remove;
        begin events Begin;
        end events End;
        remove_barrier barriers RemoveBarrier;
        register callbacks Register;
        unregister callbacks Unregister;
        read locations Read;
        write locations Write;
    }

    pub(super) fn push(&mut self, thread: &str, op: Op) -> OpId {
        let thread = self.0.names().threads.intern(thread.as_bytes());
        self.0.push(thread, op, Attributes::default())
    }

    pub(super) fn init(&mut self, thread: &str) -> OpId {
        self.push(thread, Op::Init)
    }

    pub(super) fn exit(&mut self, thread: &str) -> OpId {
        self.push(thread, Op::Exit)
    }

    pub(super) fn invoke(&mut self, thread: &str, callback: &str, sync: bool) -> OpId {
        let callback = self.0.names().callbacks.intern(callback.as_bytes());
        self.push(thread, Op::Invoke { callback, sync })
    }

    pub(super) fn post_barrier(&mut self, thread: &str, barrier: &str, queue: &str) -> OpId {
        let barrier = self.0.names().barriers.intern(barrier.as_bytes());
        let queue = self.0.names().queues.intern(queue.as_bytes());
        self.push(thread, Op::PostBarrier(barrier, queue))
    }

    /// An event of type `of_type`, or an arc by it.
    pub(super) fn typed(&mut self, thread: &str, op: Op, of_type: &str) -> OpId {
        let thread = self.0.names().threads.intern(thread.as_bytes());
        let event_type = Some(self.0.text(of_type.as_bytes()));
        self.0.push(thread, op, Attributes { event_type, ..Attributes::default() })
    }

    /// A part of a task: an event of type `of_type` without operations of its own.
    pub(super) fn part(&mut self, thread: &str, message: &str, of_type: &str) -> (OpId, OpId) {
        (self.begin_part(thread, message, of_type), self.end(thread, message))
    }

    pub(super) fn begin_part(&mut self, thread: &str, message: &str, of_type: &str) -> OpId {
        let event = self.0.names().events.intern(message.as_bytes());
        self.typed(thread, Op::Begin(event), of_type)
    }

    pub(super) fn arc_by(&mut self, thread: &str, from: &str, to: &str, by: &str) -> OpId {
        let from = self.0.names().events.intern(from.as_bytes());
        let to = self.0.names().events.intern(to.as_bytes());
        self.typed(thread, Op::Arc(from, to), by)
    }

    pub(super) fn arc(&mut self, thread: &str, from: &str, to: &str) -> OpId {
        let from = self.0.names().events.intern(from.as_bytes());
        let to = self.0.names().events.intern(to.as_bytes());
        self.push(thread, Op::Arc(from, to))
    }

    /// An enqueue that is neither async nor a blocking call.
    pub(super) fn enqueue(&mut self, thread: &str, m: &str, queue: &str, p: Posting) -> OpId {
        self.enqueue_flagged(thread, m, queue, p, "")
    }

    /// An enqueue with the flag `async`, `sync` or none.
    pub(super) fn enqueue_flagged(
        &mut self,
        thread: &str,
        message: &str,
        queue: &str,
        posting: Posting,
        flag: &str,
    ) -> OpId {
        let event = self.0.names().events.intern(message.as_bytes());
        let queue = self.0.names().queues.intern(queue.as_bytes());
        let (is_async, sync) = (flag == "async", flag == "sync");
        self.push(thread, Op::Enqueue(Enqueue { event, queue, posting, is_async, sync }))
    }

    /// An event without operations of its own: its begin and end.
    pub(super) fn event(&mut self, thread: &str, message: &str) -> (OpId, OpId) {
        (self.begin(thread, message), self.end(thread, message))
    }

    /// Puts a thread into a process other than the default one.
    pub(super) fn process(&mut self, thread: &str, process: &str) {
        let thread = self.0.names().threads.intern(thread.as_bytes());
        let process = self.0.names().processes.intern(process.as_bytes());
        self.0.assign_process(thread, process);
    }

    pub(super) fn build(self) -> Trace {
        self.0.finish().0
    }

    /// Asserts that α ≺ β in the model, and not without the rule.
    #[track_caller]
    pub(super) fn fires(self, model: Model, rule: &str, alpha: OpId, beta: OpId) {
        let trace = self.build();
        let with = happens_before(&trace, model, &RuleSwitches::default().on(rule));
        assert!(with.holds(alpha, beta), "{rule} concludes {alpha:?} ≺ {beta:?} in\n{with}");
        let without = happens_before(&trace, model, &RuleSwitches::default().off(rule));
        assert!(!without.holds(alpha, beta), "{alpha:?} ≺ {beta:?} without {rule} in\n{without}");
    }

    /// Asserts that α and β are unordered in the model, with the rule switched on.
    #[track_caller]
    pub(super) fn misses(self, model: Model, rule: &str, alpha: OpId, beta: OpId) {
        assert!(model.rules().iter().any(|&(name, _)| name == rule), "{rule} is no rule");
        let order = happens_before(&self.build(), model, &RuleSwitches::default().on(rule));
        assert!(!order.holds(alpha, beta), "{alpha:?} ≺ {beta:?} in\n{order}");
    }
}
