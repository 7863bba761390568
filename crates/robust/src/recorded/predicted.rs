//! Violations that could occur with the same operations in another order.

use std::collections::{BTreeMap, BTreeSet};

use trace::{LocationId, OpId, Trace};

use super::forest::{Forest, TaskId};
use super::observed::Edge;
use super::reorder::{Reordering, is_feasible};
use super::schedule;

/// The number of accesses of one location that are compared. Further ones are left out.
const MAX_PER_LOCATION: usize = 500;

/// The number of choices of accesses that are tried for one cycle of events.
const MAX_ATTEMPTS: usize = 2_000;

/// The number of choices of accesses that are tried in one trace.
const MAX_ALL_ATTEMPTS: usize = 100_000;

/// The largest number of events of a cycle.
const MAX_EVENTS: usize = 4;

/// A violation in a reordering of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The conflicts in the reordering: one inverted pair, or a cycle of events.
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

/// Cycles of events in a reordering, up to `MAX_EVENTS` of them: an access of each comes before a
/// conflicting one of the next, and of the last before one of the first. One for each set of events
/// that has one and holds no smaller set that has; at most `MAX_ATTEMPTS` choices of accesses are
/// tried for a cycle of events, and `MAX_ALL_ATTEMPTS` in all. Within these bounds there is no
/// cycle in a reordering if none is found.
pub fn predicted_cycles(trace: &Trace, forest: &Forest) -> Vec<Predicted> {
    let conflicts = conflicts(trace, forest);
    let mut search =
        Cycles { forest, conflicts: &conflicts, left: MAX_ALL_ATTEMPTS, found: Vec::new() };
    let events: BTreeSet<TaskId> = conflicts.keys().map(|(event, _)| *event).collect();
    for length in 2..=MAX_EVENTS {
        for &event in &events {
            search.extend(&mut vec![event], length);
        }
    }
    search.found.into_iter().map(|(_, predicted)| predicted).collect()
}

/// The conflicts from one event to another.
type Conflicts = BTreeMap<(TaskId, TaskId), Vec<Edge>>;

/// Conflicting accesses of two events that may come in this order. Of those of two tasks only the
/// easiest remain: whatever order has an access before another has an earlier one before a later
/// one.
fn conflicts(trace: &Trace, forest: &Forest) -> Conflicts {
    let mut of_tasks: BTreeMap<(TaskId, TaskId), Vec<Edge>> = BTreeMap::new();
    for accesses in by_location(trace, forest).values() {
        for a in accesses {
            for b in accesses {
                let differ = forest.task(a.task).root != forest.task(b.task).root;
                if differ && (a.writes || b.writes) {
                    let kept = of_tasks.entry((a.task, b.task)).or_default();
                    let easier = |e: &Edge, f: Edge| e.first <= f.first && e.second >= f.second;
                    let edge = Edge { first: a.op, second: b.op };
                    if !kept.iter().any(|known| easier(known, edge)) {
                        kept.retain(|known| !easier(&edge, *known));
                        kept.push(edge);
                    }
                }
            }
        }
    }
    let mut found = Conflicts::new();
    for ((one, other), edges) in of_tasks {
        let events = (forest.task(one).root, forest.task(other).root);
        found.entry(events).or_default().extend(edges);
    }
    found
}

struct Cycles<'a> {
    forest: &'a Forest,
    conflicts: &'a Conflicts,
    /// The remaining number of attempts.
    left: usize,
    found: Vec<(BTreeSet<TaskId>, Predicted)>,
}

impl Cycles<'_> {
    /// Tries all cycles of `length` events that begin with `way`, whose first is the least.
    fn extend(&mut self, way: &mut Vec<TaskId>, length: usize) {
        let set: BTreeSet<TaskId> = way.iter().copied().collect();
        if self.left == 0 || self.found.iter().any(|(known, _)| known.is_subset(&set)) {
            return;
        }
        let (first, last) = (way[0], way[way.len() - 1]);
        if way.len() == length {
            if let Some(predicted) = self.close(way) {
                self.found.push((set, predicted));
            }
            return;
        }
        let conflicts = self.conflicts;
        for (_, next) in conflicts
            .range((last, first)..)
            .map(|(events, _)| *events)
            .take_while(|(from, _)| *from == last)
        {
            if next > first && !way.contains(&next) {
                way.push(next);
                self.extend(way, length);
                way.pop();
            }
        }
    }

    /// A reordering that has this cycle of events.
    fn close(&mut self, way: &[TaskId]) -> Option<Predicted> {
        let next = |at: usize| way[(at + 1) % way.len()];
        let lists: Option<Vec<&Vec<Edge>>> =
            (0..way.len()).map(|at| self.conflicts.get(&(way[at], next(at)))).collect();
        let lists = lists?;
        let choices: usize = lists.iter().fold(1, |n, list| n.saturating_mul(list.len()));
        for choice in 0..choices.min(MAX_ATTEMPTS) {
            self.left = self.left.checked_sub(1)?;
            let mut rest = choice;
            let conflicts: Vec<Edge> = lists
                .iter()
                .map(|list| {
                    let edge = list[rest % list.len()];
                    rest /= list.len();
                    edge
                })
                .collect();
            let wishes: Vec<_> = conflicts.iter().map(|edge| (edge.first, edge.second)).collect();
            if let Some(order) = schedule::order(self.forest, &wishes) {
                debug_assert!(is_feasible(self.forest, &order));
                return Some(Predicted { conflicts, order });
            }
        }
        None
    }
}
