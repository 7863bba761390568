//! What an event that begins is going to learn before it ends, as far as it has happened.
//!
//! LOOPER-ATOMIC asks it: whatever of its looper the event is going to know to have begun must have
//! ended before it begins. What it will be told by operations of the past is known exactly. Where it
//! waits for somebody who notifies it only later, that task will know then what it knows now, and
//! what it learns until then by waiting itself; and an event that is still to begin, what its poster
//! knew. The rest is found when it happens.
//!
//! Cost: a walk back over the operations that lead to what the event waits for, at most
//! [`MOST`] of them.

use trace::{EventId, Id, Op, OpId};

use super::clock::Clock;
use super::nodes::{NodeId, TaskId};
use super::sweep::Sweep;

/// So many operations of the future are looked at for one event.
const MOST: usize = 256;

impl Sweep<'_> {
    /// What `event`, which begins at `now`, is going to learn.
    pub(crate) fn foreseen(&mut self, event: EventId, now: OpId) -> Clock {
        let mut clock = Clock::EMPTY;
        let own = TaskId(event.0);
        if self.plan.atomic_whole.is_none() || !self.skeleton.learners.contains_key(&own) {
            return clock;
        }
        // Tasks that the event is going to follow, up to an operation of each.
        let mut sources = vec![(own, OpId(u32::MAX))];
        let mut looked_at = 0;
        while let Some(&(task, upto)) = sources.get(looked_at) {
            looked_at += 1;
            if task != own {
                let known = self.known_of(task, &mut sources);
                clock = known.map_or(clock, |node| self.nodes.join(clock, node, None));
            }
            let learners = self.skeleton.learners.get(&task).map_or(&[][..], Vec::as_slice);
            let from = learners.partition_point(|&op| op < now);
            for &op in learners[from..].iter().take_while(|&&op| op < upto) {
                if sources.len() > MOST {
                    return clock;
                }
                clock = self.learnt_so_far(clock, op);
                self.notifies_until(op, now, &mut sources);
            }
        }
        clock
    }

    /// What an operation of the future learns from the past.
    fn learnt_so_far(&mut self, mut clock: Clock, op: OpId) -> Clock {
        for (list, rule) in self.learns(op) {
            if let (Some(_), Some(prefix)) = (rule, self.lists.all(list)) {
                let all = self.lists.clock(&mut self.nodes, prefix);
                clock = self.nodes.clocks.join(clock, all);
            }
        }
        clock
    }

    /// The tasks that notify, from now on, what an operation waits for.
    fn notifies_until(&self, op: OpId, now: OpId, sources: &mut Vec<(TaskId, OpId)>) {
        let Op::Wait(handle) = self.trace.op(op) else { return };
        if self.plan.notify.is_none() {
            return;
        }
        let notifies = &self.skeleton.notifies[handle.index()];
        let from = notifies.partition_point(|&notify| notify < now);
        for &notify in notifies[from..].iter().take_while(|&&notify| notify < op) {
            add(sources, self.kind(notify).task(self.begins.len()), notify);
        }
    }

    /// The last node so far of a task, or, of an event that is still to begin, its post; if that is
    /// still to come, its poster joins the sources.
    fn known_of(&self, task: TaskId, sources: &mut Vec<(TaskId, OpId)>) -> Option<NodeId> {
        if self.nodes.has_begun(task) {
            return self.nodes.last(task);
        }
        let event = Some(EventId(task.0)).filter(|_| task.0 < self.begins.len() as u32)?;
        let post = self.trace.event(event).enqueue.filter(|_| self.plan.enqueue_begin.is_some())?;
        let posted = self.posts[event.index()];
        if posted.is_none() {
            add(sources, self.kind(post).task(self.begins.len()), post);
        }
        posted
    }
}

fn add(sources: &mut Vec<(TaskId, OpId)>, task: Option<TaskId>, upto: OpId) {
    let Some(task) = task else { return };
    if !sources.iter().any(|&(known, until)| known == task && until >= upto) {
        sources.push((task, upto));
    }
}
