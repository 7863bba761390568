//! Selects the pairs of accesses that are reported.
//!
//! A pair races when both access one location, at least one writes, and nothing orders them.
//! [`PairMode::All`] selects every such pair. [`PairMode::Candidates`] selects, among the accesses
//! of one Looper's events, the pairs of EventRacer §4.2: adjacent writes, and each read with the
//! last write before it and the next write after it. In models that order events, it does so among
//! all accesses of the trace. Of all other accesses it selects every pair. The candidates of a
//! location cover every pair that is left out, so no location with an uncovered race is lost.
//!
//! Cost: O(accesses) order queries for the candidates of one Looper, and O(accesses · chains · log
//! accesses) otherwise, where a chain is a set of accesses that the order is known to order
//! ([`crate::access_chains`]); besides, the pairs listed.

use std::collections::HashMap;

use order::HappensBefore;
use trace::{Id, LocationId, OpId, QueueId};

use crate::access::Access;
use crate::access_chains::AccessChains;
use crate::lockset::Locksets;

/// Which pairs of accesses are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairMode {
    /// The candidates of EventRacer §4.2 within a Looper, and all pairs otherwise.
    #[default]
    Candidates,
    /// Every unordered conflicting pair.
    All,
}

/// The number of pairs across dispatchers that [`PairMode::Candidates`] lists for a location. The
/// rest is only counted.
pub const LISTED_PER_LOCATION: usize = 1000;

/// An unordered conflicting pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) location: LocationId,
    pub(crate) first: OpId,
    pub(crate) second: OpId,
    /// Whether a common lock is held. False if both accesses lie in events of one Looper.
    pub(crate) lock_protected: bool,
    /// Whether both hold a lock, but none in common. False if both accesses lie in events of one
    /// Looper.
    pub(crate) separately_locked: bool,
}

/// The pairs of a trace.
#[derive(Default)]
pub(crate) struct Pairs {
    /// The listed pairs, by location, then in the order found.
    pub(crate) listed: Vec<Pair>,
    /// The number of all pairs, listed or not.
    pub(crate) total: usize,
}

/// The order and the locksets by which accesses are compared, and the pairs to select.
pub(crate) struct Comparison<'a> {
    pub(crate) order: &'a dyn HappensBefore,
    pub(crate) locksets: &'a Locksets,
    pub(crate) orders_events: bool,
    pub(crate) mode: PairMode,
}

impl Comparison<'_> {
    /// Adds the pairs of one location to `out`.
    fn location(&self, location: LocationId, accesses: &[Access], out: &mut Pairs) {
        let chains = AccessChains::new(self.order, accesses);
        if chains.is_one() {
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
        chains.unordered(self.order, accesses, |i, chain, range| {
            let (first, one) = (accesses[i], accesses[chain.accesses[0]]);
            if !all && self.together(first, one) {
                return;
            }
            out.total += if first.is_write { range.len() } else { chain.writes(&range) };
            // Later pairs of the same first access may still sort before those that are listed.
            if all || listed < LISTED_PER_LOCATION || last == Some(i) {
                last = Some(i);
                let second = chain.accesses[range].iter().map(|&i| accesses[i]);
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

    /// Returns whether both run in events of one Looper, or the model orders only events.
    fn together(&self, a: Access, b: Access) -> bool {
        self.orders_events || a.looper.is_some() && a.looper == b.looper
    }

    /// Returns the groups of accesses that run in events of one Looper, each in trace order.
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

/// Returns the conflicting pairs of EventRacer §4.2: those with no write in between.
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

/// Returns the pairs of all locations of a trace.
pub(crate) fn find(comparison: &Comparison<'_>, locations: &[Vec<Access>]) -> Pairs {
    let mut pairs = Pairs::default();
    for (i, accesses) in locations.iter().enumerate() {
        if accesses.iter().any(|a| a.is_write) {
            comparison.location(LocationId::new(i), accesses, &mut pairs);
        }
    }
    pairs
}
