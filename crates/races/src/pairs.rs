//! Which pairs of accesses are reported.
//!
//! A pair races when both access one location, at least one writes, and nothing orders them.
//! [`PairMode::All`] takes every such pair. [`PairMode::Candidates`] takes, among the accesses of
//! one Looper's events (of the whole trace where the model orders events), the pairs of EventRacer
//! §4.2: adjacent writes, each read with the last write before it and with the next write after it;
//! of all other accesses every pair. The candidates of a location cover every pair they leave out,
//! so no location with an uncovered race is lost.
//!
//! Cost: O(accesses) order queries for candidates of one Looper; O(accesses · lanes · log) otherwise,
//! where a lane is what the order knows to be in sequence, besides the pairs listed.

use std::collections::HashMap;

use order::HappensBefore;
use trace::{Id, LocationId, OpId, QueueId};

use crate::access::Access;
use crate::lanes::Lanes;
use crate::lockset::Locksets;

/// Which pairs are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairMode {
    /// The candidates of EventRacer §4.2 within a Looper, all pairs otherwise.
    #[default]
    Candidates,
    /// Every unordered conflicting pair.
    All,
}

/// How many pairs across dispatchers a location may list in [`PairMode::Candidates`]; the rest is
/// counted.
pub const LISTED_PER_LOCATION: usize = 1000;

/// An unordered conflicting pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) location: LocationId,
    pub(crate) first: OpId,
    pub(crate) second: OpId,
    /// Not both in events of one Looper, and a common lock is held.
    pub(crate) lock_protected: bool,
    /// Not both in events of one Looper, and both hold a lock, but none in common.
    pub(crate) separately_locked: bool,
}

/// The pairs of a trace.
#[derive(Default)]
pub(crate) struct Pairs {
    /// By location, then in the order found.
    pub(crate) listed: Vec<Pair>,
    /// How many there are, listed or not.
    pub(crate) total: usize,
}

/// How accesses are compared.
pub(crate) struct Comparison<'a> {
    pub(crate) order: &'a dyn HappensBefore,
    pub(crate) locksets: &'a Locksets,
    pub(crate) orders_events: bool,
    pub(crate) mode: PairMode,
}

impl Comparison<'_> {
    /// Adds the pairs of one location to `out`.
    fn location(&self, location: LocationId, accesses: &[Access], out: &mut Pairs) {
        let lanes = Lanes::new(self.order, accesses);
        if lanes.is_one() {
            return;
        }
        let all = self.mode == PairMode::All;
        if !all {
            for group in self.groups(accesses) {
                for (first, second) in candidates(&group) {
                    if !self.order.before(first.op, second.op) {
                        out.total += 1;
                        out.listed.push(self.pair(location, first, second));
                    }
                }
            }
        }
        if !all && accesses.iter().all(|&a| self.together(accesses[0], a)) {
            return;
        }
        let (mut listed, mut last) = (0, None);
        lanes.unordered(self.order, accesses, |i, lane, range| {
            let (first, one) = (accesses[i], accesses[lane.accesses[0]]);
            if !all && self.together(first, one) {
                return;
            }
            out.total += if first.is_write { range.len() } else { lane.writes(&range) };
            // Once there are enough, those of the same first access may still come before them.
            if all || listed < LISTED_PER_LOCATION || last == Some(i) {
                last = Some(i);
                let second = lane.accesses[range].iter().map(|&i| accesses[i]);
                let pairs = second.filter(|&second| first.conflicts(second));
                let pairs = pairs.take(if all { usize::MAX } else { LISTED_PER_LOCATION });
                let before = out.listed.len();
                out.listed.extend(pairs.map(|second| self.pair(location, first, second)));
                listed += out.listed.len() - before;
            }
        });
        if !all && listed > LISTED_PER_LOCATION {
            let from = out.listed.len() - listed;
            out.listed[from..].sort_unstable_by_key(|pair| (pair.first, pair.second));
            out.listed.truncate(from + LISTED_PER_LOCATION);
        }
    }

    fn pair(&self, location: LocationId, first: Access, second: Access) -> Pair {
        let together = self.together(first, second);
        Pair {
            location,
            first: first.op,
            second: second.op,
            lock_protected: !together && !self.locksets.disjoint(first.locks, second.locks),
            separately_locked: !together && self.locksets.separate(first.locks, second.locks),
        }
    }

    /// Whether both run in events of one Looper, or the model knows nothing but events.
    fn together(&self, a: Access, b: Access) -> bool {
        self.orders_events || a.looper.is_some() && a.looper == b.looper
    }

    /// The accesses that run together, in trace order.
    fn groups(&self, accesses: &[Access]) -> Vec<Vec<Access>> {
        if self.orders_events {
            return vec![accesses.to_vec()];
        }
        let mut places: HashMap<QueueId, usize> = HashMap::new();
        let mut groups: Vec<Vec<Access>> = Vec::new();
        for &access in accesses {
            let Some(looper) = access.looper else { continue };
            let place = *places.entry(looper).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[place].push(access);
        }
        groups
    }
}

/// EventRacer §4.2: the conflicting pairs with no write in between.
fn candidates(accesses: &[Access]) -> Vec<(Access, Access)> {
    let mut found = Vec::new();
    let mut since_write: Vec<Access> = Vec::new();
    for &access in accesses {
        if access.is_write {
            found.extend(since_write.drain(..).map(|earlier| (earlier, access)));
        } else if let Some(&write) = since_write.first().filter(|first| first.is_write) {
            found.push((write, access));
        }
        since_write.push(access);
    }
    found
}

/// All the pairs of a trace, by location.
pub(crate) fn find(comparison: &Comparison<'_>, locations: &[Vec<Access>]) -> Pairs {
    let mut pairs = Pairs::default();
    for (i, accesses) in locations.iter().enumerate() {
        if accesses.iter().any(|a| a.is_write) {
            comparison.location(LocationId::new(i), accesses, &mut pairs);
        }
    }
    pairs
}
