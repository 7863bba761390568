//! The operations of a run that a violation depends on.
//!
//! A run executes more than a violation needs, and what it does not need may be impossible: an event
//! that waits for the end of one that does not end, for example. The needed operations are closed
//! under these rules:
//!
//! - an operation needs those before it in its task, and the first one the post of its task;
//! - the accesses of one step need each other;
//! - an access needs the conflicting accesses before it;
//! - a handler needs what the driver's `after` names;
//! - a task of the main thread that came to its end needs to do so, because others may follow; a task
//!   that left a monitor needs to leave it.
//!
//! If there is an interleaving of all operations, there is one of the needed ones: its restriction.

use std::collections::BTreeMap;

use super::Event;
use super::run::{Act, MonitorId, Run};
use crate::core::{AccessKind, GlobalId};
use crate::lang::ast::Where;

/// For each operation of a run, the operations that must come before it because of conflicts: the
/// last write of the location and, for a write, the reads since.
pub(super) fn conflicts(run: &Run) -> Vec<Vec<usize>> {
    #[derive(Default)]
    struct Last {
        write: Option<usize>,
        reads: Vec<usize>,
    }
    let mut last: BTreeMap<GlobalId, Last> = BTreeMap::new();
    let mut before = vec![Vec::new(); run.ops.len()];
    for (op, before) in before.iter_mut().enumerate() {
        let Some(access) = run.access(op) else { continue };
        let last = last.entry(access.global).or_default();
        before.extend(last.write);
        if access.kind == AccessKind::Write {
            before.append(&mut last.reads);
            last.write = Some(op);
        } else {
            last.reads.push(op);
        }
    }
    before
}

/// Whether each operation is needed for the targets. `None` if the run lacks a needed one.
pub(super) fn needed(
    run: &Run,
    events: &[Event],
    before: &[Vec<usize>],
    targets: &[usize],
) -> Option<Vec<bool>> {
    let mut search = Search { run, events, needed: vec![false; run.ops.len()], open: Vec::new() };
    for target in targets {
        search.need(*target);
    }
    while let Some(op) = search.open.pop() {
        for earlier in &before[op] {
            search.need(*earlier);
        }
        let task = run.task(run.ops[op].task);
        let position = task.ops.binary_search(&op).ok()?;
        if position > 0 {
            search.need(task.ops[position - 1]);
        } else if let Some(post) = task.post {
            search.need(post);
        } else {
            search.need_causes(op)?;
        }
        if let Some(&next) = task.ops.get(position + 1)
            && run.ops[next].also
        {
            search.need(next);
        }
        if task.on == Where::Main && run.is_ended(run.ops[op].task) {
            search.need(*task.ops.last()?);
        }
        if let Act::Acquire(monitor) = run.ops[op].act {
            search.need_release(op, monitor);
        }
    }
    Some(search.needed)
}

struct Search<'r> {
    run: &'r Run,
    events: &'r [Event],
    needed: Vec<bool>,
    open: Vec<usize>,
}

impl Search<'_> {
    fn need(&mut self, op: usize) {
        if !std::mem::replace(&mut self.needed[op], true) {
            self.open.push(op);
        }
    }

    /// A handler begins: what the driver puts before it must have happened.
    fn need_causes(&mut self, op: usize) -> Option<()> {
        let event = &self.events[self.run.instance(op).index()];
        for &other in &event.start {
            let begin = self.handler(other)?;
            self.need(begin);
        }
        for &other in &event.end {
            self.handler(other)?;
            for (index, task) in self.run.tasks.iter().enumerate() {
                if task.invocation.instance.index() == other {
                    let ended = self.run.is_ended(super::run::TaskId(index));
                    self.need(*task.ops.last().filter(|_| ended)?);
                }
            }
        }
        Some(())
    }

    /// The begin of the handler of an event.
    fn handler(&self, event: usize) -> Option<usize> {
        let is_handler = |task: &&super::run::Task| {
            task.invocation.instance.index() == event && task.invocation.path.is_empty()
        };
        self.run.tasks.iter().find(is_handler)?.ops.first().copied()
    }

    fn need_release(&mut self, op: usize, monitor: MonitorId) {
        let ops = &self.run.task(self.run.ops[op].task).ops;
        let later = ops.iter().filter(|later| **later > op);
        let release =
            later.copied().find(|later| self.run.ops[*later].act == Act::Release(monitor));
        if let Some(release) = release {
            self.need(release);
        }
    }
}
