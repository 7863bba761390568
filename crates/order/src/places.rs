//! The order of whole events as places on chains, for algorithms that would otherwise ask about every
//! pair of events.

use trace::{EventId, Id, Trace};

use crate::Settled;
use crate::engine::graph::{Clock, EventClocks, Operations};

/// The places of events. An event t happens before an event u exactly if u knows the chain of t at
/// least as far as the position of t.
pub struct Places<'g> {
    of: Engine<'g>,
}

enum Engine<'g> {
    Operations(&'g Operations, &'g Trace),
    Events(&'g EventClocks),
    /// A pass that is over, and the id that each event has there, if it has another one.
    Settled(&'g Settled, Option<&'g [EventId]>),
}

fn in_pass(ids: Option<&[EventId]>, event: EventId) -> EventId {
    ids.map_or(event, |ids| ids[event.index()])
}

impl<'g> Places<'g> {
    pub(crate) fn of_operations(graph: &'g Operations, trace: &'g Trace) -> Self {
        Self { of: Engine::Operations(graph, trace) }
    }

    pub(crate) fn of_events(clocks: &'g EventClocks) -> Self {
        Self { of: Engine::Events(clocks) }
    }

    pub(crate) fn of_settled(settled: &'g Settled, ids: Option<&'g [EventId]>) -> Self {
        Self { of: Engine::Settled(settled, ids) }
    }

    /// Returns the chain of an event and its position there. Returns none if the event has no such
    /// place: it precedes no other event, or only [`crate::HappensBefore::event_before`] knows which.
    pub fn place(&self, event: EventId) -> Option<(u32, u32)> {
        match self.of {
            Engine::Operations(graph, trace) => graph.end_place(trace, event),
            Engine::Events(clocks) => {
                let (chain, position, _) = clocks.place(event)?;
                (!clocks.is_silent(event)).then_some((chain, position))
            }
            Engine::Settled(settled, ids) => settled.end(in_pass(ids, event)),
        }
    }

    /// Whether an event without a place precedes no other event.
    pub fn is_last(&self, event: EventId) -> bool {
        match self.of {
            Engine::Operations(..) | Engine::Settled(..) => true,
            Engine::Events(clocks) => !clocks.is_silent(event),
        }
    }

    /// Calls `each(chain, in_base, in_event)` for every chain that `event` knows farther than `base`
    /// does. A base must happen before the event, on the event's own chain.
    pub fn gained(
        &self,
        base: Option<EventId>,
        event: EventId,
        each: &mut dyn FnMut(u32, u32, u32),
    ) {
        let mut each = |chain, from, to| each(chain, from, to);
        match self.of {
            Engine::Operations(graph, trace) => {
                let known = |event| graph.begin_stamp(trace, event);
                let Some((chain, position, clock)) = known(event) else { return };
                let (from, below) = base
                    .and_then(known)
                    .map_or((0, Clock::EMPTY), |(_, position, clock)| (position, clock));
                each(chain, from, position);
                graph.gained(below, clock, &mut each);
            }
            Engine::Events(clocks) => {
                let Some((chain, position, clock)) = clocks.place(event) else { return };
                let (from, below) = base
                    .and_then(|base| clocks.place(base))
                    .map_or((0, Clock::EMPTY), |(_, position, clock)| (position - 1, clock));
                each(chain, from, position - 1);
                clocks.gained(below, clock, &mut each);
            }
            Engine::Settled(settled, ids) => {
                let known = |event| settled.begin(in_pass(ids, event));
                let Some((chain, position, clock)) = known(event) else { return };
                let (from, below) = base
                    .and_then(known)
                    .map_or((0, Clock::EMPTY), |(_, position, clock)| (position, clock));
                each(chain, from, position);
                settled.gained(below, clock, &mut each);
            }
        }
    }

    /// Returns the chain that an event begins on.
    pub fn chain(&self, event: EventId) -> Option<u32> {
        match self.of {
            Engine::Operations(graph, trace) => {
                graph.begin_stamp(trace, event).map(|(chain, ..)| chain)
            }
            Engine::Events(clocks) => clocks.place(event).map(|(chain, ..)| chain),
            Engine::Settled(settled, ids) => {
                settled.begin(in_pass(ids, event)).map(|(chain, ..)| chain)
            }
        }
    }
}
