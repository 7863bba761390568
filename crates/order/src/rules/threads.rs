//! Orders that both Android papers state, under names of their own.

use trace::{Id, Op, Posting, ThreadId};

use crate::facts::{Dispatched, Facts};
use crate::rule::Conclusions;

/// fork(_, t) ≺ init(t).
pub(crate) fn fork(facts: &Facts<'_>, out: &mut Conclusions) {
    for (child, forks) in facts.forks.iter().enumerate() {
        for &init in &facts.by_thread[ThreadId::new(child).index()] {
            if facts.trace.op(init) == Op::Init {
                for &fork in forks {
                    out.order(fork, init);
                }
            }
        }
    }
}

/// exit(t) ≺ join(_, t).
pub(crate) fn join(facts: &Facts<'_>, out: &mut Conclusions) {
    for (child, joins) in facts.joins.iter().enumerate() {
        for &exit in &facts.by_thread[ThreadId::new(child).index()] {
            if facts.trace.op(exit) == Op::Exit {
                for &join in joins {
                    out.order(exit, join);
                }
            }
        }
    }
}

/// notify(h) ≺ wait(h).
pub(crate) fn notify_wait(facts: &Facts<'_>, out: &mut Conclusions) {
    let trace = facts.trace;
    let notify = |op| matches!(trace.op(op), Op::Notify(_));
    let wait = |op| matches!(trace.op(op), Op::Wait(_));
    for (a, b) in Facts::ordered_pairs(&facts.handles, &notify, &wait) {
        out.order(a, b);
    }
}

/// end(m) ≺ begin(m') for events of one dispatcher and kind with end(m) < begin(m').
pub(crate) fn in_trace_order(events: &[Dispatched], kind: Posting, out: &mut Conclusions) {
    let of_kind = |e: &&Dispatched| e.posted.is_some_and(|(_, enqueue)| enqueue.posting == kind);
    for earlier in events.iter().filter(of_kind) {
        for later in events.iter().filter(of_kind) {
            out.order_end(earlier.end, later.begin);
        }
    }
}
