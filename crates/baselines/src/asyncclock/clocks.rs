//! Vector clocks, AsyncClocks, and both together: the logical time of a task.

use std::rc::Rc;

use trace::QueueId;

use super::event::EventRef;

/// A point of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The number of the chain.
    pub chain: u32,
    /// The time of the chain, which starts at 1.
    pub time: u32,
}

/// A vector clock: the latest time of each chain that happens before. Copies share their memory.
#[derive(Clone, Debug, Default)]
pub struct VectorClock(Rc<Vec<u32>>);

impl VectorClock {
    /// The time of a chain.
    pub fn get(&self, chain: u32) -> u32 {
        self.0.get(chain as usize).copied().unwrap_or(0)
    }

    /// Whether a point happens before, or is where this clock stands.
    pub fn covers(&self, epoch: Epoch) -> bool {
        self.get(epoch.chain) >= epoch.time
    }

    /// Whether every time is at least that of `other`.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let times = other.0.iter().enumerate();
        Rc::ptr_eq(&self.0, &other.0)
            || times.into_iter().all(|(i, &time)| self.get(i as u32) >= time)
    }

    pub(super) fn set(&mut self, epoch: Epoch) {
        let times = Rc::make_mut(&mut self.0);
        if times.len() <= epoch.chain as usize {
            times.resize(epoch.chain as usize + 1, 0);
        }
        times[epoch.chain as usize] = epoch.time;
    }

    fn join(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.0, &other.0) || other.0.is_empty() {
            return;
        }
        if self.0.is_empty() {
            self.0 = Rc::clone(&other.0);
            return;
        }
        let times = Rc::make_mut(&mut self.0);
        if times.len() < other.0.len() {
            times.resize(other.0.len(), 0);
        }
        for (time, &theirs) in times.iter_mut().zip(other.0.iter()) {
            *time = (*time).max(theirs);
        }
    }
}

/// A tag combination of Table 1 whose sends an AsyncClock tracks, or the begins that ATOMIC needs: the
/// set Λ of the generalised rule (§5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tracked {
    Begins,
    Fifo { is_async: bool },
    Delayed { is_async: bool },
    AtTime { is_async: bool },
    Front { is_async: bool },
}

/// What an AsyncClock is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) queue: QueueId,
    pub(super) tracked: Tracked,
}

/// The entry of one chain in one AsyncClock.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Key,
    /// Where the event was sent or, for begins, where it began: γ of the generalised rule.
    pub(super) gamma: Epoch,
    pub(super) event: EventRef,
    /// For an entry at the end of F': whether the event was sent before F' was (§4.1, multi-path
    /// reduction).
    pub(super) is_doubled: bool,
}

impl Entry {
    fn place(&self) -> (Key, u32) {
        (self.key, self.gamma.chain)
    }
}

/// The AsyncClocks of a task for all queues, as one sparse vector that is sorted by key and chain. No two
/// entries have the same key and chain.
#[derive(Clone, Debug, Default)]
pub(super) struct AsyncClocks(Vec<Entry>);

impl AsyncClocks {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.0
    }

    pub(super) fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.0
    }

    /// The entries about a queue.
    pub(super) fn of_queue(&self, queue: QueueId) -> &[Entry] {
        let start = self.0.partition_point(|entry| entry.key.queue < queue);
        let len = self.0[start..].partition_point(|entry| entry.key.queue == queue);
        &self.0[start..start + len]
    }

    /// The entries of one AsyncClock.
    pub(super) fn of(&self, key: Key) -> &[Entry] {
        let start = self.0.partition_point(|entry| entry.key < key);
        let len = self.0[start..].partition_point(|entry| entry.key == key);
        &self.0[start..start + len]
    }

    /// The event that the AsyncClock has for a chain.
    pub(super) fn get(&self, key: Key, chain: u32) -> Option<&EventRef> {
        let at = self.0.binary_search_by_key(&(key, chain), Entry::place).ok()?;
        Some(&self.0[at].event)
    }

    /// Sets the entry of a chain.
    pub(super) fn set(&mut self, entry: Entry) {
        match self.0.binary_search_by_key(&entry.place(), Entry::place) {
            Ok(at) => self.0[at] = entry,
            Err(at) => self.0.insert(at, entry),
        }
    }

    /// Reduces one AsyncClock to one entry: `I_AC` of §3.3.
    pub(super) fn reduce_to(&mut self, entry: Entry) {
        let start = self.0.partition_point(|other| other.key < entry.key);
        let len = self.0[start..].partition_point(|other| other.key == entry.key);
        self.0.splice(start..start + len, [entry]);
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&mut Entry) -> bool) {
        self.0.retain_mut(keep);
        if self.0.capacity() > 2 * self.0.len() + 8 {
            self.0.shrink_to_fit();
        }
    }

    /// Takes the later entry of each chain.
    fn join(&mut self, other: &Self) {
        if other.0.iter().all(|entry| self.has(entry)) {
            return;
        }
        let mut joined = Vec::with_capacity(self.0.len().max(other.0.len()));
        let mut ours = std::mem::take(&mut self.0).into_iter().peekable();
        for theirs in &other.0 {
            while let Some(entry) = ours.next_if(|entry| entry.place() < theirs.place()) {
                joined.push(entry);
            }
            match ours.next_if(|entry| entry.place() == theirs.place()) {
                Some(entry) if entry.gamma.time >= theirs.gamma.time => joined.push(entry),
                _ => joined.push(Entry { is_doubled: false, ..theirs.clone() }),
            }
        }
        joined.extend(ours);
        self.0 = joined;
    }

    fn has(&self, entry: &Entry) -> bool {
        let at = self.0.binary_search_by_key(&entry.place(), Entry::place);
        at.is_ok_and(|at| self.0[at].gamma.time >= entry.gamma.time)
    }
}

/// The logical time of a task with its AsyncClocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Time {
    pub(super) vector: VectorClock,
    pub(super) clocks: AsyncClocks,
}

impl Time {
    pub(super) fn join(&mut self, other: &Self) {
        self.vector.join(&other.vector);
        self.clocks.join(&other.clocks);
    }

    /// Joins a vector clock without AsyncClocks.
    pub(super) fn join_vector(&mut self, other: &VectorClock) {
        self.vector.join(other);
    }
}
