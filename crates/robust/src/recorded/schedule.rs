//! Orders of a trace's operations in which given accesses come before given others.
//!
//! The operations that must run are known: those of the tasks of the accesses and of the tasks
//! above them, each up to the last needed operation. The order within tasks, posts and the required
//! pairs are edges. It remains to decide which of two tasks of a Looper comes first. That is
//! decided pair by pair, with backtracking to the last choice when the edges form a cycle, so an
//! order is found iff there is one, up to [`CHOICES`].

use std::collections::{BTreeMap, BTreeSet};

use trace::OpId;

use super::forest::{Forest, TaskId};

/// The number of choices between two tasks of a Looper that are tried for one order.
const CHOICES: usize = 500;

/// Returns an order, up to the last of the given accesses, in which the first access of each pair
/// comes before the second.
pub(super) fn order(forest: &Forest, wishes: &[(OpId, OpId)]) -> Option<Vec<OpId>> {
    let mut search = Search { forest, keys: BTreeMap::new(), choices: CHOICES };
    let targets: Vec<OpId> = wishes.iter().flat_map(|&(a, b)| [a, b]).collect();
    for &op in &targets {
        search.need(op)?;
    }
    let mut edges: BTreeSet<(OpId, OpId)> = wishes.iter().copied().collect();
    for (task, keys) in &search.keys {
        let in_turn: Vec<OpId> = keys.iter().copied().collect();
        edges.extend(in_turn.windows(2).map(|pair| (pair[0], pair[1])));
        let begin = forest.task(*task).ops[0];
        edges.extend(forest.task(*task).parent.map(|(_, post)| (post, begin)));
    }
    let edges = search.decide(edges)?;
    let keys = sorted(&edges, &targets)?;
    let mut done: BTreeMap<TaskId, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for key in keys {
        let task = forest.task_of(key)?;
        let ops = &forest.task(task).ops;
        let end = ops.partition_point(|&op| op <= key);
        let from = done.insert(task, end).unwrap_or(0);
        out.extend(&ops[from.min(end)..end]);
    }
    Some(out)
}

struct Search<'f> {
    forest: &'f Forest,
    /// The relevant operations of each task that runs: the first, the last, posts, and accesses.
    keys: BTreeMap<TaskId, BTreeSet<OpId>>,
    choices: usize,
}

impl Search<'_> {
    /// Notes that `op` must run, and the operations that it needs.
    fn need(&mut self, op: OpId) -> Option<()> {
        let mut at = Some((self.forest.task_of(op)?, op));
        while let Some((task, op)) = at {
            let ops = &self.forest.task(task).ops;
            let keys = self.keys.entry(task).or_default();
            keys.extend([ops[0], op, ops[ops.len() - 1]]);
            at = self.forest.task(task).parent;
        }
        Some(())
    }

    /// The edges with an order of the tasks of each Looper added.
    fn decide(&mut self, edges: BTreeSet<(OpId, OpId)>) -> Option<BTreeSet<(OpId, OpId)>> {
        let tasks: Vec<TaskId> = self.keys.keys().copied().collect();
        let all: Vec<OpId> = self.keys.values().flatten().copied().collect();
        sorted(&edges, &all)?;
        let looper = |task: TaskId| self.forest.task(task).looper;
        let ends = |task: TaskId| {
            let ops = &self.forest.task(task).ops;
            (ops[0], ops[ops.len() - 1])
        };
        let open = tasks.iter().enumerate().find_map(|(at, &one)| {
            tasks[at + 1..].iter().find_map(|&other| {
                let (a, b) = (ends(one), ends(other));
                let decided = edges.contains(&(a.1, b.0)) || edges.contains(&(b.1, a.0));
                let shares = looper(one).is_some() && looper(one) == looper(other);
                (shares && !decided).then_some([(a.1, b.0), (b.1, a.0)])
            })
        });
        let Some(ways) = open else { return Some(edges) };
        ways.into_iter().find_map(|edge| {
            self.choices = self.choices.checked_sub(1)?;
            let mut edges = edges.clone();
            edges.insert(edge);
            self.decide(edges)
        })
    }
}

/// Returns the operations that `targets` need, in an order that the edges allow. None if the edges
/// form a cycle.
fn sorted(edges: &BTreeSet<(OpId, OpId)>, targets: &[OpId]) -> Option<Vec<OpId>> {
    let mut before: BTreeMap<OpId, Vec<OpId>> = BTreeMap::new();
    for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
        before.entry(to).or_default().push(from);
    }
    // Depth-first search: an operation that is reached while it is open closes a cycle.
    let (mut out, mut state) = (Vec::new(), BTreeMap::new());
    for &target in targets {
        let mut stack = vec![(target, false)];
        while let Some((op, is_done)) = stack.pop() {
            if is_done {
                state.insert(op, true);
                out.push(op);
                continue;
            }
            match state.get(&op) {
                Some(true) => continue,
                Some(false) => return None,
                None => {}
            }
            state.insert(op, false);
            stack.push((op, true));
            for &earlier in before.get(&op).into_iter().flatten() {
                match state.get(&earlier) {
                    Some(true) => {}
                    Some(false) => return None,
                    None => stack.push((earlier, false)),
                }
            }
        }
    }
    Some(out)
}
