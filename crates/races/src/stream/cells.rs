//! The frontier of each location.
//!
//! A group keeps its last write and the last read since, in the cell of the location; a list beside
//! the cell holds further reads since the last write that no later read follows, and older accesses
//! that only other groups are compared with. Each access looks at a few of the latter and drops those
//! that it replaces or that lie below its floor.

use order::{Now, Stream};
use trace::{Id, LocationId, QueueId};

use super::locks::Locksets;
use super::{Mark, WindowCounts};

/// A pair that is not ordered: the first access, and whether both lie in events of one looper.
pub(super) struct Compared {
    pub(super) first: Mark,
    pub(super) first_writes: bool,
    pub(super) together: bool,
}

/// What an access is compared by.
pub(super) struct Asked<'a> {
    pub(super) stream: &'a Stream,
    pub(super) now: &'a Now,
    pub(super) locks: &'a Locksets,
    /// Whether all accesses are of one group.
    pub(super) together: bool,
}

/// The accesses of one group that may race with later ones.
#[derive(Default)]
struct Group {
    looper: Option<QueueId>,
    write: Option<Mark>,
    /// The last read since the last write.
    read: Option<Mark>,
    more: Option<Box<More>>,
}

#[derive(Default)]
struct More {
    /// Other reads since the last write.
    reads: Vec<Mark>,
    /// The number of reads at which those that later ones follow are dropped.
    limit: usize,
    /// Accesses that a later write of the group did not follow, or that hold fewer locks, and whether
    /// they write.
    old: Vec<(Mark, bool)>,
    /// Which of `old` is looked at next.
    hand: usize,
}

impl More {
    /// Drops reads that later ones of their chain with the same locks follow, and if many are left,
    /// those that `is_needed` does not keep: it asks a clock.
    fn tidy(&mut self, is_needed: impl FnMut(&Mark) -> bool) {
        let key = |read: &Mark| (read.point.chain, read.locks, read.point.position);
        self.reads.sort_by_key(|read| std::cmp::Reverse(key(read)));
        self.reads.dedup_by_key(|read| (read.point.chain, read.locks));
        if self.reads.len() > MANY {
            self.reads.retain(is_needed);
        }
        self.limit = MANY + 3 * self.reads.len();
    }
}

/// How many reads since the last write are kept without asking whether later ones follow them.
const MANY: usize = 8;

/// How many old accesses an access looks at.
const LOOKED_AT: usize = 2;

/// The state of a location.
#[derive(Default)]
pub(super) struct Cell {
    first: Group,
    others: Vec<Group>,
    /// Whether a race on the location was found.
    races: bool,
}

/// The cells of all locations.
#[derive(Default)]
pub(super) struct Cells {
    all: Vec<Cell>,
}

impl Cells {
    #[inline]
    pub(super) fn cell(&mut self, location: LocationId) -> &mut Cell {
        if location.index() >= self.all.len() {
            self.all.resize_with(location.index() + 1, Cell::default);
        }
        &mut self.all[location.index()]
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Cell>()
    }
}

impl Cell {
    /// Whether the access repeats another of its moment, so that it can race with nothing. It then takes
    /// the place of the other one.
    #[inline]
    pub(super) fn repeats(&mut self, looper: Option<QueueId>, mark: &Mark, is_write: bool) -> bool {
        let same = |last: &Option<Mark>| {
            last.as_ref().is_some_and(|last| last.point == mark.point && last.locks == mark.locks)
        };
        let of = &mut self.first;
        let repeats = !self.races
            && of.looper == looper
            && !mark.point.is_nowhere()
            && if is_write { of.read.is_none() && same(&of.write) } else { same(&of.read) };
        if repeats {
            *if is_write { &mut of.write } else { &mut of.read } = Some(*mark);
        }
        repeats
    }

    /// Compares an access with those before it, and adds it.
    pub(super) fn access(
        &mut self,
        asked: &Asked<'_>,
        (looper, mark, is_write): (Option<QueueId>, Mark, bool),
        found: &mut Vec<Compared>,
        window: &mut WindowCounts,
    ) {
        if self.first.is_empty() {
            self.first.looper = looper;
        }
        let own = self.groups().position(|group| group.looper == looper);
        for (i, group) in self.groups().enumerate() {
            if Some(i) == own && (looper.is_some() || asked.together) {
                group.compare_within(asked, is_write, found, window);
            } else {
                group.compare_all(asked, is_write, found, window);
            }
        }
        self.races |= !found.is_empty();
        let group = match own {
            Some(0) => &mut self.first,
            Some(i) => &mut self.others[i - 1],
            None => {
                self.others.push(Group { looper, ..Group::default() });
                self.others.last_mut().expect("it was pushed")
            }
        };
        group.add(asked, mark, is_write, window);
    }

    fn groups(&self) -> impl Iterator<Item = &Group> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl Asked<'_> {
    /// Whether an earlier access happens before the current one.
    fn follows(&self, first: &Mark, window: &mut WindowCounts) -> bool {
        let ordered = self.stream.covers(self.now, first.point);
        if self.stream.is_below_floor(self.now, first.point) {
            window.decided += 1;
        }
        ordered
    }
}

impl Group {
    fn is_empty(&self) -> bool {
        self.write.is_none() && self.read.is_none() && self.more.is_none()
    }

    fn reads(&self) -> impl Iterator<Item = &Mark> {
        self.read.iter().chain(self.more.iter().flat_map(|more| &more.reads))
    }

    /// Compares an access of the same looper: with the last write, and a write with the reads since.
    fn compare_within(
        &self,
        asked: &Asked<'_>,
        is_write: bool,
        found: &mut Vec<Compared>,
        window: &mut WindowCounts,
    ) {
        let together = true;
        if let Some(first) = self.write.filter(|first| !asked.follows(first, window)) {
            found.push(Compared { first, first_writes: true, together });
        }
        if is_write {
            for &first in self.reads().filter(|first| !asked.follows(first, window)) {
                found.push(Compared { first, first_writes: false, together });
            }
        }
    }

    /// Compares an access of another group, or of none: with all that conflict with it.
    fn compare_all(
        &self,
        asked: &Asked<'_>,
        is_write: bool,
        found: &mut Vec<Compared>,
        window: &mut WindowCounts,
    ) {
        let together = false;
        if let Some(first) = self.write.filter(|first| !asked.follows(first, window)) {
            found.push(Compared { first, first_writes: true, together });
        }
        if is_write {
            for &first in self.reads().filter(|first| !asked.follows(first, window)) {
                found.push(Compared { first, first_writes: false, together });
            }
        }
        for &(first, first_writes) in self.more.iter().flat_map(|more| &more.old) {
            if (is_write || first_writes) && !asked.follows(&first, window) {
                found.push(Compared { first, first_writes, together });
            }
        }
    }

    /// Adds an access of the group.
    fn add(&mut self, asked: &Asked<'_>, mark: Mark, is_write: bool, window: &mut WindowCounts) {
        // Whether a later access that follows `old` makes it superfluous towards other groups.
        let replaces = |old: &Mark, old_writes: bool| {
            (is_write || !old_writes)
                && asked.locks.contained(mark.locks, old.locks)
                && asked.stream.covers(asked.now, old.point)
        };
        if is_write {
            let read = self.read.take().filter(|read| !replaces(read, false));
            let write = self.write.replace(mark).filter(|write| !replaces(write, true));
            let reads = self.more.as_mut().map(|more| std::mem::take(&mut more.reads));
            let reads = reads.into_iter().flatten().filter(|read| !replaces(read, false));
            let kept: Vec<(Mark, bool)> = reads
                .chain(read)
                .map(|read| (read, false))
                .chain(write.map(|write| (write, true)))
                .collect();
            if asked.together {
                // Only the last write and the reads since are compared.
                self.more = None;
            } else if !kept.is_empty() {
                self.more.get_or_insert_default().old.extend(kept);
            }
        } else {
            let read = self.read.replace(mark).filter(|read| !replaces(read, false));
            if let Some(read) = read {
                let more = self.more.get_or_insert_default();
                more.reads.push(read);
                if more.reads.len() > more.limit {
                    more.tidy(|read| !replaces(read, false));
                }
            }
        }
        let Some(more) = &mut self.more else { return };
        for _ in 0..LOOKED_AT.min(more.old.len()) {
            more.hand = if more.hand + 1 < more.old.len() { more.hand + 1 } else { 0 };
            let (old, old_writes) = more.old[more.hand];
            if replaces(&old, old_writes) {
                more.old.swap_remove(more.hand);
            } else if asked.stream.is_dropped(old.point) {
                more.old.swap_remove(more.hand);
                window.dropped += 1;
            }
            if more.old.is_empty() {
                break;
            }
        }
        if more.old.is_empty() && more.reads.is_empty() {
            self.more = None;
        }
    }
}
