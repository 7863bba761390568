//! What each chain posted to a queue, and which events of a looper began on it.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::engine::graph::{ChainSet, Clock, Clocks};

/// One entry of a log: a message with its delay or time, or a barrier.
#[derive(Clone, Copy, Debug)]
struct Entry<P> {
    position: P,
    /// The event's slot, or the barrier's.
    slot: u32,
    key: i64,
    /// The index of the nearest earlier entry with a smaller key, and of that with a larger one.
    lower: u32,
    higher: u32,
}

const NO_ENTRY: u32 = u32::MAX;

/// The slot of an entry that was removed.
const GONE: u32 = u32::MAX;

/// The entries of one chain, by position.
pub(super) struct ChainLog<P = u32> {
    entries: VecDeque<Entry<P>>,
    /// How many entries were dropped before the first: indices count from the first entry ever.
    dropped: u32,
}

/// The positions of a chain that are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<P = u32> {
    pub(super) chain: u32,
    pub(super) above: P,
    pub(super) upto: P,
}

/// The entries of all chains, of one kind. `P` is how positions on a chain are counted.
pub(super) struct Log<P = u32> {
    of_chain: HashMap<u32, ChainLog<P>>,
    /// The chains that ever had entries.
    pub(super) chains: ChainSet,
}

/// What a search does with an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is followed, and with it the earlier entries of smaller or equal keys.
    Followed,
    /// It is not followed.
    Passed,
}

impl<P> Default for ChainLog<P> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), dropped: 0 }
    }
}

impl<P> Default for Log<P> {
    fn default() -> Self {
        Self { of_chain: HashMap::new(), chains: ChainSet::default() }
    }
}

impl<P: Copy + Ord> ChainLog<P> {
    fn index_at(&self, upto: P) -> u32 {
        let is_before = |entry: &Entry<P>| entry.position <= upto;
        // Most searches are up to the last entry.
        let is_last = self.entries.back().is_some_and(is_before);
        let before =
            if is_last { self.entries.len() } else { self.entries.partition_point(is_before) };
        self.dropped + before as u32
    }

    /// Whether all entries are at or before a position.
    fn is_upto(&self, position: P) -> bool {
        self.entries.back().is_none_or(|entry| entry.position <= position)
    }

    fn get(&self, index: u32) -> Option<&Entry<P>> {
        self.entries.get(index.checked_sub(self.dropped)? as usize)
    }

    fn push(&mut self, position: P, slot: u32, key: i64) {
        let mut lower = NO_ENTRY;
        let mut higher = NO_ENTRY;
        let mut at = (self.dropped + self.entries.len() as u32).wrapping_sub(1);
        while let Some(entry) = self.get(at) {
            if entry.key < key && lower == NO_ENTRY {
                lower = at;
                at = entry.higher;
                if higher != NO_ENTRY {
                    break;
                }
            } else if entry.key > key && higher == NO_ENTRY {
                higher = at;
                at = entry.lower;
                if lower != NO_ENTRY {
                    break;
                }
            } else if entry.key == key {
                lower = if lower == NO_ENTRY { entry.lower } else { lower };
                higher = if higher == NO_ENTRY { entry.higher } else { higher };
                break;
            } else if lower == NO_ENTRY {
                at = entry.lower;
            } else {
                at = entry.higher;
            }
        }
        self.entries.push_back(Entry { position, slot, key, lower, higher });
    }

    /// Calls `each` for entries with keys from `least` to `most` in a span, the latest first. Leaves
    /// out entries with keys up to that of an entry after them that was followed.
    pub(super) fn search(
        &self,
        (least, most): (i64, i64),
        span: Span<P>,
        mut each: impl FnMut(u32) -> Taken,
    ) {
        let mut at = self.index_at(span.upto).wrapping_sub(1);
        let mut followed: Option<i64> = None;
        while let Some(entry) = self.get(at).filter(|entry| entry.position > span.above) {
            if entry.key > most {
                at = entry.lower;
            } else if entry.key < least || followed.is_some_and(|key| entry.key <= key) {
                at = entry.higher;
            } else if entry.slot != GONE && each(entry.slot) == Taken::Followed {
                if entry.key == most {
                    return;
                }
                followed = Some(entry.key);
                at = entry.higher;
            } else {
                at = at.wrapping_sub(1);
            }
        }
    }

    /// Calls `each` for all entries of a span, the latest first, until it returns false.
    pub(super) fn each(&self, span: Span<P>, mut each: impl FnMut(u32) -> bool) {
        let mut at = self.index_at(span.upto).wrapping_sub(1);
        while let Some(entry) = self.get(at).filter(|entry| entry.position > span.above) {
            if entry.slot != GONE && !each(entry.slot) {
                return;
            }
            at = at.wrapping_sub(1);
        }
    }

    /// The slot of the latest entry up to a position with this key, among the last few.
    fn latest(&self, upto: P, key: i64) -> Option<u32> {
        let end = self.index_at(upto);
        let mut tried = (0..4).map_while(|back| self.get(end.wrapping_sub(1 + back)));
        tried.find(|entry| entry.key == key && entry.slot != GONE).map(|entry| entry.slot)
    }
}

impl<P: Copy + Ord> Log<P> {
    pub(super) fn push(&mut self, chain: u32, position: P, slot: u32, key: i64) {
        self.chains.insert(chain);
        self.of_chain.entry(chain).or_default().push(position, slot, key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of_chain.is_empty()
    }

    pub(super) fn of_chain(&self, chain: u32) -> Option<&ChainLog<P>> {
        self.of_chain.get(&chain)
    }

    /// The slot of the latest entry of a chain up to a position with this key, among the last few.
    pub(super) fn latest(&self, chain: u32, upto: P, key: i64) -> Option<u32> {
        self.of_chain(chain)?.latest(upto, key)
    }

    /// Removes the entry at a position of a chain.
    pub(super) fn remove(&mut self, chain: u32, position: P) {
        let Some(log) = self.of_chain.get_mut(&chain) else { return };
        let at = log.entries.partition_point(|entry| entry.position < position);
        if let Some(entry) = log.entries.get_mut(at).filter(|entry| entry.position == position) {
            entry.slot = GONE;
        }
        while log.entries.front().is_some_and(|entry| entry.slot == GONE) {
            log.entries.pop_front();
            log.dropped += 1;
        }
        if log.entries.is_empty() {
            self.of_chain.remove(&chain);
        }
    }
}

impl Log {
    /// Calls `each` for the chains of the log of which `upto` knows more than `known`.
    pub(super) fn gained(
        &self,
        clocks: &Clocks,
        (known, upto): (Clock, Clock),
        mut each: impl FnMut(Span, &ChainLog),
    ) {
        clocks.gained_among([&self.chains], known, upto, &mut |chain, above, upto| {
            if let Some(log) = self.of_chain.get(&chain).filter(|log| !log.is_upto(above)) {
                each(Span { chain, above, upto }, log);
            }
        });
    }
}
