//! Some of the latest events of each looper that a task follows, without a search of its clock.
//!
//! By LOOPER-ATOMIC, an event that begins must follow the end of every event of its looper whose begin
//! it follows. An earlier event that it follows did so for everything in its own clock. So the later
//! that event is, the fewer begins are left to check.

use trace::{EventId, QueueId};

use super::nodes::{NodeId, TaskId};

/// How many loopers a task remembers an event of.
const REMEMBERED: usize = 8;

/// Some of the latest events of a looper that a task follows.
#[derive(Clone, Copy)]
pub(crate) struct Hint {
    looper: QueueId,
    /// The begin of one of them.
    pub(crate) begin: NodeId,
    /// One of them that was posted without a delay: its begin, and the event.
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

    /// Notes that a task follows an event of a looper.
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

    /// Notes that a task follows, at least in part, what another task follows.
    pub(crate) fn inherit(&mut self, task: TaskId, from: TaskId) {
        let Some(&hints) = self.of_task.get(from.0 as usize) else { return };
        for hint in hints.into_iter().flatten() {
            self.follow(task, hint);
        }
    }

    /// Returns events of `looper` that a task may follow.
    pub(crate) fn get(&self, task: TaskId, looper: QueueId) -> Option<Hint> {
        let hints = self.of_task.get(task.0 as usize)?;
        hints.iter().flatten().find(|hint| hint.looper == looper).copied()
    }

    /// Returns the hint for tasks that follow an event of a looper.
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
