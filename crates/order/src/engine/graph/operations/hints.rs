//! Which late events of each looper a task knows, as far as it can be told at a glance.
//!
//! An event that begins must know the end of whatever it knows to have begun on its looper. What an
//! event known to it knew at its begin is settled, so the later that event, the less is left to look at.

use trace::{EventId, QueueId};

use super::nodes::{NodeId, TaskId};

/// Of so many loopers a task remembers an event.
const REMEMBERED: usize = 8;

/// Late events of a looper.
#[derive(Clone, Copy)]
pub(crate) struct Hint {
    looper: QueueId,
    /// The begin of one.
    pub(crate) begin: NodeId,
    /// The begin of one that was posted without a delay, and which that is.
    pub(crate) plain: Option<(NodeId, EventId)>,
}

/// For each task, begins of events that it follows.
pub(crate) struct Hints {
    of_task: Vec<[Option<Hint>; REMEMBERED]>,
    /// For each message, what its poster followed of the looper it posted to.
    pub(crate) of_post: Vec<Option<Hint>>,
}

impl Hints {
    pub(crate) fn new(tasks: usize, messages: usize) -> Self {
        Self { of_task: vec![[None; REMEMBERED]; tasks], of_post: vec![None; messages] }
    }

    /// A task follows an event of a looper.
    pub(crate) fn follow(&mut self, task: TaskId, new: Hint) {
        let Some(hints) = self.of_task.get_mut(task.0 as usize) else { return };
        let of_looper = hints.iter().position(|hint| hint.is_some_and(|h| h.looper == new.looper));
        let oldest = || (0..REMEMBERED).min_by_key(|&i| hints[i].map(|h| h.begin));
        let Some(slot) = of_looper.or_else(oldest) else { return };
        match &mut hints[slot] {
            Some(hint) if hint.looper == new.looper => {
                hint.begin = hint.begin.max(new.begin);
                hint.plain = hint.plain.max(new.plain);
            }
            Some(hint) if hint.begin >= new.begin => {}
            hint => *hint = Some(new),
        }
    }

    /// A task follows, at least in part, what another follows.
    pub(crate) fn inherit(&mut self, task: TaskId, from: TaskId) {
        let Some(&hints) = self.of_task.get(from.0 as usize) else { return };
        for hint in hints.into_iter().flatten() {
            self.follow(task, hint);
        }
    }

    /// Events of `looper` that a task may follow.
    pub(crate) fn get(&self, task: TaskId, looper: QueueId) -> Option<Hint> {
        let hints = self.of_task.get(task.0 as usize)?;
        hints.iter().flatten().find(|hint| hint.looper == looper).copied()
    }

    /// A task that is an event of a looper, as a hint for those that follow it.
    pub(crate) fn of_event(
        &self,
        event: EventId,
        looper: QueueId,
        begin: NodeId,
        is_plain: bool,
    ) -> Hint {
        let known = self.get(TaskId(event.0), looper).and_then(|hint| hint.plain);
        Hint { looper, begin, plain: if is_plain { Some((begin, event)) } else { known } }
    }
}
