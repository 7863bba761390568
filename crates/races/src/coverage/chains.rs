//! Finds the races that cover a race: the chain S₁…Sₙ of candidates with the least n, and of these
//! the one with the smallest S₁, then the smallest S₂, and so on.
//!
//! The search is breadth-first over the *leaders*, the first candidate of each pair of events. Each
//! level is sorted by its chains, so the first candidate found that ends before the race
//! completes the wanted chain. The followers of a candidate depend only on its second event. They
//! are computed when first needed and kept as a bit vector: O(k) words for each candidate visited,
//! where k is the number of pairs of events.

use hashbrown::HashMap;

use super::sweep::{Candidate, Coverage, Covered};
use super::{CandidateId, NodeId};

/// A search for covering chains.
pub struct Chains<'a> {
    coverage: &'a Coverage<'a>,
    /// For a second event, the leaders whose first event is that event or follows it.
    followers: HashMap<NodeId, Box<[u64]>>,
    unvisited: Vec<u64>,
    /// Whether the order of the sweep is the order of ids, because no racing events overlap.
    is_by_id: bool,
    /// The leaders visited, each with the position in this queue of the leader before it.
    queue: Vec<(u32, u32)>,
}

/// The predecessor position of the first leader of a chain.
const START: u32 = u32::MAX;

/// The number of words in `followers` at which the map is emptied.
const MOST_KEPT: usize = 1 << 24;

impl<'a> Chains<'a> {
    pub(super) fn new(coverage: &'a Coverage<'a>) -> Self {
        Self {
            coverage,
            followers: HashMap::new(),
            unvisited: Vec::new(),
            is_by_id: coverage.leaders.is_sorted(),
            queue: Vec::new(),
        }
    }

    /// Returns the chain that covers a candidate; empty if the candidate is uncovered.
    pub fn of(&mut self, race: CandidateId) -> Vec<CandidateId> {
        let Coverage { order, leaders, .. } = self.coverage;
        let of = |by: &CandidateId| self.coverage.candidate(*by);
        let target = self.coverage.candidate(race);
        let end = (target.second, target.position);
        let earlier = leaders.partition_point(|by| (of(by).second, of(by).position) < end);
        // A candidate that ends in the target's first event, or earlier, starts before that event.
        let passed = leaders[..earlier].partition_point(|by| of(by).second <= target.first);
        match self.coverage.of(race) {
            Covered::Uncovered => Vec::new(),
            Covered::Singly => {
                let covers = |by: &CandidateId| {
                    order.le(target.first, of(by).first) && self.ends_before(*by, target)
                };
                let mut by = leaders[passed..earlier].iter().copied().filter(covers);
                let by = if self.is_by_id { by.next() } else { by.min() };
                vec![by.expect("a singly covered race has a coverer")]
            }
            Covered::Multiply => self.search(target, passed, earlier),
        }
    }

    /// Returns whether the candidate's second access happens before the target's. The sweep must
    /// reach the candidate before the target's second access.
    fn ends_before(&self, race: CandidateId, target: &Candidate) -> bool {
        self.coverage.order.le(self.coverage.candidate(race).second, target.second)
    }

    /// Searches the first `earlier` leaders, of which the first `passed` do not matter, for the
    /// chain that covers `target`.
    fn search(&mut self, target: &Candidate, passed: usize, earlier: usize) -> Vec<CandidateId> {
        let coverage = self.coverage;
        self.queue.clear();
        self.unvisited.clear();
        self.unvisited.resize(earlier.div_ceil(64), u64::MAX);
        if let Some(last) = self.unvisited.last_mut().filter(|_| !earlier.is_multiple_of(64)) {
            *last = (1 << (earlier % 64)) - 1;
        }
        for (i, &leader) in coverage.leaders[..earlier].iter().enumerate().skip(passed) {
            if coverage.order.le(target.first, coverage.candidate(leader).first) {
                self.unvisited[i / 64] &= !(1 << (i % 64));
                self.queue.push((i as u32, START));
            }
        }
        self.sort_by_id(0);
        let mut next = 0;
        while let Some(&(leader, _)) = self.queue.get(next) {
            if self.ends_before(coverage.leaders[leader as usize], target) {
                return self.trace_back(next);
            }
            self.enqueue_followers(leader as usize, next);
            next += 1;
        }
        unreachable!("a covered race has a covering chain")
    }

    fn enqueue_followers(&mut self, leader: usize, parent: usize) {
        let Coverage { order, leaders, candidates, .. } = self.coverage;
        let words = leaders.len().div_ceil(64);
        if self.followers.len() * words > MOST_KEPT {
            self.followers.clear();
        }
        let second = candidates[leaders[leader].index()].second;
        let followers = self.followers.entry(second).or_insert_with(|| {
            let mut bits = vec![0_u64; words];
            // A follower comes later in the order of the sweep.
            for (i, later) in leaders.iter().enumerate().skip(leader + 1) {
                let follows = order.le(second, candidates[later.index()].first);
                bits[i / 64] |= u64::from(follows) << (i % 64);
            }
            bits.into_boxed_slice()
        });
        let from = self.queue.len();
        for (i, word) in self.unvisited.iter_mut().enumerate() {
            let mut fresh = *word & followers[i];
            *word &= !fresh;
            while fresh != 0 {
                self.queue.push(((i * 64) as u32 + fresh.trailing_zeros(), parent as u32));
                fresh &= fresh - 1;
            }
        }
        self.sort_by_id(from);
    }

    /// Sorts the end of the queue, which has one parent, by the ids of its leaders.
    fn sort_by_id(&mut self, from: usize) {
        if !self.is_by_id {
            let leaders = &self.coverage.leaders;
            self.queue[from..].sort_unstable_by_key(|&(leader, _)| leaders[leader as usize]);
        }
    }

    fn trace_back(&self, last: usize) -> Vec<CandidateId> {
        let mut chain = Vec::new();
        let mut at = last as u32;
        while at != START {
            let (leader, parent) = self.queue[at as usize];
            chain.push(self.coverage.leaders[leader as usize]);
            at = parent;
        }
        chain.reverse();
        chain
    }
}
