//! The frontier of each location.
//!
//! The cell of a location holds its latest write and its latest read. A list beside it ([`Rest`]) holds
//! what other groups wrote and read last, further reads since the last write of their group that no
//! later read follows, and *old* accesses, which only other groups are compared with. Each access looks
//! at a few of the old ones and drops those that it replaces or that lie below the floor; a hand passes
//! over all cells and drops the others.
//!
//! Most accesses repeat one of their run. They are compared with nothing: whatever they could race with
//! was compared with the access that they repeat. They only take its place.

use order::Point;

use super::lanes::{Asked, Comparison};
use super::runs::{RunId, Runs};
use super::{Accessed, LocksetId};

/// The group of accesses outside loopers.
pub(super) const NO_LOOPER: u32 = u32::MAX;

/// The run of an entry that is no access.
const NO_RUN: RunId = RunId::MAX;

/// Marks the runs of a location that has a race, so that no access counts as repeated there.
const RACES: RunId = 1 << 31;

/// The largest number of a run.
pub(super) const LAST_RUN: RunId = RACES - 2;

const NO_ID: u32 = u32::MAX;

/// An access of the frontier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) point: Point,
    /// The looper of the access's event, or `NO_LOOPER`.
    group: u32,
    run: RunId,
    pub(super) number: u32,
    value: u32,
    source: u32,
}

const NOTHING: Entry = Entry {
    point: Point { chain: 0, position: 0, epoch: 0 },
    group: NO_LOOPER,
    run: NO_RUN,
    number: 0,
    value: NO_ID,
    source: NO_ID,
};

impl Entry {
    fn new(asked: &Asked<'_>, access: &Accessed) -> Self {
        let mut entry = Self { point: asked.now.point, group: asked.group, ..NOTHING };
        entry.repeat(asked.run, access);
        entry
    }

    /// Lets an access of the same moment take the place of this one.
    #[inline]
    fn repeat(&mut self, run: RunId, access: &Accessed) {
        self.run = run;
        self.number = access.number as u32;
        self.value = access.value.map_or(NO_ID, |value| value.0);
        self.source = access.source.map_or(NO_ID, |source| source.0);
    }

    fn is_some(&self) -> bool {
        self.run != NO_RUN
    }

    /// The access, if there is one.
    fn get(&self) -> Option<Self> {
        self.is_some().then_some(*self)
    }

    pub(super) fn run(&self) -> RunId {
        self.run & !RACES
    }

    fn locks(&self, runs: &Runs) -> Option<LocksetId> {
        runs.locks(self.run())
    }

    pub(super) fn value(&self) -> Option<u32> {
        (self.value != NO_ID).then_some(self.value)
    }

    pub(super) fn source(&self) -> Option<u32> {
        (self.source != NO_ID).then_some(self.source)
    }
}

/// A pair that is not ordered: the first access, and whether both lie in events of one looper.
pub(super) struct Pair {
    pub(super) first: Entry,
    pub(super) first_writes: bool,
    pub(super) together: bool,
}

/// Accesses of a location besides the latest ones.
#[derive(Default)]
struct Rest {
    /// The last write of each other group.
    writes: Vec<Entry>,
    /// The last read of each other group since its last write.
    reads: Vec<Entry>,
    /// Other reads of any group since its last write.
    more: Vec<Entry>,
    /// The number of these reads at which those that later ones follow are dropped.
    limit: usize,
    /// Accesses that a later write of their group did not follow, or that hold fewer locks, and whether
    /// they write.
    old: Vec<(Entry, bool)>,
    /// Which of `old` is looked at next.
    hand: usize,
}

/// How many reads since the last write are kept without asking whether later ones follow them.
const MANY: usize = 8;

/// How many old accesses an access looks at.
const LOOKED_AT: usize = 2;

/// The state of a location.
pub(super) struct Cell {
    write: Entry,
    read: Entry,
    rest: Option<Box<Rest>>,
}

impl Default for Cell {
    fn default() -> Self {
        Self { write: NOTHING, read: NOTHING, rest: None }
    }
}

impl Rest {
    fn is_empty(&self) -> bool {
        self.writes.is_empty()
            && self.reads.is_empty()
            && self.more.is_empty()
            && self.old.is_empty()
    }

    /// Drops reads that later ones of their chain with the same locks follow, and if many are left,
    /// those that `is_replaced` returns.
    fn tidy(&mut self, runs: &Runs, mut is_replaced: impl FnMut(&Entry) -> bool) {
        let place = |read: &Entry| (read.group, read.point.chain, read.locks(runs));
        self.more.sort_by_key(|read| std::cmp::Reverse((place(read), read.point.position)));
        self.more.dedup_by_key(|read| place(read));
        if self.more.len() > MANY {
            self.more.retain(|read| !is_replaced(read));
        }
        self.limit = MANY + 3 * self.more.len();
    }
}

/// Takes the access of a group out of a list.
fn taken(list: &mut Vec<Entry>, group: u32) -> Option<Entry> {
    let index = list.iter().position(|entry| entry.group == group)?;
    Some(list.swap_remove(index))
}

impl Cell {
    pub(super) fn has_race(&self) -> bool {
        let races = |entry: &Entry| entry.is_some() && entry.run & RACES != 0;
        races(&self.write) || races(&self.read)
    }

    /// Whether the access repeats another of its run, so that it can race with nothing. It then takes
    /// the place of the other one.
    #[inline]
    pub(super) fn repeats(&mut self, run: RunId, access: &Accessed) -> bool {
        if access.is_write {
            if self.write.run != run {
                return false;
            }
            self.write.repeat(run, access);
            if self.read.run == run {
                self.read = NOTHING;
            }
            return true;
        }
        if self.read.run == run {
            self.read.repeat(run, access);
            return true;
        }
        false
    }

    /// Whether a read is the first since a write of its run, which was compared with everything that the
    /// read would be compared with.
    #[inline]
    fn reads_own_write(&self, run: RunId) -> bool {
        self.write.run == run
    }

    /// Compares an access with those before it, and adds it.
    pub(super) fn access(
        &mut self,
        asked: &Asked<'_>,
        access: &Accessed,
        comparison: &mut Comparison,
    ) {
        let had_race = self.has_race();
        if access.is_write || !self.reads_own_write(asked.run) {
            self.compare(asked, access.is_write, comparison);
        }
        let races = had_race || !comparison.pairs.is_empty();
        let entry = Entry::new(asked, access);
        if access.is_write {
            self.add_write(asked, entry, comparison);
        } else {
            self.add_read(asked, entry, comparison);
        }
        self.look_at_old(asked, access.is_write, comparison);
        if races {
            for latest in [&mut self.write, &mut self.read] {
                if latest.is_some() {
                    latest.run |= RACES;
                }
            }
        }
        if self.rest.as_ref().is_some_and(|rest| rest.is_empty()) {
            self.rest = None;
        }
    }

    fn compare(&self, asked: &Asked<'_>, is_write: bool, comparison: &mut Comparison) {
        let own_looper = asked.group != NO_LOOPER || asked.together;
        let is_within = |entry: &Entry| own_looper && entry.group == asked.group;
        let mut compare = |first: &Entry, first_writes: bool| {
            if !comparison.follows(asked, first) {
                let together = is_within(first);
                comparison.pairs.push(Pair { first: *first, first_writes, together });
            }
        };
        self.write.get().iter().for_each(|write| compare(write, true));
        if is_write {
            self.read.get().iter().for_each(|read| compare(read, false));
        }
        let Some(rest) = &self.rest else { return };
        rest.writes.iter().for_each(|write| compare(write, true));
        if is_write {
            rest.reads.iter().chain(&rest.more).for_each(|read| compare(read, false));
        }
        for (old, old_writes) in &rest.old {
            if (is_write || *old_writes) && !is_within(old) {
                compare(old, *old_writes);
            }
        }
    }

    fn add_write(&mut self, asked: &Asked<'_>, write: Entry, comparison: &mut Comparison) {
        let group = write.group;
        let mut left: Vec<(Entry, bool)> = Vec::new();
        let mut keep = |entry: Entry, writes: bool, comparison: &mut Comparison| {
            if !asked.together && !comparison.replaces(asked, true, &entry, writes) {
                left.push((entry, writes));
            }
        };
        if self.read.is_some() && self.read.group == group {
            keep(std::mem::replace(&mut self.read, NOTHING), false, comparison);
        }
        let latest = std::mem::replace(&mut self.write, write);
        if let Some(rest) = &mut self.rest {
            if let Some(read) = taken(&mut rest.reads, group) {
                keep(read, false, comparison);
            }
            for i in (0..rest.more.len()).rev() {
                if rest.more[i].group == group {
                    keep(rest.more.swap_remove(i), false, comparison);
                }
            }
            if latest.group != group
                && let Some(own) = taken(&mut rest.writes, group)
            {
                keep(own, true, comparison);
            }
        }
        if latest.is_some() {
            if latest.group == group {
                keep(latest, true, comparison);
            } else {
                self.rest.get_or_insert_default().writes.push(latest);
            }
        }
        if !left.is_empty() {
            self.rest.get_or_insert_default().old.extend(left);
        }
    }

    fn add_read(&mut self, asked: &Asked<'_>, read: Entry, comparison: &mut Comparison) {
        let group = read.group;
        let latest = std::mem::replace(&mut self.read, read);
        let mut own = latest.get().filter(|latest| latest.group == group);
        if own.is_none() {
            if let Some(rest) = &mut self.rest {
                own = taken(&mut rest.reads, group);
            }
            if latest.is_some() {
                self.rest.get_or_insert_default().reads.push(latest);
            }
        }
        let Some(own) = own.filter(|own| !comparison.replaces(asked, false, own, false)) else {
            return;
        };
        let rest = self.rest.get_or_insert_default();
        rest.more.push(own);
        if rest.more.len() > rest.limit.max(MANY) {
            rest.tidy(asked.runs, |read| {
                read.group == group && comparison.replaces(asked, false, read, false)
            });
        }
    }

    /// Drops old accesses that the current one replaces or that everything to come follows.
    fn look_at_old(&mut self, asked: &Asked<'_>, is_write: bool, comparison: &mut Comparison) {
        let Some(rest) = &mut self.rest else { return };
        for _ in 0..LOOKED_AT.min(rest.old.len()) {
            rest.hand = if rest.hand + 1 < rest.old.len() { rest.hand + 1 } else { 0 };
            let (old, old_writes) = rest.old[rest.hand];
            let is_dropped = asked.stream.is_dropped(old.point);
            comparison.window.dropped += u64::from(is_dropped);
            let is_own = old.group == asked.group;
            if is_dropped || is_own && comparison.replaces(asked, is_write, &old, old_writes) {
                rest.old.swap_remove(rest.hand);
            }
            if rest.old.is_empty() {
                break;
            }
        }
    }

    /// Drops the accesses besides the latest ones that everything to come follows. Returns how many.
    pub(super) fn drop_old(&mut self, is_dropped: impl Fn(Point) -> bool) -> u64 {
        let Some(rest) = &mut self.rest else { return 0 };
        let mut dropped = 0;
        let mut is_kept = |entry: &Entry| {
            let is_dropped = is_dropped(entry.point);
            dropped += u64::from(is_dropped);
            !is_dropped
        };
        for list in [&mut rest.writes, &mut rest.reads, &mut rest.more] {
            list.retain(&mut is_kept);
        }
        rest.old.retain(|(entry, _)| is_kept(entry));
        if rest.is_empty() {
            self.rest = None;
        } else if dropped > 0 {
            let lists = [&mut rest.writes, &mut rest.reads, &mut rest.more];
            lists.into_iter().for_each(Vec::shrink_to_fit);
            rest.old.shrink_to_fit();
        }
        dropped
    }
}
