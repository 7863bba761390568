//! Reorderings of a trace's operations.

use std::collections::BTreeMap;

use trace::{OpId, ThreadId};

use super::forest::{Forest, TaskId};

/// An order under construction, with the progress of each task.
pub(super) struct Reordering<'f> {
    forest: &'f Forest,
    order: Vec<OpId>,
    done: BTreeMap<TaskId, usize>,
    /// The unfinished task of each Looper.
    busy: BTreeMap<ThreadId, TaskId>,
}

impl<'f> Reordering<'f> {
    pub(super) fn new(forest: &'f Forest) -> Self {
        Self { forest, order: Vec::new(), done: BTreeMap::new(), busy: BTreeMap::new() }
    }

    pub(super) fn has_run(&self, op: OpId) -> bool {
        let Some(task) = self.forest.task_of(op) else { return false };
        let done = self.done.get(&task).copied().unwrap_or(0);
        self.forest.task(task).ops[..done].contains(&op)
    }

    /// Runs `op` and the operations that it needs: its task up to it, the tasks above it up to
    /// their posts, and a task that occupies a needed Looper up to its end.
    pub(super) fn run_to(&mut self, op: OpId) {
        let task = self.forest.task_of(op).expect("the operation is of a task");
        let chain = self.forest.chain(task);
        for (index, at) in chain.iter().enumerate() {
            let until = match chain.get(index + 1) {
                Some(next) => self.forest.task(*next).parent.expect("it has a parent").1,
                None => op,
            };
            self.advance(*at, until);
        }
    }

    fn advance(&mut self, task: TaskId, until: OpId) {
        if self.has_run(until) {
            return;
        }
        if let Some(looper) = self.forest.task(task).looper {
            if let Some(other) = self.busy.get(&looper).copied()
                && other != task
            {
                self.run(other, usize::MAX);
            }
            self.busy.insert(looper, task);
        }
        let ops = &self.forest.task(task).ops;
        let end = ops.iter().position(|op| *op == until).map_or(ops.len(), |at| at + 1);
        self.run(task, end);
    }

    fn run(&mut self, task: TaskId, end: usize) {
        let ops = &self.forest.task(task).ops;
        let done = self.done.entry(task).or_insert(0);
        let end = end.min(ops.len());
        if *done < end {
            self.order.extend(&ops[*done..end]);
            *done = end;
        }
    }

    pub(super) fn finish(self) -> Vec<OpId> {
        self.order
    }
}

/// Whether `order` can happen: each task's operations are a prefix of the recorded ones in their
/// order, a post comes before the task that it posts, and a Looper starts a task only when the task
/// before has ended.
pub fn is_feasible(forest: &Forest, order: &[OpId]) -> bool {
    let mut done: BTreeMap<TaskId, usize> = BTreeMap::new();
    let mut busy: BTreeMap<ThreadId, TaskId> = BTreeMap::new();
    for op in order {
        let Some(id) = forest.task_of(*op) else { return false };
        let task = forest.task(id);
        let count = done.get(&id).copied().unwrap_or(0);
        if task.ops.get(count) != Some(op) {
            return false;
        }
        if count == 0 {
            if let Some((parent, post)) = task.parent {
                let ran = done.get(&parent).copied().unwrap_or(0);
                if !forest.task(parent).ops[..ran].contains(&post) {
                    return false;
                }
            }
            if let Some(looper) = task.looper
                && let Some(other) = busy.insert(looper, id)
                && done[&other] < forest.task(other).ops.len()
            {
                return false;
            }
        }
        done.insert(id, count + 1);
    }
    true
}
