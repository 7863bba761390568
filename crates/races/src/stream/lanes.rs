//! Lanes: each compares the accesses of its share of the locations, on a thread of its own.

use std::hint::black_box;
use std::thread;

use order::{Now, Stream};
use trace::LocationId;

use super::cells::{Cell, Entry, Pair};
use super::locks::{LocksetId, Locksets};
use super::runs::{RunId, Runs};
use super::{Accessed, WindowCounts};
use crate::known::Known;

/// The accesses of some runs, in the order of the trace.
pub trait Accesses: Sync {
    /// The number of accesses.
    fn len(&self) -> usize;

    /// Whether there are no accesses.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The locations that a run accesses, in order.
    fn locations(&self, run: usize) -> &[LocationId];

    /// An access of a run, by its place among them.
    fn get(&self, run: usize, at: usize) -> Accessed;
}

/// The locations whose lowest bits are those of `first`.
#[derive(Clone, Copy, Debug)]
struct Share {
    first: u32,
    /// How many of the lowest bits count.
    bits: u32,
}

impl Share {
    /// Whether a location is of this share.
    #[inline]
    fn has(self, location: LocationId) -> bool {
        location.0 & ((1 << self.bits) - 1) == self.first
    }

    #[inline]
    fn index(self, location: LocationId) -> usize {
        (location.0 >> self.bits) as usize
    }
}

/// What the accesses of a run are compared by.
pub(super) struct Asked<'a> {
    pub(super) stream: &'a Stream,
    pub(super) now: Now,
    pub(super) group: u32,
    pub(super) run: RunId,
    pub(super) locks: LocksetId,
    pub(super) runs: &'a Runs,
    pub(super) locksets: &'a Locksets,
    /// Whether all accesses are of one group.
    pub(super) together: bool,
}

/// A race that a lane found.
pub(super) struct Raced {
    pub(super) pair: Pair,
    /// Which run of the batch the second access belongs to.
    pub(super) run: usize,
    pub(super) second: Accessed,
}

/// What the comparisons of a lane share.
#[derive(Default)]
pub(super) struct Comparison {
    known: Known,
    /// The pairs of the current access.
    pub(super) pairs: Vec<Pair>,
    pub(super) window: WindowCounts,
}

impl Comparison {
    /// Whether an earlier access happens before the current one.
    #[inline]
    pub(super) fn follows(&mut self, asked: &Asked<'_>, first: &Entry) -> bool {
        let (own, point) = (asked.now.point, first.point);
        if point.chain == own.chain && !point.is_nowhere() {
            return true;
        }
        if asked.stream.is_below_floor(&asked.now, point) {
            self.window.decided += 1;
            return true;
        }
        let reach = || asked.stream.reach(&asked.now, point.chain);
        self.known.upto(point.chain, reach) >= point.position
    }

    /// Whether the current access makes an earlier one of its group superfluous: it follows it, conflicts
    /// with as much, and holds no other lock.
    pub(super) fn replaces(
        &mut self,
        asked: &Asked<'_>,
        is_write: bool,
        old: &Entry,
        old_writes: bool,
    ) -> bool {
        if !is_write && old_writes {
            return false;
        }
        // No lock is another one.
        if asked.locks != LocksetId::default() {
            // What the pass forgot precedes everything.
            let Some(locks) = asked.runs.locks(old.run()) else { return true };
            if !asked.locksets.contained(asked.locks, locks) {
                return false;
            }
        }
        let (own, point) = (asked.now.point, old.point);
        point.chain == own.chain && !point.is_nowhere()
            || asked.stream.is_below_floor(&asked.now, point)
            || self.known.upto(point.chain, || asked.stream.reach(&asked.now, point.chain))
                >= point.position
    }
}

/// The cells of a share of the locations.
pub(super) struct Lane {
    share: Share,
    cells: Vec<Cell>,
    pub(super) comparison: Comparison,
    found: Vec<Raced>,
    /// The cell that is looked at next for accesses that lie below the floor.
    hand: usize,
}

/// With fewer accesses, lanes run on one thread: starting others takes longer.
const WORTH_A_THREAD: usize = 1 << 13;

/// How many accesses of a run are taken at a time.
const AT_ONCE: usize = 128;

/// What part of the cells are looked at after a batch.
const LOOKED_AT: usize = 64;

impl Lane {
    /// Returns so many lanes, or fewer: their number is a power of two.
    pub(super) fn several(of: usize) -> Vec<Self> {
        let bits = of.max(1).ilog2().min(8);
        let lane = |first| Self {
            share: Share { first, bits },
            cells: Vec::new(),
            comparison: Comparison::default(),
            found: Vec::new(),
            hand: 0,
        };
        (0..1 << bits).map(lane).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
    }

    fn compare(&mut self, runs: &[Asked<'_>], accesses: &impl Accesses) {
        let mut own = [0; AT_ONCE];
        for (run, asked) in runs.iter().enumerate() {
            self.comparison.known.forget();
            let all = accesses.locations(run);
            for (first, some) in (0..).step_by(AT_ONCE).zip(all.chunks(AT_ONCE)) {
                let own = self.own(some, &mut own);
                for &at in own {
                    self.access((run, asked), accesses.get(run, first + at as usize));
                }
            }
        }
    }

    /// Returns which of some accesses are to locations of this lane's share. Reads their cells, so that they
    /// come from memory together and not one after the other.
    fn own<'a>(&mut self, some: &[LocationId], places: &'a mut [u8; AT_ONCE]) -> &'a [u8] {
        let (mut count, mut last) = (0, 0);
        for (at, &location) in (0_u8..).zip(some) {
            // Without a branch, which would be hard to predict.
            places[count] = at;
            let has = self.share.has(location);
            last = last.max(if has { location.0 } else { 0 });
            count += usize::from(has);
        }
        let last = self.share.index(LocationId(last));
        if count > 0 && last >= self.cells.len() {
            self.cells.resize_with(last + 1, Cell::default);
        }
        let own = &places[..count];
        let cell = |&at: &u8| &self.cells[self.share.index(some[at as usize])];
        black_box(own.iter().map(cell).filter(|cell| cell.has_race()).count());
        own
    }

    fn access(&mut self, (run, asked): (usize, &Asked<'_>), access: Accessed) {
        let Self { share, cells, comparison, found, .. } = self;
        let cell = &mut cells[share.index(access.location)];
        if cell.repeats(asked.run, &access) {
            return;
        }
        cell.access(asked, &access, comparison);
        let pairs = comparison.pairs.drain(..);
        found.extend(pairs.map(|pair| Raced { pair, run, second: access }));
    }

    /// Looks at some cells, and drops what everything to come follows.
    pub(super) fn drop_old(&mut self, stream: &Stream) {
        let len = self.cells.len();
        for _ in 0..len.div_ceil(LOOKED_AT) {
            self.hand = if self.hand + 1 < len { self.hand + 1 } else { 0 };
            let dropped = self.cells[self.hand].drop_old(|point| stream.is_dropped(point));
            self.comparison.window.dropped += dropped;
        }
    }
}

/// Compares accesses with those before them, each lane its share. Returns the races by the number of the
/// second access, then of the first.
pub(super) fn compare(
    lanes: &mut [Lane],
    runs: &[Asked<'_>],
    accesses: &impl Accesses,
) -> Vec<Raced> {
    match &mut *lanes {
        [first, others @ ..] if accesses.len() >= WORTH_A_THREAD => thread::scope(|scope| {
            let others: Vec<_> = others
                .iter_mut()
                .map(|lane| scope.spawn(move || lane.compare(runs, accesses)))
                .collect();
            first.compare(runs, accesses);
            for other in others {
                if let Err(panic) = other.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        }),
        lanes => lanes.iter_mut().for_each(|lane| lane.compare(runs, accesses)),
    }
    let mut found: Vec<Raced> = lanes.iter_mut().flat_map(|lane| lane.found.drain(..)).collect();
    found.sort_by_key(|raced| (raced.second.number, raced.pair.first.number));
    found
}
