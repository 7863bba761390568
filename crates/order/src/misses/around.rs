//! The synchronising operations around two operations of a trace.

use std::collections::{HashMap, VecDeque};

use trace::{LockId, Op, OpId, ThreadId, Trace};

/// The largest number of operations that are kept before, and after, each of the two.
const NEAR: usize = 32;

/// The operations that rules look for around two operations `a` and `b`.
#[derive(Default)]
pub(crate) struct Around {
    /// What the thread of `a` does to threads, locks, handles, callbacks and barriers, near `a`.
    pub(crate) first: Vec<OpId>,
    /// The same for `b`.
    pub(crate) second: Vec<OpId>,
    /// The forks of the thread of `b`.
    pub(crate) forks: Vec<OpId>,
    /// The joins of the thread of `a`.
    pub(crate) joins: Vec<OpId>,
    /// The `init` of the thread of `b`, and the `exit` of the thread of `a`.
    pub(crate) init: Option<OpId>,
    pub(crate) exit: Option<OpId>,
    /// The removals of the event of `a` or `b`, and the ends of blocking posts of the event of `a`.
    pub(crate) removals: Vec<OpId>,
    pub(crate) returns: Vec<OpId>,
    /// The posts of barriers.
    pub(crate) barriers: Vec<OpId>,
    /// The releases of the thread of `a` that end an outermost section.
    pub(crate) released: Vec<OpId>,
    /// Whether the thread of `a` runs events.
    pub(crate) runs_events: bool,
    /// The first begin of an event at or after `a`.
    pub(crate) next_begin: Option<OpId>,
}

/// The operations of a thread near one operation.
struct Near {
    thread: ThreadId,
    at: OpId,
    before: VecDeque<OpId>,
    after: Vec<OpId>,
}

impl Near {
    fn new(trace: &Trace, at: OpId) -> Self {
        let thread = trace.thread_of(at);
        Self { thread, at, before: VecDeque::new(), after: Vec::new() }
    }

    fn note(&mut self, thread: ThreadId, op: OpId) {
        if thread != self.thread {
            return;
        }
        if op < self.at {
            if self.before.len() == NEAR {
                self.before.pop_front();
            }
            self.before.push_back(op);
        } else if self.after.len() < NEAR {
            self.after.push(op);
        }
    }

    fn finish(self) -> Vec<OpId> {
        self.before.into_iter().chain(self.after).collect()
    }
}

impl Around {
    /// Collects the operations in one pass over the trace.
    pub(crate) fn new(trace: &Trace, a: OpId, b: OpId) -> Self {
        let mut around = Self::default();
        let (mut first, mut second) = (Near::new(trace, a), Near::new(trace, b));
        let (of_a, of_b) = (trace.event_of(a), trace.event_of(b));
        let mut held: HashMap<LockId, u32> = HashMap::new();
        for op in trace.ops() {
            let kind = trace.op(op);
            if matches!(kind, Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
                continue;
            }
            let thread = trace.thread_of(op);
            match kind {
                Op::Fork(child) if child == second.thread => around.forks.push(op),
                Op::Join(child) if child == first.thread => around.joins.push(op),
                Op::Init if thread == second.thread => around.init = Some(op),
                Op::Exit if thread == first.thread => around.exit = Some(op),
                Op::Remove(event) if [of_a, of_b].contains(&Some(event)) => {
                    around.removals.push(op);
                }
                Op::EnqueueEnd(event) if of_a == Some(event) => around.returns.push(op),
                Op::PostBarrier(..) if around.barriers.len() < NEAR => around.barriers.push(op),
                Op::Begin(_) => {
                    around.runs_events |= thread == first.thread;
                    if op >= a && around.next_begin.is_none() {
                        around.next_begin = Some(op);
                    }
                }
                Op::Lock(lock) if thread == first.thread => *held.entry(lock).or_default() += 1,
                Op::Unlock(lock) if thread == first.thread => {
                    let depth = held.entry(lock).or_default();
                    if *depth == 1 {
                        around.released.push(op);
                    }
                    *depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            if !matches!(kind, Op::Begin(_) | Op::End(_) | Op::Enqueue(_) | Op::Arc(..)) {
                first.note(thread, op);
                second.note(thread, op);
            }
        }
        around.first = first.finish();
        around.second = second.finish();
        around
    }
}
