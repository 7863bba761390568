//! Race coverage (EventRacer, Definitions 3.1 and 3.2).
//!
//! Races S₁ … Sₙ, Sᵢ = (cᵢ, dᵢ), cover R = (a, b) when ev(a) ≼ ev(c₁), ev(dᵢ) ≼ ev(cᵢ₊₁), and dₙ
//! happens before b: in the same event and earlier in the trace, or in an event before ev(b).
//! Treating the Sᵢ as synchronisation, R is no race. Only races between events of one dispatcher
//! take part, as covering and as covered; a predicate says which locations may synchronise, that
//! is, whose races may cover others (EventRacer Android, §7.3.1).
//!
//! This is the definition: for every race a breadth-first search over the others, so a chain found
//! is one of least length, and among those the one with the smallest ids. O(races²) order queries
//! for every race.

use order::HappensBefore;
use trace::{EventId, OpId, Trace};

use crate::RaceId;

/// A race that takes part in coverage.
#[derive(Clone, Copy)]
pub(crate) struct EventRace {
    pub(crate) id: RaceId,
    pub(crate) first_event: EventId,
    pub(crate) second: OpId,
    pub(crate) second_event: EventId,
}

/// For each race, in the order given, the chain of `covering` races that covers it; empty when
/// none does.
///
/// Both are in the order of their ids, which is the order of their second operations.
pub(crate) fn cover(
    trace: &Trace,
    order: &dyn HappensBefore,
    races: &[EventRace],
    covering: &[EventRace],
) -> Vec<Vec<RaceId>> {
    debug_assert!(covering.is_sorted_by_key(|r| (r.second, r.id)));
    debug_assert!(covering.iter().all(|r| trace.event_of(r.second) == Some(r.second_event)));
    races.iter().map(|race| chain(order, covering, race)).collect()
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
    // Each level is in the order of its chains, so the first to reach b is the one wanted.
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

/// How the search came to a race.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    No,
    /// As the first of a chain.
    First,
    /// After the race with this index.
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
