//! Coverage of races between events that do not nest, in near-linear time.
//!
//! The racing events are numbered in the order in which they begin, and their order is passed to
//! [`cover`], which sweeps over the events in this order. Events of different loopers may overlap.
//! An event that nests in another may race with what follows in the outer one, which began before
//! it: such a race leads backward, and the sweep does not apply.
//!
//! Cost: with an engine that has clocks, the parts of the clocks in which racing events differ from
//! the ones before them on their chains, then the sweep and the search for chains. Events of silent
//! tasks of model `web`, which are no part of clocks, take an order query for each later racing
//! event. Without clocks it takes O(events²) order queries and n²/8 bytes for n racing events.

use std::collections::HashMap;

use order::{HappensBefore, Places};
use trace::{EventId, Trace};

use super::{Candidate, CandidateId, ChainClocks, EventRace, NodeId, cover};
use crate::RaceId;

/// The racing events in the order in which they run.
pub(super) struct Sequence {
    events: Vec<EventId>,
    candidates: Vec<Candidate>,
}

impl Sequence {
    /// Returns the events of `races`, or `None` if a race leads to an event that began earlier.
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
        let forward = candidates.iter().all(|race| race.first < race.second);
        forward.then_some(Self { events, candidates })
    }

    /// Returns, for each race, the chain that covers it; the chain is empty if no chain does.
    /// Returns `None` if a race lies between events that are ordered, which is possible while rules
    /// that order the inside of events are off.
    pub(super) fn cover(
        &self,
        order: &dyn HappensBefore,
        races: &[EventRace],
    ) -> Option<Vec<Vec<RaceId>>> {
        let predecessors = match order.places() {
            Some(places) => self.predecessors_by_clocks(order, &places),
            None => self.predecessors(order),
        };
        let clocks = ChainClocks::of_predecessors(predecessors);
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

    /// Returns, for each event, earlier events that it follows: all others that it follows are
    /// before these. Of each chain, only the last event is returned that the event before it on its
    /// own chain does not know.
    fn predecessors_by_clocks(
        &self,
        order: &dyn HappensBefore,
        places: &Places<'_>,
    ) -> Vec<Vec<NodeId>> {
        // The racing events of each chain, with their positions there.
        let mut chains: HashMap<u32, Vec<(u32, NodeId)>> = HashMap::new();
        let mut unplaced: Vec<NodeId> = Vec::new();
        let mut all = Vec::with_capacity(self.events.len());
        for (i, &event) in self.events.iter().enumerate() {
            let on_own_chain = places.chain(event).and_then(|chain| chains.get(&chain)?.last());
            let base = on_own_chain
                .map(|&(_, node)| self.events[node.index()])
                .filter(|&base| order.event_before(base, event));
            let mut found = Vec::new();
            places.gained(base, event, &mut |chain, from, to| {
                let Some(on_chain) = chains.get(&chain) else { return };
                let known = on_chain.partition_point(|&(position, _)| position <= to);
                let last = on_chain[..known].last().filter(|&&(position, _)| position > from);
                found.extend(last.map(|&(_, node)| node));
            });
            let precedes = |node: &&NodeId| order.event_before(self.events[node.index()], event);
            found.extend(unplaced.iter().filter(precedes));
            all.push(found);
            match places.place(event) {
                Some((chain, position)) => {
                    chains.entry(chain).or_default().push((position, NodeId::new(i)));
                }
                None if places.is_last(event) => {}
                None => unplaced.push(NodeId::new(i)),
            }
        }
        all
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
