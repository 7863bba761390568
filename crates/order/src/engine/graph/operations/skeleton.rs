//! Facts about the whole trace that a sweep needs before it starts.

use hashbrown::HashMap;
use trace::{Event, EventId, Id, Op, OpId, QueueKind, Trace};

use super::plan::{Plan, TaskKind};

/// The operations that matter to a plan, and facts that need the whole trace.
pub(crate) struct Skeleton {
    /// The operations that order others, and those that stand alone.
    pub(crate) ops: Vec<OpId>,
    /// The last operation of each thread outside events, if its accesses are known not to go on.
    pub(crate) last_outside: Vec<Option<OpId>>,
    /// Threads that own no queue and run no event.
    pub(crate) user_threads: Vec<bool>,
    /// The removals of each barrier.
    pub(crate) removals: Vec<Vec<OpId>>,
    /// Whether an event of the queue began before another had ended, for each queue.
    pub(crate) overlapping: Vec<bool>,
    /// The operations of each event that follow operations on threads, handles and callbacks.
    pub(crate) learners: HashMap<EventId, Vec<OpId>>,
}

impl Skeleton {
    pub(crate) fn new(trace: &Trace, plan: &Plan) -> Self {
        let names = trace.names();
        let mut skeleton = Self {
            ops: Vec::new(),
            last_outside: vec![None; names.threads.len()],
            user_threads: trace
                .names()
                .threads
                .ids()
                .map(|t| trace.thread(t).queue.is_none())
                .collect(),
            removals: vec![Vec::new(); names.barriers.len()],
            overlapping: overlapping(trace),
            learners: HashMap::new(),
        };
        for (_, event) in trace.events() {
            if let Some(begin) = event.begin {
                skeleton.user_threads[trace.thread_of(begin).index()] = false;
            }
        }
        for op in trace.ops() {
            let operation = trace.op(op);
            if plan.ignores_events || trace.event_of(op).is_none() {
                skeleton.last_outside[trace.thread_of(op).index()] = Some(op);
            }
            let kind = plan.task_kind(trace, &skeleton.user_threads, op);
            match operation {
                Op::RemoveBarrier(barrier) => skeleton.removals[barrier.index()].push(op),
                Op::Wait(_) | Op::Join(_) | Op::Invoke { .. } | Op::Unregister(_) => {
                    if let Some(event) = trace.event_of(op) {
                        skeleton.learners.entry(event).or_default().push(op);
                    }
                }
                _ => {}
            }
            if orders(operation, plan) || kind == TaskKind::Alone {
                skeleton.ops.push(op);
            }
        }
        if trace.is_excerpt() {
            skeleton.forget_unfinished(trace, plan);
        }
        skeleton
    }

    /// Forgets the last operations of threads that may go on. Where accesses are left out, only an
    /// exit shows that a thread does nothing more, and a join that follows all operations of a thread
    /// may still come after its exit.
    fn forget_unfinished(&mut self, trace: &Trace, plan: &Plan) {
        for last in &mut self.last_outside {
            *last = last.filter(|&op| trace.op(op) == Op::Exit && !plan.ignores_events);
        }
    }
}

/// Whether operations of a kind can be a premise or a conclusion of anything but program order.
fn orders(op: Op, plan: &Plan) -> bool {
    match op {
        Op::Read(_)
        | Op::Write(_)
        | Op::Enter(_)
        | Op::Leave
        | Op::Attach(_)
        | Op::Loop(_)
        | Op::Enable(_)
        | Op::Trigger(_)
        | Op::Arc(..) => false,
        Op::Lock(_) | Op::Unlock(_) => plan.release_acquire.is_some(),
        _ => true,
    }
}

fn overlapping(trace: &Trace) -> Vec<bool> {
    let mut overlapping = vec![false; trace.names().queues.len()];
    let mut last_end = vec![None; overlapping.len()];
    let mut events: Vec<Event> =
        trace.events().map(|(_, e)| e).filter(|e| e.begin.is_some()).collect();
    events.sort_by_key(|e| e.begin);
    for event in events {
        let Some(queue) = event.queue.filter(|&q| trace.queue(q).kind == QueueKind::Looper) else {
            continue;
        };
        let last = &mut last_end[queue.index()];
        overlapping[queue.index()] |= *last > event.begin;
        *last = (*last).max(event.end);
    }
    overlapping
}
