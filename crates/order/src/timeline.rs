//! The interface of a pass that knows happens-before while a trace is read once, from its start.
//!
//! One writer passes the operations that synchronise, in the order of the trace, and takes a *moment*
//! for each run of accesses: what is known there. A *view* compares moments with accesses before them;
//! several threads may share it. "Ordered" is final. "Unordered" may be provisional in an engine that
//! orders while it reads, for a rule can reach back: [`View::is_final`] and [`Timeline::settled`] state
//! when it is not any more. The graph engine has closed the whole trace before the pass starts, so all
//! its answers are final.

use trace::{EventId, OpId, ThreadId};

/// An access, as later moments are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of the access, which a floor is compared with.
    pub op: OpId,
    /// The task of the access, which lies on one chain. What a task does is in order.
    pub task: u32,
    /// The position, on the chain of the task, from which on everything follows the access;
    /// `u32::MAX` if nothing outside the task does.
    pub position: u32,
}

impl Node {
    /// A node that no floor covers, where the number of its access was not kept.
    pub fn above_floors(task: u32, position: u32) -> Self {
        Self { op: OpId(u32::MAX), task, position }
    }
}

/// A pass over a trace, at one of its operations.
pub trait Timeline {
    /// A handle to what is known where an access stands. Copying it is cheap; an engine whose clocks may
    /// still gain keeps the clock as long as a handle to it lives.
    type Moment: Clone;
    /// Compares moments.
    type View: View<Moment = Self::Moment>;

    /// Moves past an operation. Accesses and calls may be left out.
    fn pass(&mut self, op: OpId);

    /// Returns the moment of an access on `thread`, in `event`, or none if it belongs to no task.
    fn moment(&mut self, thread: ThreadId, event: Option<EventId>) -> Option<Self::Moment>;

    /// The view as of now.
    fn view(&self) -> Self::View;

    /// The provisional moments that became final since this was last asked.
    fn settled(&mut self) -> Vec<Self::Moment> {
        Vec::new()
    }

    /// Ends the trace, and with it the events whose end is missing. Every moment is final afterwards.
    fn finish(&mut self) {}

    /// How many answers may differ from the definition, because the pass had to decide too early or
    /// had forgotten what it needed.
    fn approximations(&self) -> u64 {
        0
    }
}

/// A read-only view of what a [`Timeline`] knows.
pub trait View: Clone + Send + Sync {
    /// See [`Timeline::Moment`].
    type Moment;

    /// The task of the accesses at a moment.
    fn task(&self, moment: &Self::Moment) -> u32;

    /// [`Node::position`] of the accesses at a moment.
    fn position(&self, moment: &Self::Moment) -> u32;

    /// A moment of the past, by its task and position; none where nothing orders the task.
    fn moment_of(&self, task: u32, position: u32) -> Option<Self::Moment>;

    /// How far `task`, another one, is known at a moment: up to this position.
    fn reach(&self, moment: &Self::Moment, task: u32) -> u32;

    /// The chain of a task. Whoever follows the later of two positions of a chain follows the earlier.
    fn chain(&self, task: u32) -> u32;

    /// Returns the floor of a moment: all operations with smaller numbers happen before it. The floor
    /// is 0 in an engine without a window.
    fn floor(&self, _moment: &Self::Moment) -> OpId {
        OpId(0)
    }

    /// Whether an earlier access happens before those at a moment.
    fn covers(&self, moment: &Self::Moment, node: Node) -> bool {
        node.task == self.task(moment)
            || node.op < self.floor(moment)
            || self.reach(moment, node.task) >= node.position
    }

    /// Whether all that happens before a moment is known, so that "unordered" is final.
    fn is_final(&self, _moment: &Self::Moment) -> bool {
        true
    }
}
