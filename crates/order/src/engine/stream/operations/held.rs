//! Clocks that outlive the operation they were taken at, and what they gain afterwards.
//!
//! A rule that reaches back lets a node of the past follow more than it did: it *gains*. Whatever
//! covers the node gains as much. The gains are kept in a list, and a clock is brought up to date only
//! when it is used: it joins, in the order of the list, what every node that it covers has gained. One
//! pass over the list is enough, because each gain was itself up to date when it was added.
//!
//! A clock taken at operation t covers no node after t. So of the gains that it has not seen, only
//! those matter whose nodes stand before t; and once every event that may still gain began after t,
//! none does ([`Gain::oldest`]). A clock therefore looks at few of them.

use super::OperationStream;
use crate::engine::graph::{Clock, Clocks};

/// A node with everything that happens before it.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::stream) struct Held {
    pub(in crate::engine::stream) chain: u32,
    /// The position on the chain, counted from 1.
    pub(in crate::engine::stream) position: u32,
    /// What happens before the node on other chains.
    pub(in crate::engine::stream) clock: Clock,
    /// How many gains the clock contains.
    pub(in crate::engine::stream) version: u32,
    /// The number of the operation at which the clock was taken or last joined.
    pub(in crate::engine::stream) number: u64,
}

/// A node of the past that came to follow another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    chain: u32,
    position: u32,
    number: u64,
    by: (u32, u32, Clock),
    /// The begin of the oldest event that could still gain when this gain was found: later gains are
    /// of nodes at this operation or after it.
    oldest: u64,
}

/// All gains since every held clock was last brought up to date.
#[derive(Default)]
pub(super) struct Gains {
    list: Vec<Gain>,
}

/// The number of a clock that belongs to a task that still runs.
pub(super) const RUNNING: u64 = u64::MAX;

impl Held {
    /// The clock of a task that has no node yet.
    pub(in crate::engine::stream) fn unborn() -> Self {
        Self { chain: 0, position: 0, clock: Clock::EMPTY, version: 0, number: RUNNING }
    }

    /// The clock of a task whose last node this is.
    pub(super) fn while_running(self) -> Self {
        Self { number: RUNNING, ..self }
    }

    /// Whether `self` is at or after a node.
    pub(in crate::engine::stream) fn covers(
        &self,
        clocks: &Clocks,
        chain: u32,
        position: u32,
    ) -> bool {
        if self.chain == chain {
            self.position >= position
        } else {
            clocks.get(self.clock, chain) >= position
        }
    }
}

impl Gains {
    pub(super) fn len(&self) -> u32 {
        self.list.len() as u32
    }

    /// Forgets all gains, which every held clock now contains.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }
}

impl Held {
    pub(super) fn start_over(&mut self) {
        self.version = 0;
    }
}

impl OperationStream {
    /// Takes the clock of a node that belongs to no task, such as the join of several.
    pub(super) fn joined(&self, clock: Clock) -> Held {
        Held { chain: 0, position: 0, clock, version: self.gains.len(), number: self.number }
    }

    /// Brings a clock up to date.
    #[inline]
    pub(super) fn fresh(&mut self, held: Held) -> Held {
        if held.version == self.gains.len() { held } else { self.freshen(held) }
    }

    fn freshen(&mut self, mut held: Held) -> Held {
        for i in held.version as usize..self.gains.list.len() {
            let gain = self.gains.list[i];
            if gain.number <= held.number && held.covers(&self.clocks, gain.chain, gain.position) {
                held.clock = self.add(held.clock, held.chain, gain.by);
            }
            if gain.oldest > held.number {
                break;
            }
        }
        held.version = self.gains.len();
        held
    }

    /// Joins a node, given with its clock, to the clock of a node on `chain`.
    fn add(&mut self, clock: Clock, chain: u32, by: (u32, u32, Clock)) -> Clock {
        if by.0 == chain || by.1 == 0 {
            self.clocks.join(clock, by.2)
        } else {
            self.clocks.merge_with(Clock::EMPTY, (clock, by.2), (by.0, by.1))
        }
    }

    /// Joins everything up to `from`, which is up to date, to a clock on `chain`.
    pub(super) fn join(&mut self, clock: Clock, chain: u32, from: Held) -> Clock {
        let known = from.position > 0
            && chain != from.chain
            && self.clocks.get(clock, from.chain) >= from.position;
        if known { clock } else { self.add(clock, chain, (from.chain, from.position, from.clock)) }
    }

    /// Adds a gain to the list: the node `of` is to follow `by`, which is up to date.
    pub(super) fn add_gain(&mut self, of: Held, by: Held) {
        self.gains.list.push(Gain {
            chain: of.chain,
            position: of.position,
            number: of.number,
            by: (by.chain, by.position, by.clock),
            oldest: self.oldest,
        });
    }
}
