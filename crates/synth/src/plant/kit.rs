//! The parts of scenarios.

use trace::{BarrierId, CallbackId, HandleId, LocationId, LockId, QueueId, ThreadId};

use crate::answers::Verdict;
use crate::message::{Mark, Send, Step, When};

/// A thread that performs a part of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// An island.
    A,
    /// An island.
    B,
    /// An island in a process of its own.
    Remote,
    /// The thread that delivers input.
    Input,
}

/// The steps of each actor.
pub(super) type Parts = Vec<(Actor, Vec<Step>)>;

/// The other things that a scenario needs besides a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    Flag,
    Child,
    Handle,
    Locks,
    Callback,
    Barrier,
}

/// A conflict with a known verdict.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    pub(super) need: Need,
    pub(super) parts: fn(&Kit) -> Parts,
}

/// The locations, queues and threads of a scenario.
pub(super) struct Kit {
    pub(super) x: LocationId,
    pub(super) flag: LocationId,
    pub(super) looper: QueueId,
    pub(super) main: QueueId,
    pub(super) pool: QueueId,
    pub(super) binder: QueueId,
    pub(super) handle: HandleId,
    pub(super) locks: [LockId; 2],
    pub(super) callback: CallbackId,
    pub(super) barrier: BarrierId,
    pub(super) child: ThreadId,
    pub(super) second_writes: bool,
}

impl Default for Kit {
    fn default() -> Self {
        Self {
            x: LocationId(0),
            flag: LocationId(0),
            looper: QueueId(0),
            main: QueueId(0),
            pool: QueueId(0),
            binder: QueueId(0),
            handle: HandleId(0),
            locks: [LockId(0); 2],
            callback: CallbackId(0),
            barrier: BarrierId(0),
            child: ThreadId(0),
            second_writes: false,
        }
    }
}

impl Kit {
    /// Writes the location.
    pub(super) fn write(&self) -> Step {
        Step::Touch { location: self.x, write: true }
    }

    /// Reads or writes the location.
    pub(super) fn use_it(&self) -> Step {
        Step::Touch { location: self.x, write: self.second_writes }
    }

    /// Posts to the scenario's looper.
    pub(super) fn post(&self, when: When, body: Vec<Step>) -> Step {
        to(self.looper, when, body)
    }

    /// Posts a plain message to the scenario's looper.
    pub(super) fn plain(&self, body: Vec<Step>) -> Step {
        self.post(When::Delay(0), body)
    }
}

/// Posts to a queue.
pub(super) fn to(queue: QueueId, when: When, body: Vec<Step>) -> Step {
    Step::Send(Box::new(Send { mark: None, queue, when, is_async: false, sync: false, body }))
}

/// Gives a post a mark.
pub(super) fn marked(mark: Mark, step: Step) -> Step {
    changed(step, |send| send.mark = Some(mark))
}

/// Makes a post asynchronous.
pub(super) fn asynchronous(step: Step) -> Step {
    changed(step, |send| send.is_async = true)
}

/// Makes a call blocking.
pub(super) fn blocking(step: Step) -> Step {
    changed(step, |send| send.sync = true)
}

fn changed(mut step: Step, change: impl FnOnce(&mut Send)) -> Step {
    if let Step::Send(send) = &mut step {
        change(send);
    }
    step
}
