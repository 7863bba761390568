//! Closing a model that orders whole events: clocks over events, in the order of their begins.
//!
//! Every conclusion t ≼ u leads to an event that begins later, so one sweep closes them.

use trace::{EventId, Id, Trace};

use super::clock::{Clock, Clocks};
use crate::engine::events::EventEdge;

#[derive(Clone, Copy)]
struct Row {
    chain: u32,
    /// From 1; 0 for a message that never began.
    position: u32,
    clock: Clock,
}

/// The closed order of events.
pub(crate) struct EventClocks {
    clocks: Clocks,
    rows: Vec<Row>,
    chains: usize,
}

impl EventClocks {
    /// Closes `edges`, which are sorted by the begins of their targets.
    pub(crate) fn new(trace: &Trace, edges: &[EventEdge]) -> Self {
        let mut begun: Vec<EventId> =
            trace.events().filter(|(_, e)| e.begin.is_some()).map(|(id, _)| id).collect();
        begun.sort_by_key(|&event| trace.event(event).begin);
        let none = Row { chain: 0, position: 0, clock: Clock::EMPTY };
        let rows = vec![none; trace.names().events.len()];
        let mut closed = Self { clocks: Clocks::new(), rows, chains: 0 };
        let mut tails: Vec<u32> = Vec::new();
        let mut rest = edges;
        for event in begun {
            let own = rest.iter().take_while(|edge| edge.to == event).count();
            let (into, later) = rest.split_at(own);
            rest = later;
            closed.add(trace, event, into, &mut tails);
        }
        closed.chains = tails.len();
        closed
    }

    /// A chain goes on only with an event that begins after the last one ended: so the operations
    /// of a chain are ordered as the trace orders them.
    fn add(&mut self, trace: &Trace, event: EventId, into: &[EventEdge], tails: &mut Vec<u32>) {
        let begin = trace.event(event).begin;
        let mut clock = Clock::EMPTY;
        let mut follows = None;
        for edge in into {
            let from = self.rows[edge.from.index()];
            clock = self.clocks.join(clock, from.clock);
            clock = self.clocks.with(clock, from.chain, from.position);
            let ended = trace.event(edge.from).end.is_some_and(|end| Some(end) < begin);
            if ended && tails[from.chain as usize] == from.position {
                follows.get_or_insert(from.chain);
            }
        }
        let chain = follows.unwrap_or_else(|| {
            tails.push(0);
            tails.len() as u32 - 1
        });
        tails[chain as usize] += 1;
        self.rows[event.index()] = Row { chain, position: tails[chain as usize], clock };
    }

    /// t ≼ u, t ≠ u.
    pub(crate) fn before(&self, t: EventId, u: EventId) -> bool {
        let (from, to) = (self.rows[t.index()], self.rows[u.index()]);
        if from.position == 0 || to.position == 0 {
            return false;
        }
        if from.chain == to.chain {
            return from.position < to.position;
        }
        self.clocks.get(to.clock, from.chain) >= from.position
    }

    /// The chain of an event that began.
    pub(crate) fn chain(&self, event: EventId) -> u32 {
        self.rows[event.index()].chain
    }

    /// The chain of an event that began, its position there, and its clock.
    pub(crate) fn place(&self, event: EventId) -> Option<(u32, u32, Clock)> {
        let row = self.rows[event.index()];
        (row.position > 0).then_some((row.chain, row.position, row.clock))
    }

    pub(crate) fn entry(&self, clock: Clock, chain: u32) -> u32 {
        self.clocks.get(clock, chain)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn chains(&self) -> usize {
        self.chains
    }

    pub(crate) fn bytes(&self) -> usize {
        self.clocks.bytes() + self.rows.len() * std::mem::size_of::<Row>()
    }
}
