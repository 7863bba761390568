//! Stage E: orders timers by when they were set and for how long.
//!
//! A timer that was set before another, with a delay no longer than the other's, fires before it.
//! For each timer arc a→b of delay d, in the order of (a, b), the search walks backwards from a. If
//! it reaches an op that set timers with delays of at most d, these fire before b. The search does
//! not go past an op that set a timer of exactly d: the timers before it are already ordered before
//! that timer.
//!
//! A timer set earlier may have fired in an op with a larger number than b. Such an arc points
//! backwards; the documentation of [`crate::connectivity`] states how each order treats it.

use std::collections::VecDeque;

use crate::graph::{Graph, Marks, Search};
use crate::ids::OpId;
use crate::log::ActionLog;

/// A timer: set by `set`, fired in `fired`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timer {
    set: OpId,
    fired: OpId,
    delay: u32,
}

/// The delay of an op that has set no timer yet, longer than any delay. A longer delay in the log
/// does not replace it.
const NEVER: u32 = 0x3fff_ffff;

/// Returns the timers of the log whose ends both live, by (set, fired); equal pairs are in file
/// order.
pub(super) fn timed_arcs(log: &ActionLog, graph: &Graph) -> Vec<Timer> {
    let live = |op| !graph.is_deleted(op);
    let mut timers: Vec<Timer> = log
        .arcs
        .iter()
        .filter(|arc| live(arc.tail) && live(arc.head))
        .filter_map(|arc| Some(Timer { set: arc.tail, fired: arc.head, delay: arc.delay? }))
        .collect();
    timers.sort_by_key(|timer| (timer.set, timer.fired));
    timers
}

/// Orders the timers, and returns how many arcs were needed.
pub(super) fn order_timers(timers: &[Timer], graph: &mut Graph, search: &mut Search) -> usize {
    let ops = graph.len();
    let mut state = TimerSearch {
        least: vec![NEVER; ops],
        set: vec![Vec::new(); ops],
        seen: Marks::new(ops),
        covered: Marks::new(ops),
        queue: VecDeque::new(),
    };
    let mut added = 0;
    for &timer in timers {
        added += state.order_before(timer, graph, search);
        let least = &mut state.least[timer.set.index()];
        *least = timer.delay.min(*least);
        state.set[timer.set.index()].push((timer.fired, timer.delay));
    }
    added
}

struct TimerSearch {
    /// The shortest delay of the timers that each op has set so far.
    least: Vec<u32>,
    /// The timers that each op has set so far: the op in which each fired, and its delay.
    set: Vec<Vec<(OpId, u32)>>,
    seen: Marks,
    /// The ops that happen before an op which this search has already ordered.
    covered: Marks,
    queue: VecDeque<OpId>,
}

impl TimerSearch {
    fn order_before(&mut self, timer: Timer, graph: &mut Graph, search: &mut Search) -> usize {
        self.seen.clear();
        self.covered.clear();
        self.queue.clear();
        self.seen.insert(timer.set);
        self.queue.push_back(timer.set);
        let mut added = 0;
        while let Some(op) = self.queue.pop_front() {
            let least = self.least[op.index()];
            if least <= timer.delay {
                added += self.order_set_by(op, timer, graph, search);
            }
            if least != timer.delay {
                for predecessor in graph.predecessors(op) {
                    if self.seen.insert(predecessor) {
                        self.queue.push_back(predecessor);
                    }
                }
            }
        }
        added
    }

    /// Orders the timers that `op` set, newest first, before `timer` if their delays allow it.
    fn order_set_by(
        &mut self,
        op: OpId,
        timer: Timer,
        graph: &mut Graph,
        search: &mut Search,
    ) -> usize {
        let mut added = 0;
        for &(fired, delay) in self.set[op.index()].iter().rev() {
            if self.seen.contains(fired) || delay > timer.delay {
                continue;
            }
            if !self.covered.contains(fired) {
                added += usize::from(search.need(graph, fired, timer.fired));
            }
            for predecessor in graph.predecessors(fired) {
                self.covered.insert(predecessor);
            }
            if delay == timer.delay {
                break;
            }
        }
        added
    }
}
