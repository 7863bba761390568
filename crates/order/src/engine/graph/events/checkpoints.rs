//! CHECKPOINT: what follows a part of a task, in another task of the thread, follows all its parts.
//!
//! At the begin of an event, its sources on its own thread know every task of the thread either as
//! a whole or not at all, but for their own; so only the tasks of the sources are completed. Sources
//! on other threads may know tasks in part: what they add is gone through, event by event. A part
//! that another task of its thread overlaps, which only a broken recording shows, may end when the
//! task is known already; such parts are looked at every time.
//!
//! Cost: a task is completed by its last parts, one if its parts do not overlap and TASK-ORDER is
//! on; a source of another thread costs a step for each event that it adds.

use trace::{EventId, Id, OpId, ThreadId};

use super::plan::EventPlan;
use super::{Sources, Sweep};
use crate::facts::{Dispatched, Facts};
use crate::rule::Rule;
use crate::rules::tasks;

struct Task {
    thread: ThreadId,
    parts: Vec<Dispatched>,
    /// Parts that all other parts precede or equal, once all have ended.
    last: Vec<Dispatched>,
    /// When the last of those that end has ended.
    ended: Option<OpId>,
}

/// The tasks of a trace.
pub(super) struct Checkpoints {
    rule: &'static Rule,
    tasks: Vec<Task>,
    /// The task of every event that began.
    task_of: Vec<u32>,
    /// Parts of tasks of several parts that end after the next task of their thread began.
    late: Vec<Dispatched>,
}

impl Checkpoints {
    /// None if the rule is off.
    pub(super) fn new(facts: &Facts<'_>, plan: &EventPlan) -> Option<Self> {
        let rule = plan.checkpoint?;
        let mut task_of = vec![u32::MAX; facts.trace.names().events.len()];
        let mut tasks: Vec<Task> = Vec::new();
        for parts in tasks::tasks(facts) {
            for part in &parts {
                task_of[part.event.index()] = tasks.len() as u32;
            }
            let last = if plan.task_order { tasks::last_of(&parts) } else { parts.clone() };
            let ended = parts.iter().filter_map(|part| part.end).max();
            tasks.push(Task { thread: parts[0].thread, parts, last, ended });
        }
        let late = late_parts(facts, &tasks);
        Some(Self { rule, tasks, task_of, late })
    }

    /// Completes what `sources` knows of the thread's tasks, for an event that is about to begin.
    pub(super) fn add_sources(
        &self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
    ) {
        let own = self.task_of[event.event.index()];
        let direct: Vec<EventId> = sources.direct.iter().map(|&(from, _)| from).collect();
        let task_of = |from: EventId| self.task_of[from.index()];
        let is_near = |from: EventId| self.tasks[task_of(from) as usize].thread == event.thread;
        let mut near = Sources::none();
        for &from in direct.iter().filter(|&&from| is_near(from)) {
            sweep.learn(&mut near, event, from, self.rule);
            if task_of(from) != own {
                self.complete(sweep, sources, event, task_of(from));
            }
        }
        if !direct.iter().all(|&from| is_near(from)) {
            let mut partly: Vec<u32> = Vec::new();
            sweep.news(near.clock, sources, |from| {
                if is_near(from) && task_of(from) != own {
                    partly.push(task_of(from));
                }
            });
            partly.sort_unstable();
            partly.dedup();
            for task in partly {
                self.complete(sweep, sources, event, task);
            }
        }
        while self.add_late(sweep, sources, event) {}
    }

    /// Adds late parts that have ended to the sources. Returns whether there were any.
    fn add_late(&self, sweep: &mut Sweep<'_>, sources: &mut Sources, event: &Dispatched) -> bool {
        let own = self.task_of[event.event.index()];
        let mut news = false;
        for part in self.late.iter().filter(|part| part.thread == event.thread) {
            let task = self.task_of[part.event.index()];
            let parts = &self.tasks[task as usize].parts;
            if part.end < Some(event.begin)
                && task != own
                && !sweep.knows(sources, part.event)
                && parts.iter().any(|other| sweep.knows(sources, other.event))
            {
                sweep.learn(sources, event, part.event, self.rule);
                news = true;
            }
        }
        news
    }

    fn complete(
        &self,
        sweep: &mut Sweep<'_>,
        sources: &mut Sources,
        event: &Dispatched,
        task: u32,
    ) {
        let task = &self.tasks[task as usize];
        let done = task.ended < Some(event.begin);
        let parts = if done { &task.last } else { &task.parts };
        for part in parts.iter().filter(|part| part.end.is_some_and(|end| end < event.begin)) {
            if !sweep.knows(sources, part.event) {
                sweep.learn(sources, event, part.event, self.rule);
            }
        }
    }
}

fn late_parts(facts: &Facts<'_>, tasks: &[Task]) -> Vec<Dispatched> {
    let mut next: Vec<Option<OpId>> = vec![None; facts.trace.names().threads.len()];
    let mut late = Vec::new();
    for task in tasks.iter().rev() {
        let next = &mut next[task.thread.index()];
        let overlaps =
            |part: &&Dispatched| part.end.is_some() && next.is_some() && part.end > *next;
        if task.parts.len() > 1 {
            late.extend(task.parts.iter().filter(overlaps));
        }
        *next = Some(task.parts[0].begin);
    }
    late
}
