//! Coverage of races between events that run one after the other, in near-linear time.
//!
//! The events that race are numbered in the order they begin, and their order is handed to
//! [`cover`], which sweeps over the races by second access. That is sound only if
//! by the time an event is left for a later one, every race into it has come by; events that
//! overlap or nest may break this.
//!
//! Cost: O(events²) order queries at worst and n²/8 bytes for n racing events, then the sweep and
//! the search for chains.

use std::collections::HashMap;

use order::HappensBefore;
use trace::{EventId, Trace};

use super::{Candidate, CandidateId, ChainClocks, EventRace, NodeId, cover};
use crate::RaceId;

/// The events that race, in the order they run.
pub(super) struct Sequence {
    events: Vec<EventId>,
    candidates: Vec<Candidate>,
}

impl Sequence {
    /// The events of `races`; none if they do not run one after the other, as far as the races
    /// can tell.
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

    /// For each race the chain that covers it; empty when none does. None if a race is between
    /// events that are ordered, which can be while rules are off that order the inside of events.
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

    /// For each event, the earlier ones it follows that no other such event follows.
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
