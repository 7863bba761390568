//! Coverage of races between events that run one after the other, in near-linear time.
//!
//! The racing events are numbered in the order in which they begin, and their order is passed to
//! [`cover`], which sweeps over the races by second access. The sweep is sound only if it has
//! processed every race that ends in an event before it leaves the event for a later one. Events
//! that overlap or nest may break this condition.
//!
//! Cost: at worst O(events²) order queries and n²/8 bytes for n racing events, then the sweep and
//! the search for chains.

use std::collections::HashMap;

use order::HappensBefore;
use trace::{EventId, Trace};

use super::{Candidate, CandidateId, ChainClocks, EventRace, NodeId, cover};
use crate::RaceId;

/// The racing events in the order in which they run.
pub(super) struct Sequence {
    events: Vec<EventId>,
    candidates: Vec<Candidate>,
}

impl Sequence {
    /// Returns the events of `races`, or `None` if the order of the races shows that the events do
    /// not run one after the other.
    pub(super) fn of(trace: &Trace, races: &[EventRace]) -> Option<Self> {
        let mut events: Vec<EventId> =
            races.iter().flat_map(|race| [race.first_event, race.second_event]).collect();
        events.sort_unstable_by_key(|&event| trace.event(event).begin);
        events.dedup();
        let places: HashMap<EventId, usize> =
            events.iter().enumerate().map(|(i, &event)| (event, i)).collect();
        let place = |event| NodeId::new(places[&event]);
        let candidates: Vec<Candidate> = races
            .iter()
            .map(|race| Candidate {
                first: place(race.first_event),
                second: place(race.second_event),
                position: u64::from(race.second.0),
                may_cover: race.may_cover,
            })
            .collect();
        let is_sequence = candidates.iter().all(|race| race.first < race.second)
            && candidates.is_sorted_by_key(|race| race.second);
        is_sequence.then_some(Self { events, candidates })
    }

    /// Returns, for each race, the chain that covers it; the chain is empty if no chain does.
    /// Returns `None` if a race lies between events that are ordered, which is possible while rules
    /// that order the inside of events are off.
    pub(super) fn cover(
        &self,
        order: &dyn HappensBefore,
        races: &[EventRace],
    ) -> Option<Vec<Vec<RaceId>>> {
        let clocks = ChainClocks::of_predecessors(self.predecessors(order));
        if self.candidates.iter().any(|race| clocks.le(race.first, race.second)) {
            return None;
        }
        let coverage = cover(&clocks, &self.candidates);
        let mut chains = coverage.chains();
        let chain = |race| {
            let chain = chains.of(CandidateId::new(race));
            chain.into_iter().map(|by| races[by.index()].id).collect()
        };
        Some((0..races.len()).map(chain).collect())
    }

    /// Returns, for each event, the earlier events that it follows directly: no other event lies
    /// between them.
    fn predecessors(&self, order: &dyn HappensBefore) -> Vec<Vec<NodeId>> {
        let words = self.events.len().div_ceil(64);
        let mut below: Vec<Vec<u64>> = Vec::with_capacity(self.events.len());
        let mut all = Vec::with_capacity(self.events.len());
        for (i, &event) in self.events.iter().enumerate() {
            let mut reached = vec![0_u64; words];
            let mut nearest = Vec::new();
            for j in (0..i).rev() {
                let known = reached[j / 64] >> (j % 64) & 1 == 1;
                if !known && order.event_before(self.events[j], event) {
                    nearest.push(NodeId::new(j));
                    reached[j / 64] |= 1 << (j % 64);
                    for (word, more) in reached.iter_mut().zip(&below[j]) {
                        *word |= more;
                    }
                }
            }
            below.push(reached);
            all.push(nearest);
        }
        all
    }
}
