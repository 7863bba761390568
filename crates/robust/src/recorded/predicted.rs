//! What could have happened with the same operations in another order.

use std::collections::{BTreeMap, BTreeSet};

use trace::{LocationId, OpId, Trace};

use super::forest::{Forest, TaskId};
use super::observed::Edge;
use super::reorder::{Reordering, is_feasible};

/// Accesses of one location compared with each other before the rest is left out.
const MAX_PER_LOCATION: usize = 500;

/// Reorderings tried for one pair of events.
const MAX_ATTEMPTS: usize = 2_000;

/// A violation in a reordering of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The conflicts as the reordering has them: one inverted pair, or a cycle of events.
    pub conflicts: Vec<Edge>,
    /// The reordering, up to the access that completes the violation.
    pub order: Vec<OpId>,
}

#[derive(Clone, Copy)]
struct AccessOp {
    op: OpId,
    task: TaskId,
    writes: bool,
}

fn by_location(trace: &Trace, forest: &Forest) -> BTreeMap<LocationId, Vec<AccessOp>> {
    let mut found: BTreeMap<LocationId, Vec<AccessOp>> = BTreeMap::new();
    for op in trace.ops() {
        if let (Some((location, writes)), Some(task)) = (trace.op(op).access(), forest.task_of(op))
        {
            let accesses = found.entry(location).or_default();
            if accesses.len() < MAX_PER_LOCATION {
                accesses.push(AccessOp { op, task, writes });
            }
        }
    }
    found
}

/// Conflicting accesses a1 <dfs a2 of one event that occurred in that order and can occur in the
/// other: always, unless the task of a1 is an ancestor of that of a2 and either a1 precedes the
/// post on the way to it, or both ends of the way share a Looper's thread with a task between
/// them. One for each pair of tasks and location.
pub fn predicted_inversions(trace: &Trace, forest: &Forest) -> Vec<Predicted> {
    let mut found = Vec::new();
    for accesses in by_location(trace, forest).values() {
        let mut seen: BTreeSet<(TaskId, TaskId)> = BTreeSet::new();
        for a1 in accesses {
            for a2 in accesses {
                let (t1, t2) = (forest.task(a1.task), forest.task(a2.task));
                let candidate = (a1.writes || a2.writes)
                    && t1.root == t2.root
                    && t1.path < t2.path
                    && a1.op < a2.op
                    && !is_ordered(forest, *a1, *a2);
                if !candidate || !seen.insert((a1.task, a2.task)) {
                    continue;
                }
                let mut reordering = Reordering::new(forest);
                reordering.run_to(a2.op);
                let early = reordering.has_run(a1.op);
                reordering.run_to(a1.op);
                let order = reordering.finish();
                if !early && is_feasible(forest, &order) {
                    let conflicts = vec![Edge { first: a2.op, second: a1.op }];
                    found.push(Predicted { conflicts, order });
                }
            }
        }
    }
    found
}

fn is_ordered(forest: &Forest, a1: AccessOp, a2: AccessOp) -> bool {
    let chain = forest.chain(a2.task);
    let Some(at) = chain.iter().position(|task| *task == a1.task) else { return false };
    let below = &chain[at + 1..];
    let post = below.first().and_then(|next| forest.task(*next).parent).map(|(_, op)| op);
    let looper = forest.task(a1.task).looper;
    let shares = looper.is_some() && below.iter().any(|task| forest.task(*task).looper == looper);
    post.is_some_and(|post| a1.op < post) || shares
}

/// Cycles of two events in a reordering: an access of the first event, conflicting ones of the
/// second, then a conflicting one of the first. At most one for each pair of events, confirmed by
/// its reordering; a pair without one may still have one.
pub fn predicted_cycles(trace: &Trace, forest: &Forest) -> Vec<Predicted> {
    let mut conflicts: BTreeMap<(TaskId, TaskId), Vec<Edge>> = BTreeMap::new();
    for accesses in by_location(trace, forest).values() {
        for a in accesses {
            for b in accesses {
                let events = (forest.task(a.task).root, forest.task(b.task).root);
                if events.0 != events.1 && (a.writes || b.writes) {
                    let edge = Edge { first: a.op, second: b.op };
                    conflicts.entry(events).or_default().push(edge);
                }
            }
        }
    }
    let mut found = Vec::new();
    for ((one, other), there) in &conflicts {
        let back = conflicts.get(&(*other, *one)).map_or(&[][..], Vec::as_slice);
        let attempts = there.iter().flat_map(|out| back.iter().map(move |home| (*out, *home)));
        found.extend(attempts.take(MAX_ATTEMPTS).find_map(|(out, home)| close(forest, out, home)));
    }
    found
}

/// The reordering in which `out` leads to the second event and `home` back, if there is one.
fn close(forest: &Forest, out: Edge, home: Edge) -> Option<Predicted> {
    let mut reordering = Reordering::new(forest);
    for op in [out.first, out.second, home.first] {
        reordering.run_to(op);
        if reordering.has_run(home.second) {
            return None;
        }
    }
    reordering.run_to(home.second);
    let order = reordering.finish();
    is_feasible(forest, &order).then(|| Predicted { conflicts: vec![out, home], order })
}
