//! The accesses of a location, divided into chains that happens-before orders as the trace does.
//!
//! Within a chain all accesses are ordered. An access and the later accesses of another chain are
//! unordered up to some point of that chain and ordered from there on. Binary search for that point
//! finds all unordered pairs of a location with O(accesses · chains · log accesses) order queries,
//! without comparing every pair.

use std::collections::HashMap;
use std::ops::Range;

use order::HappensBefore;
use trace::QueueId;

use crate::access::Access;

/// A chain of accesses of one location. Either all of them lie in events of one Looper, or none
/// does.
pub(crate) struct AccessChain {
    /// The indices of the accesses, in trace order.
    pub(crate) accesses: Vec<usize>,
    /// Element k is the number of writes among the first k accesses.
    writes: Vec<usize>,
}

impl AccessChain {
    /// Returns the number of writes in a range of accesses.
    pub(crate) fn writes(&self, range: &Range<usize>) -> usize {
        self.writes[range.end] - self.writes[range.start]
    }
}

/// The chains of accesses of a location.
pub(crate) struct AccessChains {
    all: Vec<AccessChain>,
    chain_of: Vec<u32>,
    is_one: bool,
}

impl AccessChains {
    pub(crate) fn new(order: &dyn HappensBefore, accesses: &[Access]) -> Self {
        let mut places: HashMap<(u32, Option<QueueId>), u32> = HashMap::new();
        let mut chains: Vec<AccessChain> = Vec::new();
        let mut chain_of = Vec::with_capacity(accesses.len());
        let mut numbers = Vec::new();
        for (i, access) in accesses.iter().enumerate() {
            let mut new = || {
                chains.push(AccessChain { accesses: Vec::new(), writes: vec![0] });
                chains.len() as u32 - 1
            };
            let number = order.chain(access.op);
            let place = match number {
                Some(number) => *places.entry((number, access.looper)).or_insert_with(new),
                None => new(),
            };
            if numbers.len() < 2 && !numbers.contains(&number) || number.is_none() {
                numbers.push(number);
            }
            let chain = &mut chains[place as usize];
            chain.accesses.push(i);
            chain.writes.push(chain.writes[chain.writes.len() - 1] + usize::from(access.is_write));
            chain_of.push(place);
        }
        Self { all: chains, chain_of, is_one: numbers.len() < 2 }
    }

    /// Returns whether all accesses of the location are ordered.
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Calls `found` for every access and every other chain, with the range of the chain's accesses
    /// that come later and are unordered with the access. Empty ranges are left out. The calls are
    /// in the order of the accesses.
    pub(crate) fn unordered(
        &self,
        order: &dyn HappensBefore,
        accesses: &[Access],
        mut found: impl FnMut(usize, &AccessChain, Range<usize>),
    ) {
        for (i, access) in accesses.iter().enumerate() {
            for (chain, number) in self.all.iter().zip(0..) {
                if number == self.chain_of[i] {
                    continue;
                }
                let start = chain.accesses.partition_point(|&j| j < i);
                let later = &chain.accesses[start..];
                let unordered = |&j: &usize| !order.before(access.op, accesses[j].op);
                let end = start + later.partition_point(unordered);
                if start < end {
                    found(i, chain, start..end);
                }
            }
        }
    }
}
