//! Plans the replays of one race: which task is held back, and until when.
//!
//! The pair is the tasks of the two accesses. As long as both came through one queue that keeps its
//! order, from different tasks, the pair is those tasks instead: a flip must be an order that the
//! platform can produce. A movement of the focus stands for the gesture that it belongs to. The first task of the pair is held at a control of its own, or else at one of a
//! task that caused it, the nearest first. A task that happens before the second one cannot be held.

use std::collections::{HashSet, VecDeque};

use order::HappensBefore;
use trace::{EventId, OpId, Trace};

use crate::control::{Control, Hold, Recorded, paths};
use crate::paths::{in_document, unnumbered};

/// How many controls are tried.
const CONTROLS: usize = 3;

/// Replays that let the second task of a race run before the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The path of the task that ran first.
    pub first: String,
    /// The path of the task that ran second.
    pub second: String,
    /// What may be held for a flip, the best first.
    pub flips: Vec<Hold>,
    /// What may be held so that the recorded order is kept, if there is anything.
    pub keep: Option<Hold>,
    /// Which of the two tasks, 0 or 1, is an input, if no input caused the other one.
    pub input: Option<usize>,
    /// The paths of the recorded tasks that differ from those of the two only in their numbers.
    pub alike: Vec<String>,
}

/// Why no replay can be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlan {
    /// An access is in no event.
    NoEvent,
    /// Both accesses are in one task.
    OneTask,
    /// Nothing that causes the first task can be held.
    NoControl,
}

impl std::fmt::Display for NoPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoEvent => "an access is in no event",
            Self::OneTask => "both accesses are in one task",
            Self::NoControl => "nothing can hold the first event back",
        })
    }
}

impl Recorded<'_> {
    /// Plans the replays of a race between two operations, the first of which ran first, under the order of
    /// the recording.
    pub fn plan(
        &self,
        order: &dyn HappensBefore,
        (first, second): (OpId, OpId),
    ) -> Result<Plan, NoPlan> {
        let (a, b) = self.pair(order, (first, second)).ok_or(NoPlan::NoEvent)?;
        let needs = self.trace.event_of(second).ok_or(NoPlan::NoEvent)?;
        if a == b {
            return Err(NoPlan::OneTask);
        }
        let path = |event| self.path(event).map(str::to_owned).ok_or(NoPlan::NoEvent);
        let (first, second) = (path(a)?, path(b)?);
        let other = self.free_control(order, b, a);
        let controls = self.controls(order, (a, b), needs);
        let controls = controls.into_iter().filter(|control| Some(control) != other.as_ref());
        let flips: Vec<_> = controls
            .take(CONTROLS)
            .map(|control| Hold { control, until: second.clone() })
            .collect();
        if flips.is_empty() {
            return Err(NoPlan::NoControl);
        }
        let keep = other.map(|control| Hold { control, until: first.clone() });
        let alike = self.alike(&[&first, &second]);
        Ok(Plan { first, second, flips, keep, input: self.lone_input(a, b), alike })
    }

    /// The two tasks that a replay of a race turns round, under the order of the recording. Races with the same
    /// tasks have the same replays.
    pub fn pair(
        &self,
        order: &dyn HappensBefore,
        (first, second): (OpId, OpId),
    ) -> Option<(EventId, EventId)> {
        let task = |op: OpId| self.trace.event_of(op).map(|event| self.tasks.head(event));
        Some(self.feasible(order, task(first)?, self.gesture(task(second)?)))
    }

    /// Which of two tasks is an input, if no input caused the other.
    fn lone_input(&self, a: EventId, b: EventId) -> Option<usize> {
        let side = [a, b].iter().position(|&task| self.is_input(task))?;
        let mut seen = HashSet::new();
        let mut next = vec![if side == 0 { b } else { a }];
        while let Some(task) = next.pop() {
            if self.is_input(task) {
                return None;
            }
            next.extend(self.causes(task).into_iter().filter(|&cause| seen.insert(cause)));
        }
        Some(side)
    }

    /// The paths of the recorded tasks that differ from some paths only in their numbers.
    fn alike(&self, paths: &[&String]) -> Vec<String> {
        let plain: Vec<_> = paths.iter().map(|path| unnumbered(path)).collect();
        let all = self.paths();
        all.filter(|path| plain.contains(&unnumbered(path))).map(str::to_owned).collect()
    }

    /// The task that stands for a task in a replay: whether the focus moves depends on where it is, so the
    /// last event of the same gesture stands for that movement.
    fn gesture(&self, task: EventId) -> EventId {
        let mut at = task;
        while self.moves_focus(at)
            && let Some(next) = self.next_of_gesture(at)
        {
            at = next;
        }
        at
    }

    /// The pair that a flip reverses, for two racing tasks.
    fn feasible(&self, order: &dyn HappensBefore, a: EventId, b: EventId) -> (EventId, EventId) {
        let (mut a, mut b) = (a, b);
        while self.share_queue(a, b) {
            match (self.poster(a), self.poster(b)) {
                (Some(one), Some(other))
                    if one != other
                        && !order.event_before(one, other)
                        && !order.event_before(other, one) =>
                {
                    (a, b) = (one, other);
                }
                _ => break,
            }
        }
        (a, b)
    }

    /// The controls of the task `a` and of what caused it, nearest first, without those of tasks that must run
    /// before the task `b`, and of causes that must run before its part `needs`, which has the racing access: if
    /// the script is held that adds a listener, the input does not reach that listener.
    fn controls(
        &self,
        order: &dyn HappensBefore,
        (a, b): (EventId, EventId),
        needs: EventId,
    ) -> Vec<Control> {
        let mut found = Vec::new();
        let mut seen = HashSet::from([a]);
        let mut next = VecDeque::from([a]);
        while let Some(task) = next.pop_front() {
            if task == b || order.event_before(task, b) || self.is_part(task) {
                continue;
            }
            if task != a && order.event_before(task, needs) {
                continue;
            }
            if let Some(control) = self.free_control(order, task, b)
                && !found.contains(&control)
            {
                found.push(control);
            }
            next.extend(self.causes(task).into_iter().filter(|&cause| seen.insert(cause)));
        }
        found
    }
}

impl Recorded<'_> {
    /// The control of a task, if it holds nothing that must run before `b`: an answer also holds the
    /// callbacks of its request that come before the task. Then the page holds the task.
    fn free_control(
        &self,
        order: &dyn HappensBefore,
        task: EventId,
        b: EventId,
    ) -> Option<Control> {
        let control = self.control(task)?;
        if !matches!(control, Control::Answer { .. }) || !self.is_callback(task) {
            return Some(control);
        }
        let mut next = vec![task];
        let mut seen = HashSet::from([task]);
        while let Some(at) = next.pop() {
            if at == b || order.event_before(at, b) {
                return self.in_page(task);
            }
            let shares = |cause: &EventId| self.control(*cause).as_ref() == Some(&control);
            let causes = self.causes(at).into_iter().filter(shares);
            next.extend(causes.filter(|&cause| seen.insert(cause)));
        }
        Some(control)
    }
}

/// The tasks of an execution, by their paths, in the order in which they began.
pub struct Began(Vec<String>);

impl Began {
    /// Reads the tasks of a trace. O(operations).
    pub fn of(trace: &Trace) -> Began {
        let (mut paths, begun) = paths(trace);
        Began(begun.iter().filter_map(|event| paths.remove(event)).collect())
    }

    fn place(&self, wanted: &str) -> Option<usize> {
        self.0.iter().position(|path| path == wanted)
    }

    /// The place of a task of a plan: of the one with its path, or else of the first one whose path differs only
    /// in its numbers and that the recording does not have.
    fn nearest(&self, wanted: &str, plan: &Plan) -> Option<usize> {
        self.place(wanted).or_else(|| {
            let pattern = unnumbered(wanted);
            let is_it = |path: &String| unnumbered(path) == pattern && !plan.alike.contains(path);
            self.0.iter().position(is_it)
        })
    }

    /// Whether the task with the path `one` began before the one with the path `other`, or began although
    /// that one never did. None if it did not begin.
    pub fn before(&self, one: &str, other: &str) -> Option<bool> {
        let one = self.place(one)?;
        Some(self.place(other).is_none_or(|other| one < other))
    }

    /// Whether the second task of a plan began before the first, or, if the first was held back, began
    /// although the first never did. Without a hold, a page in which the first task is missing has taken
    /// another course.
    pub fn is_flipped(&self, plan: &Plan, is_held: bool) -> bool {
        match (self.nearest(&plan.first, plan), self.nearest(&plan.second, plan)) {
            (Some(first), Some(second)) => second < first,
            (None, Some(_)) => is_held,
            (_, None) => false,
        }
    }

    /// Whether the first task of a plan never began, although its document stayed to the end.
    pub fn is_cancelled(&self, plan: &Plan) -> bool {
        let document = |path: &str| path[..path.len() - in_document(path).len()].to_owned();
        self.nearest(&plan.first, plan).is_none()
            && self.0.last().is_some_and(|last| document(last) == document(&plan.first))
    }

    /// Whether the second task of a plan began after the first.
    pub fn is_kept(&self, plan: &Plan) -> bool {
        let places = self.nearest(&plan.first, plan).zip(self.nearest(&plan.second, plan));
        places.is_some_and(|(first, second)| first < second)
    }
}
