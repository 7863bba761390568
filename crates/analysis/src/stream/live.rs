//! Races that are passed to the watch while the input is read.
//!
//! The first race of each location is passed on as soon as its verdict is final, unless the races before
//! it cover it or a label hides it. Only the labels are asked that the accesses of the race decide. The
//! report at the end judges all races again: what comes later may still cover a race or hide it.
//!
//! Cost: for each race a search over the uncovered races so far, of which `COVERING` are kept, and for
//! each batch with new races an excerpt that shows them.

use std::collections::HashSet;

use codec::native::{Declared, Excerpt};
use order::{HappensBefore, Model, Stream};
use races::stream::Found;
use races::{Class, Race, RaceId, Races};
use trace::{EventId, Id, LocationId, OpId, Trace};
use triage::Lists;

use super::excerpt::location_in;
use super::{Pass, excerpt};
use crate::watch::{LiveRace, Watcher};

/// How many uncovered races are taken as synchronisation for those after them.
const COVERING: usize = 512;

/// How many races of one batch are passed on.
const AT_ONCE: usize = 64;

/// A race between events that are atomic towards each other.
#[derive(Clone, Copy)]
struct Covering {
    first: EventId,
    second: EventId,
    /// The number of the second access.
    number: u64,
}

/// The races that were passed on, and those that may be.
#[derive(Default)]
pub(super) struct Live {
    fresh: Vec<(Found, Class)>,
    told: HashSet<LocationId>,
    uncovered: Vec<Covering>,
}

impl Live {
    /// Adds a race whose verdict is final.
    pub(super) fn add(&mut self, found: &Found, class: Class) {
        self.fresh.push((*found, class));
    }

    /// Whether races before it cover a race. If they do not, it may cover others.
    fn is_covered(&mut self, stream: &mut Stream, found: &Found, may_cover: bool) -> bool {
        let (Some(first), Some(second)) = (found.first.event, found.second.event) else {
            return false;
        };
        let looper = stream.looper(Some(first));
        let atomic =
            stream.orders_events() || looper.is_some() && looper == stream.looper(Some(second));
        if !atomic {
            return false;
        }
        let mut reached = vec![first];
        let mut left = self.uncovered.clone();
        while let Some(event) = reached.pop() {
            let mut follows = |t: EventId, u: EventId| t == u || stream.watched_before(t, u);
            let (next, rest): (Vec<Covering>, Vec<Covering>) =
                left.into_iter().partition(|race| follows(event, race.first));
            left = rest;
            let is_before_second = |race: &Covering| {
                if race.second == second {
                    race.number < found.second.number
                } else {
                    follows(race.second, second)
                }
            };
            if next.iter().any(is_before_second) {
                return true;
            }
            reached.extend(next.iter().map(|race| race.second));
        }
        if may_cover && self.uncovered.len() < COVERING {
            self.uncovered.push(Covering { first, second, number: found.second.number });
        }
        false
    }
}

/// Passes the new races to the watch that nothing covers and no label hides so far.
pub(super) fn tell(
    pass: &mut Pass,
    declared: &Declared,
    (model, lists): (&'static Model, &Lists),
    watcher: &Watcher<'_>,
) {
    let Some(mut live) = pass.live.take() else { return };
    let mut fresh = std::mem::take(&mut live.fresh);
    if !fresh.is_empty() {
        fresh.sort_by_key(|(found, _)| (found.second.number, found.first.number));
        let found = fresh.iter().map(|(found, _)| found);
        let operations = excerpt::operations(&pass.events, found, std::iter::empty());
        let shown = declared.excerpt(&operations);
        fresh.retain(|(found, _)| {
            let location = location_in(Some(&shown.shown), found.location);
            let may_cover = lists.may_cover(&shown.trace, model, location);
            let is_covered = live.is_covered(&mut pass.stream, found, may_cover);
            !is_covered && !live.told.contains(&found.location)
        });
        fresh.truncate(AT_ONCE);
        let hidden = hidden(&mut pass.stream, &shown, (model, lists), &fresh);
        for ((found, class), is_hidden) in fresh.iter().zip(hidden) {
            if !is_hidden && live.told.insert(found.location) {
                watcher.tell(&LiveRace { found, class: *class, names: declared.names() });
            }
        }
    }
    pass.live = Some(live);
}

/// Whether a label hides each of some races, which the trace shows.
fn hidden(
    stream: &mut Stream,
    Excerpt { trace, shown }: &Excerpt,
    (model, lists): (&'static Model, &Lists),
    fresh: &[(Found, Class)],
) -> Vec<bool> {
    let operation = |number: u64| trace.ops().find(|&op| u64::from(trace.number(op)) == number);
    let races = (0..).zip(fresh).filter_map(|(id, (found, class))| {
        Some(Race {
            id: RaceId(id),
            location: location_in(Some(shown), found.location),
            first: operation(found.first.number)?,
            second: operation(found.second.number)?,
            class: *class,
            lock_protected: found.lock_protected,
            separately_locked: found.separately_locked,
            covered_by: Vec::new(),
        })
    });
    let races: Vec<Race> = races.collect();
    let pairs = races.len();
    let events: HashSet<EventId> = trace.ops().filter_map(|op| trace.event_of(op)).collect();
    let pairs_of = |t: EventId| events.iter().map(move |&u| (t, u));
    let before = events.iter().flat_map(|&t| pairs_of(t));
    let in_pass = |event: EventId| shown.events[event.index()];
    let before = before.filter(|&(t, u)| t != u && stream.watched_before(in_pass(t), in_pass(u)));
    let before = before.collect();
    let order = KnownOrder { trace, before };
    let judged = triage::triage_in_one_pass(trace, &order, model, &Races { races, pairs }, lists);
    judged.verdicts.iter().map(|verdict| verdict.hidden).collect()
}

/// The order of the events of a few races.
struct KnownOrder<'a> {
    trace: &'a Trace,
    before: HashSet<(EventId, EventId)>,
}

impl HappensBefore for KnownOrder<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        let events = self.trace.event_of(a).zip(self.trace.event_of(b));
        a < b && events.is_some_and(|(t, u)| t == u || self.before.contains(&(t, u)))
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        self.before.contains(&(t, u))
    }
}
