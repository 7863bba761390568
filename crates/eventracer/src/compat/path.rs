//! Race paths: orders that hold if every top race on the path keeps its outcome.
//!
//! `path(n1, n2, c)` decides whether op n1 is before command c of op n2 in happens-before extended
//! by the top races, and returns the first such chain of races that a breadth-first search finds.
//! The races that the search enqueues after a race depend only on the race's second op. Each such
//! op therefore has one bit vector of successors, computed when first needed: O(tops²) queries in
//! all, then O(tops × ops) words for each search.

use hashbrown::HashMap;

use crate::connectivity::Order;
use crate::detect::Race;
use crate::ids::{OpId, RaceId};

/// A top race: one that no single race covers.
#[derive(Clone, Copy, Debug)]
struct Top {
    race: RaceId,
    first: OpId,
    second: OpId,
    command: usize,
}

/// Searches over the top races.
pub struct RacePaths<'a, O: ?Sized> {
    order: &'a O,
    /// The top races by id, and thereby by second access.
    tops: Vec<Top>,
    /// For a second op, the top races whose first op follows it.
    followers: HashMap<OpId, Box<[u64]>>,
    /// For a starting op, the top races on any path from it, ascending.
    reached: HashMap<OpId, Box<[u32]>>,
    /// The number of races in `reached`.
    kept: usize,
    search: Search,
}

/// The working memory of one search.
#[derive(Default)]
struct Search {
    unvisited: Vec<u64>,
    queue: Vec<u32>,
    /// For each queued race, the position in the queue of the race that led to it.
    parents: Vec<u32>,
}

/// The parent of a race at which the search started.
const START: u32 = u32::MAX;

/// The number of races in `reached` at which the map is emptied.
const MOST_KEPT: usize = 1 << 22;

impl<'a, O: Order + ?Sized> RacePaths<'a, O> {
    /// Returns the searches over the races with the ids `tops`, ascending.
    pub fn new(order: &'a O, races: &[Race], tops: &[RaceId]) -> Self {
        let tops = tops
            .iter()
            .map(|&race| {
                let Race { first, second, .. } = races[race.index()];
                Top { race, first: first.op(), second: second.op(), command: second.command() }
            })
            .collect();
        Self {
            order,
            tops,
            followers: HashMap::new(),
            reached: HashMap::new(),
            kept: 0,
            search: Search::default(),
        }
    }

    /// Returns the races of the first path from `from` to before `command` of `to`, in order. The
    /// path is empty if `from` happens before `to` without any race.
    pub fn find(&mut self, from: OpId, to: OpId, command: usize) -> Option<Vec<RaceId>> {
        if from > to {
            return None;
        }
        if self.order.le(from, to) {
            return Some(Vec::new());
        }
        let limit = self.tops_until(to);
        self.start_search(from, limit);
        let mut next = 0;
        while let Some(&top) = self.search.queue.get(next) {
            if self.ends_at(top as usize, to, command) {
                return Some(self.trace_back(next));
            }
            self.enqueue_followers(top as usize, next);
            next += 1;
        }
        None
    }

    /// Whether [`RacePaths::find`] finds a path.
    pub fn exists(&mut self, from: OpId, to: OpId, command: usize) -> bool {
        if from > to {
            return false;
        }
        if self.order.le(from, to) {
            return true;
        }
        let limit = self.tops_until(to);
        self.compute_reached(from);
        let reached = &self.reached[&from];
        reached
            .iter()
            .take_while(|&&top| (top as usize) < limit)
            .any(|&top| self.ends_at(top as usize, to, command))
    }

    /// Returns the number of top races whose second op is at or before `op`. Paths lead only to
    /// larger ops, so no other top race can lie on a path to `op`.
    fn tops_until(&self, op: OpId) -> usize {
        self.tops.partition_point(|top| top.second <= op)
    }

    fn ends_at(&self, top: usize, to: OpId, command: usize) -> bool {
        let top = &self.tops[top];
        if top.second == to { top.command < command } else { self.order.le(top.second, to) }
    }

    /// Queues the races that may start a path from `from`, among the first `limit`.
    fn start_search(&mut self, from: OpId, limit: usize) {
        let Search { unvisited, queue, parents } = &mut self.search;
        queue.clear();
        parents.clear();
        unvisited.clear();
        unvisited.resize(limit.div_ceil(64), u64::MAX);
        if let Some(last) = unvisited.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last = (1 << (limit % 64)) - 1;
        }
        for (i, top) in self.tops[..limit].iter().enumerate() {
            if self.order.le(from, top.first) {
                unvisited[i / 64] &= !(1 << (i % 64));
                queue.push(i as u32);
                parents.push(START);
            }
        }
    }

    fn enqueue_followers(&mut self, top: usize, parent: usize) {
        let (order, tops) = (self.order, &self.tops);
        let second = tops[top].second;
        let followers = self.followers.entry(second).or_insert_with(|| {
            let mut bits = vec![0_u64; tops.len().div_ceil(64)];
            // A follower's first op is not before `second`, so it comes later among the races.
            for (i, later) in tops.iter().enumerate().skip(top + 1) {
                bits[i / 64] |= u64::from(order.le(second, later.first)) << (i % 64);
            }
            bits.into_boxed_slice()
        });
        let Search { unvisited, queue, parents } = &mut self.search;
        for (i, word) in unvisited.iter_mut().enumerate().skip(top / 64) {
            let mut fresh = *word & followers[i];
            *word &= !fresh;
            while fresh != 0 {
                queue.push((i * 64) as u32 + fresh.trailing_zeros());
                parents.push(parent as u32);
                fresh &= fresh - 1;
            }
        }
    }

    fn trace_back(&self, last: usize) -> Vec<RaceId> {
        let Search { queue, parents, .. } = &self.search;
        let mut path = Vec::new();
        let mut at = last as u32;
        while at != START {
            path.push(self.tops[queue[at as usize] as usize].race);
            at = parents[at as usize];
        }
        path.reverse();
        path
    }

    fn compute_reached(&mut self, from: OpId) {
        if self.reached.contains_key(&from) {
            return;
        }
        if self.kept > MOST_KEPT {
            self.reached.clear();
            self.kept = 0;
        }
        self.start_search(from, self.tops.len());
        let mut next = 0;
        while let Some(&top) = self.search.queue.get(next) {
            self.enqueue_followers(top as usize, next);
            next += 1;
        }
        let mut reached: Box<[u32]> = self.search.queue.as_slice().into();
        reached.sort_unstable();
        self.kept += reached.len();
        self.reached.insert(from, reached);
    }
}
