//! Which pairs of accesses are reported.
//!
//! A pair races when both access one location, at least one writes, and nothing orders them.
//! [`PairMode::All`] takes every such pair. [`PairMode::Candidates`] takes, among the accesses of
//! one Looper's events (of the whole trace where the model orders events), the pairs of EventRacer
//! §4.2: adjacent writes, each read with the last write before it and with the next write after it;
//! of all other accesses every pair. The candidates of a location cover every pair they leave out,
//! so no location with an uncovered race is lost.
//!
//! Cost: O(accesses) order queries for candidates of one Looper, quadratic per location otherwise.

use order::HappensBefore;
use trace::{Id, LocationId, OpId};

use crate::access::Access;
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
        let mut add = |first: Access, second: Access, together: bool, listed: bool| {
            if !first.conflicts(second) || self.order.before(first.op, second.op) {
                return false;
            }
            out.total += 1;
            if listed {
                let lock_protected =
                    !together && !self.locksets.disjoint(first.locks, second.locks);
                let separately_locked =
                    !together && self.locksets.separate(first.locks, second.locks);
                let (first, second) = (first.op, second.op);
                let pair = Pair { location, first, second, lock_protected, separately_locked };
                out.listed.push(pair);
            }
            true
        };
        if self.mode == PairMode::All {
            for (first, second) in pairs_of(accesses) {
                add(first, second, self.together(first, second), true);
            }
            return;
        }
        for group in self.groups(accesses) {
            for (first, second) in candidates(&group) {
                add(first, second, true, true);
            }
        }
        let mut across = 0;
        if accesses.iter().any(|&a| !self.together(accesses[0], a)) {
            for (first, second) in pairs_of(accesses) {
                if !self.together(first, second) {
                    let listed = across < LISTED_PER_LOCATION;
                    across += usize::from(add(first, second, false, listed));
                }
            }
        }
    }

    /// Whether both run in events of one Looper, or the model knows nothing but events.
    fn together(&self, a: Access, b: Access) -> bool {
        self.orders_events || a.looper.is_some() && a.looper == b.looper
    }

    /// The accesses that run together, in trace order.
    fn groups(&self, accesses: &[Access]) -> Vec<Vec<Access>> {
        let mut groups: Vec<Vec<Access>> = Vec::new();
        for &access in accesses {
            match groups.iter_mut().find(|group| self.together(group[0], access)) {
                Some(group) => group.push(access),
                None => groups.push(vec![access]),
            }
        }
        groups
    }
}

/// Every pair, the earlier access first.
fn pairs_of(accesses: &[Access]) -> impl Iterator<Item = (Access, Access)> + '_ {
    accesses
        .iter()
        .enumerate()
        .flat_map(|(i, &first)| accesses[i + 1..].iter().map(move |&second| (first, second)))
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
