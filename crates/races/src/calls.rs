//! Coverage through listeners that were added late.
//!
//! A listener's call precedes what follows its dispatch only if the event that added the listener does
//! (rule CHECKPOINT of model `web`). If a race lets the listener be added before or after the dispatch,
//! the accesses of the call are unordered with all that follows, although the call never comes later than
//! its dispatch. Such races are consequences of that one race: treated as synchronisation, it orders the
//! listener's addition before the dispatch, and then CHECKPOINT orders the call.
//!
//! A race (a, b) is covered by races S₁ … Sₙ if, for every cause c of ev(a), c ≼ ev(b), or some Sᵢ is a
//! race of c with the event that starts the task of ev(a) and precedes ev(b), or c is itself a part of
//! a task for which the same holds.
//!
//! Cost: for each race that is not covered, one order query for each cause, and for the causes of these.

use std::collections::HashMap;

use order::{Causes, HappensBefore, Tasks};
use trace::{EventId, Trace};

use crate::{Race, RaceId};

/// How many parts of tasks, each a cause of the next, are followed.
const DEPTH: usize = 16;

/// Marks races whose first access is in a part of a task as covered by the races that let the part run
/// late. Only races for which `may_cover` holds may cover others.
pub fn cover_calls(
    trace: &Trace,
    order: &dyn HappensBefore,
    causes: &Causes,
    races: &mut [Race],
    may_cover: &dyn Fn(&Race) -> bool,
) {
    let tasks = Tasks::new(trace);
    let mut between: HashMap<(EventId, EventId), RaceId> = HashMap::new();
    for race in races.iter().filter(|race| may_cover(race)) {
        if let (Some(first), Some(second)) =
            (trace.event_of(race.first), trace.event_of(race.second))
        {
            between.entry((first, second)).or_insert(race.id);
        }
    }
    let calls = Calls { order, causes, tasks: &tasks, between: &between };
    let chains: Vec<_> = races
        .iter()
        .filter(|race| !race.is_covered())
        .filter_map(|race| {
            let (part, later) = (trace.event_of(race.first)?, trace.event_of(race.second)?);
            Some((race.id, calls.cover(part, later)?))
        })
        .collect();
    for (race, chain) in chains {
        races[race.0 as usize].covered_by = chain;
    }
}

struct Calls<'a> {
    order: &'a dyn HappensBefore,
    causes: &'a Causes,
    tasks: &'a Tasks,
    /// The first race between two events.
    between: &'a HashMap<(EventId, EventId), RaceId>,
}

impl Calls<'_> {
    /// The races that cover a race between `part` and `later`, if there are any.
    fn cover(&self, part: EventId, later: EventId) -> Option<Vec<RaceId>> {
        // What precedes the start of a task precedes its microtasks.
        let later = if self.causes.is_microtask(later) { self.tasks.head(later) } else { later };
        let mut used = Vec::new();
        if self.tasks.head(part) == self.tasks.head(later)
            || !self.precedes(part, later, &mut used, DEPTH)
        {
            return None;
        }
        used.sort_unstable();
        used.dedup();
        Some(used).filter(|used| !used.is_empty())
    }

    /// Whether all causes of `part` precede `later`, if the races that are added to `used` synchronise.
    fn precedes(
        &self,
        part: EventId,
        later: EventId,
        used: &mut Vec<RaceId>,
        depth: usize,
    ) -> bool {
        let start = self.tasks.head(part);
        let mut any = false;
        depth > 0
            && self.order.event_before(start, later)
            && self.causes.events(part).all(|cause| {
                any = true;
                if self.order.event_before(cause, later) {
                    return true;
                }
                match self.between.get(&(cause, start)) {
                    Some(&race) => {
                        used.push(race);
                        true
                    }
                    None => cause != part && self.precedes(cause, later, used, depth - 1),
                }
            })
            && any
    }
}
