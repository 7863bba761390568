//! Finds races in a trace and its happens-before order: which conflicting accesses are unordered,
//! which of them locks protect, which are covered by others, and why they could run in either
//! order.
//!
//! Nothing here can fail, and nothing is dropped without being counted.

mod access;
mod access_chains;
mod calls;
mod class;
pub mod coverage;
mod covering;
pub mod fasttrack;
mod known;
mod lockset;
mod pairs;
pub mod stream;
mod suspects;

pub use calls::cover_calls;
pub use class::{Class, Origin};
pub use covering::{Covering, QUERIES, Reach};
pub use pairs::{LISTED_PER_LOCATION, PairMode};
pub use suspects::Suspects;

use order::{HappensBefore, Model};
use trace::{EventId, LocationId, OpId, Trace};

use crate::class::Origins;
use crate::coverage::EventRace;
use crate::pairs::{Comparison, Pair};

/// The index of a race in the list of races. The list is sorted by second, then first operation,
/// unless it reproduces the list of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaceId(pub u32);

/// Two unordered accesses of one location, at least one of them a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The index of this race.
    pub id: RaceId,
    /// The location.
    pub location: LocationId,
    /// The access that came first in this execution, or the one that another tool prints first.
    pub first: OpId,
    /// The other access.
    pub second: OpId,
    /// Why the two accesses could run in either order.
    pub class: Class,
    /// Whether both accesses hold a common lock. They cannot overlap then, but can still run in
    /// either order.
    pub lock_protected: bool,
    /// Whether both accesses hold a lock, but none in common: each lies in an atomic region of its
    /// own.
    pub separately_locked: bool,
    /// The shortest chain of races that, taken as synchronisation, orders this race; empty if there
    /// is none.
    pub covered_by: Vec<RaceId>,
}

impl Race {
    /// Returns whether other races cover this one.
    pub fn is_covered(&self) -> bool {
        !self.covered_by.is_empty()
    }
}

/// The races of a trace.
#[derive(Debug)]
pub struct Races {
    /// The listed races, by id.
    pub races: Vec<Race>,
    /// The number of unordered conflicting pairs that the mode counts, listed or not.
    pub pairs: usize,
}

/// Finds the races of `trace` under `order`, which was closed under the rules of `model`. Any race
/// may cover others.
pub fn detect(trace: &Trace, order: &dyn HappensBefore, model: &Model, mode: PairMode) -> Races {
    detect_covered_by(trace, order, model, mode, &|_| true)
}

/// Like [`detect`], but only races on locations that `may_cover` may cover others.
pub fn detect_covered_by(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    mode: PairMode,
    may_cover: &dyn Fn(LocationId) -> bool,
) -> Races {
    let mut found = find(trace, order, model, mode);
    cover(trace, order, model, &mut found.races, &|race| may_cover(race.location));
    found
}

/// Like [`detect`], without coverage: no race counts as covered.
pub fn find(trace: &Trace, order: &dyn HappensBefore, model: &Model, mode: PairMode) -> Races {
    let suspects = suspects::of_trace(trace, order);
    let (locations, locksets) = access::by_location(trace, suspects.as_deref());
    let orders_events = model.orders_events();
    let comparison = Comparison { order, locksets: &locksets, orders_events, mode };
    let mut pairs = pairs::find(&comparison, &locations);
    pairs.listed.sort_by_key(|p| (p.second, p.first));
    let origins = Origins::new(trace);
    let races: Vec<Race> = pairs
        .listed
        .iter()
        .enumerate()
        .map(|(i, &Pair { location, first, second, lock_protected, separately_locked })| Race {
            id: RaceId(i as u32),
            location,
            first,
            second,
            class: if orders_events {
                Class::of_kinds(trace, first, second)
            } else {
                origins.class(trace, order, first, second)
            },
            lock_protected,
            separately_locked,
            covered_by: Vec::new(),
        })
        .collect();
    Races { races, pairs: pairs.total }
}

/// Determines which races cover which. The races must be sorted by their second, then first accesses,
/// and have ids in that order. Only races for which `may_cover` holds may cover others.
pub fn cover(
    trace: &Trace,
    order: &dyn HappensBefore,
    model: &Model,
    races: &mut [Race],
    may_cover: &dyn Fn(&Race) -> bool,
) {
    let eligible: Vec<EventRace> =
        races.iter().filter_map(|race| event_race(trace, model, race, may_cover(race))).collect();
    for (race, chain) in eligible.iter().zip(coverage::chains(trace, order, &eligible)) {
        races[race.id.0 as usize].covered_by = chain;
    }
}

/// Returns the events of two accesses if the events are atomic towards each other: events of one
/// Looper, or any two events if the model orders only events. Coverage is defined only for such
/// pairs.
pub fn atomic_events(
    trace: &Trace,
    model: &Model,
    first: OpId,
    second: OpId,
) -> Option<(EventId, EventId)> {
    let (t, u) = (trace.event_of(first)?, trace.event_of(second)?);
    let one_looper = trace.looper_of(t).is_some() && trace.looper_of(t) == trace.looper_of(u);
    (model.orders_events() || one_looper).then_some((t, u))
}

/// Returns the race as the input of coverage, or `None` if it lies outside atomic events.
fn event_race(trace: &Trace, model: &Model, race: &Race, may_cover: bool) -> Option<EventRace> {
    let (first_event, second_event) = atomic_events(trace, model, race.first, race.second)?;
    Some(EventRace { id: race.id, first_event, second: race.second, second_event, may_cover })
}
