//! The context of each thread: its event and its call stack.
//!
//! This module interprets begin, end, enter and leave like [`trace::TraceBuilder`], so that a run
//! of accesses has its context without building a trace. It takes one bit of memory for each
//! message, and the open events of each thread.

use trace::{EventId, Id, Op, StackId, ThreadId};

#[derive(Clone, Default)]
struct ThreadContext {
    /// The events that have begun and not ended, innermost last, each with the stack at its begin.
    open: Vec<(EventId, Option<StackId>)>,
    stack: Option<StackId>,
}

/// The contexts of all threads.
#[derive(Clone, Default)]
pub(crate) struct Contexts {
    threads: Vec<ThreadContext>,
    /// One bit for each message that has begun. A second begin is ignored.
    begun: Vec<u64>,
}

impl Contexts {
    fn thread(&mut self, thread: ThreadId) -> &mut ThreadContext {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, ThreadContext::default());
        }
        &mut self.threads[thread.index()]
    }

    /// The current event and stack of a thread.
    pub(crate) fn current(&mut self, thread: ThreadId) -> (Option<EventId>, Option<StackId>) {
        let context = self.thread(thread);
        (context.open.last().map(|&(event, _)| event), context.stack)
    }

    /// Applies a sync operation, and returns the event that it runs in.
    pub(crate) fn sync(&mut self, thread: ThreadId, op: Op) -> Option<EventId> {
        if let Op::Begin(event) = op
            && self.begin_first(event)
        {
            let context = self.thread(thread);
            context.open.push((event, context.stack));
        }
        let (event, _) = self.current(thread);
        if let Op::End(ended) = op {
            let context = self.thread(thread);
            if let Some((_, stack)) = context.open.pop_if(|&mut (open, _)| open == ended) {
                context.stack = stack;
            }
        }
        event
    }

    fn begin_first(&mut self, event: EventId) -> bool {
        let (word, bit) = (event.index() / 64, 1 << (event.index() % 64));
        if self.begun.len() <= word {
            self.begun.resize(word + 1, 0);
        }
        let first = self.begun[word] & bit == 0;
        self.begun[word] |= bit;
        first
    }

    /// Enters a function. `stack` has the function's frame on top.
    pub(crate) fn enter(&mut self, thread: ThreadId, stack: StackId) {
        self.thread(thread).stack = Some(stack);
    }

    /// Leaves the function that the thread entered last, unless it entered it before the innermost
    /// open event.
    pub(crate) fn leave(
        &mut self,
        thread: ThreadId,
        parent: impl FnOnce(StackId) -> Option<StackId>,
    ) {
        let context = self.thread(thread);
        let floor = context.open.last().and_then(|&(_, stack)| stack);
        if let Some(stack) = context.stack.filter(|_| context.stack != floor) {
            context.stack = parent(stack);
        }
    }
}
