//! Race coverage as it is defined. Every race gets a breadth-first search over the others, so a
//! chain that is found is a shortest one, and of these the one with the smallest ids.
//!
//! A race takes O(races²) order queries. This search is used where events nest.

use order::HappensBefore;

use super::EventRace;
use crate::RaceId;

/// Returns, for each race, the chain that covers it; the chain is empty if no chain does.
pub(super) fn cover(order: &dyn HappensBefore, races: &[EventRace]) -> Vec<Vec<RaceId>> {
    let covering: Vec<EventRace> = races.iter().copied().filter(|race| race.may_cover).collect();
    races.iter().map(|race| chain(order, &covering, race)).collect()
}

fn chain(order: &dyn HappensBefore, covering: &[EventRace], race: &EventRace) -> Vec<RaceId> {
    let precedes = |t, u| t == u || order.event_before(t, u);
    let reaches_b = |s: &EventRace| {
        if s.second_event == race.second_event {
            s.second < race.second
        } else {
            order.event_before(s.second_event, race.second_event)
        }
    };
    // Each level is in the order of its chains, so the first chain that reaches b is the wanted
    // one.
    let mut previous: Vec<Reached> = vec![Reached::No; covering.len()];
    let mut level: Vec<usize> = (0..covering.len())
        .filter(|&i| precedes(race.first_event, covering[i].first_event))
        .collect();
    for &i in &level {
        previous[i] = Reached::First;
    }
    while !level.is_empty() {
        if let Some(&last) = level.iter().find(|&&i| reaches_b(&covering[i])) {
            return unwind(covering, &previous, last);
        }
        let mut next = Vec::new();
        for &i in &level {
            for j in 0..covering.len() {
                if previous[j] == Reached::No
                    && precedes(covering[i].second_event, covering[j].first_event)
                {
                    previous[j] = Reached::After(i);
                    next.push(j);
                }
            }
        }
        level = next;
    }
    Vec::new()
}

/// How the search reached a race.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    No,
    /// The race is the first of a chain.
    First,
    /// The race follows the race with this index.
    After(usize),
}

fn unwind(covering: &[EventRace], previous: &[Reached], last: usize) -> Vec<RaceId> {
    let mut chain = vec![covering[last].id];
    let mut at = last;
    while let Reached::After(before) = previous[at] {
        chain.push(covering[before].id);
        at = before;
    }
    chain.reverse();
    chain
}
