//! Rule WINDOW in the sweep: what a begin, or an operation outside events, follows because it is old.
//!
//! The *floor* of an operation is how many events had begun at the last begin that is older than the
//! window, that one included; everything up to that begin precedes the operation. A clock holds the
//! floor as the entry of a chain of its own. Nodes up to the floor are joined one by one as the floor
//! rises: what happens before them lies below the floor as well.

use std::collections::VecDeque;

use trace::{Op, OpId, Trace};

use super::nodes::FLOOR;
use crate::engine::graph::clock::{Clock, Clocks};

/// The floor of every operation, after a sweep.
#[derive(Default)]
pub(crate) struct Floors {
    /// All begins, in the order of the trace.
    begins: Vec<OpId>,
    /// The floor from an operation on.
    rises: Vec<(OpId, u32)>,
}

impl Floors {
    /// How many events began before `op`.
    pub(crate) fn epoch(&self, op: OpId) -> u32 {
        self.begins.partition_point(|&begin| begin < op) as u32
    }

    /// The floor of operations before `end`.
    pub(crate) fn before(&self, end: OpId) -> u32 {
        let risen = self.rises.partition_point(|&(op, _)| op < end);
        risen.checked_sub(1).map_or(0, |last| self.rises[last].1)
    }
}

/// The window, at an operation of a sweep.
pub(crate) struct Window {
    length: u64,
    time: u64,
    /// The begins above the floor, with their times and how many events had begun.
    above: VecDeque<(u64, u32)>,
    floor: u32,
    /// The nodes above the floor clock: how many events had begun before, chain and position.
    nodes: VecDeque<(u32, u32, u32)>,
    clock: Clock,
    pub(crate) floors: Floors,
}

impl Window {
    pub(crate) fn new(length: u64) -> Self {
        Self {
            length,
            time: 0,
            above: VecDeque::new(),
            floor: 0,
            nodes: VecDeque::new(),
            clock: Clock::EMPTY,
            floors: Floors::default(),
        }
    }

    /// Moves to an operation.
    pub(crate) fn pass(&mut self, trace: &Trace, op: OpId) {
        if matches!(trace.op(op), Op::Read(_) | Op::Write(_) | Op::Enter(_) | Op::Leave) {
            return;
        }
        self.time = self.time.max(trace.attributes(op).at.unwrap_or(0));
        let before = self.floor;
        while let Some(&(time, epoch)) = self.above.front()
            && self.length.saturating_add(time) <= self.time
        {
            self.floor = epoch;
            self.above.pop_front();
        }
        if self.floor != before {
            self.floors.rises.push((op, self.floor));
        }
    }

    /// Notes the begin of an event.
    pub(crate) fn begin(&mut self, op: OpId) {
        self.floors.begins.push(op);
        self.above.push_back((self.time, self.floors.begins.len() as u32));
    }

    /// Notes a node, before the begin that it may be is noted.
    pub(crate) fn add(&mut self, chain: u32, position: u32) {
        self.nodes.push_back((self.floors.begins.len() as u32, chain, position));
    }

    /// Joins everything up to the floor to a clock.
    pub(crate) fn join(&mut self, clocks: &mut Clocks, clock: Clock) -> Clock {
        if self.floor == 0 {
            return clock;
        }
        let below = self.nodes.partition_point(|&(epoch, ..)| epoch < self.floor);
        for (_, chain, position) in self.nodes.drain(..below) {
            self.clock = clocks.with(self.clock, chain, position);
        }
        self.clock = clocks.with(self.clock, FLOOR, self.floor);
        clocks.join(clock, self.clock)
    }
}
