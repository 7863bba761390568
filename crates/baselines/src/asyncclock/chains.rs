//! Chain decomposition: FIFO (§4.2), and greedy for the rest (§2.4).

use std::collections::HashMap;

use trace::QueueId;

use super::clocks::{Epoch, VectorClock};

/// Events sent from chains of this level or above get greedy chains.
const LEVELS: u8 = 3;

/// The level of chains that are greedy.
const GREEDY: u8 = u8::MAX;

/// What determines the FIFO chain of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// The event was sent without delay from a chain.
    Sent { queue: QueueId, from: u32, is_async: bool },
    /// The event is an input event.
    Input(QueueId),
}

#[derive(Clone, Copy, Debug)]
struct Chain {
    level: u8,
    /// The last time that was used.
    last: u32,
    /// Whether a task runs on the chain.
    is_open: bool,
}

/// All chains.
#[derive(Default)]
pub(super) struct Chains {
    all: Vec<Chain>,
    fifo: HashMap<Origin, u32>,
    pub(super) greedy_only: bool,
}

impl Chains {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn add(&mut self, level: u8) -> u32 {
        self.all.push(Chain { level, last: 0, is_open: false });
        self.all.len() as u32 - 1
    }

    /// Starts the part of a thread outside events, which is a chain of its own.
    pub(super) fn start_thread(&mut self) -> Epoch {
        let chain = self.add(0);
        self.start(chain)
    }

    /// Starts an event at the time `now`, on its FIFO chain or on one of the chains `ends`, which end with
    /// its predecessors. The last event of the chain must precede it.
    pub(super) fn start_event(
        &mut self,
        origin: Option<Origin>,
        ends: &[u32],
        now: &VectorClock,
    ) -> Epoch {
        let level = origin.filter(|_| !self.greedy_only).and_then(|origin| self.level(origin));
        if let (Some(origin), Some(level)) = (origin, level) {
            let known = self.fifo.get(&origin).copied();
            let chain = known.unwrap_or_else(|| self.add(level));
            self.fifo.insert(origin, chain);
            if self.is_free(chain, now) {
                return self.start(chain);
            }
        }
        let free = ends.iter().copied().find(|&chain| self.is_free(chain, now));
        let chain = free.unwrap_or_else(|| self.add(GREEDY));
        self.start(chain)
    }

    /// The level of the FIFO chain of an event.
    fn level(&self, origin: Origin) -> Option<u8> {
        match origin {
            Origin::Input(_) => Some(1),
            Origin::Sent { from, .. } => {
                let level = self.all[from as usize].level;
                (level < LEVELS).then(|| level + 1)
            }
        }
    }

    /// Whether nothing runs on a chain, and its last event precedes what knows `now`.
    fn is_free(&self, chain: u32, now: &VectorClock) -> bool {
        let Chain { last, is_open, .. } = self.all[chain as usize];
        !is_open && now.covers(Epoch { chain, time: last })
    }

    fn start(&mut self, number: u32) -> Epoch {
        let chain = &mut self.all[number as usize];
        chain.is_open = true;
        Epoch { chain: number, time: chain.last + 1 }
    }

    /// Ends a task at its last time.
    pub(super) fn end(&mut self, at: Epoch) {
        let chain = &mut self.all[at.chain as usize];
        (chain.last, chain.is_open) = (at.time, false);
    }
}
