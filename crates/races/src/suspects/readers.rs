//! The reads of a location since its last write that no later one follows, as far as it matters.
//!
//! Reads are added without a look at the others; those that later ones follow are dropped when there
//! are three times as many as were left the last time. A chain keeps one, the latest: whoever follows it
//! follows what stood before it on the chain.

use order::{Cursor, Moment};

use super::known::Known;

/// Tasks that read, each with [`Moment::next`] of its last read.
pub(super) struct Readers {
    entries: Vec<(u32, u32)>,
    /// Tidied up at this length.
    limit: usize,
}

const LEAST: usize = 4;

impl Readers {
    pub(super) fn two(a: (u32, u32), b: (u32, u32)) -> Self {
        Self { entries: vec![a, b], limit: LEAST }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.entries.iter().copied()
    }

    /// Adds a read.
    pub(super) fn add(&mut self, known: &mut Known, cursor: &Cursor<'_>, now: &Moment) {
        if let Some(last) = self.entries.last_mut()
            && last.0 == now.task
        {
            last.1 = now.next;
            return;
        }
        if self.entries.len() >= self.limit {
            self.tidy(known, cursor, now);
        }
        self.entries.push((now.task, now.next));
    }

    /// Drops what `now` follows, and all but the latest of every chain. What nothing outside its task
    /// follows is not part of a chain in this.
    fn tidy(&mut self, known: &mut Known, cursor: &Cursor<'_>, now: &Moment) {
        self.entries.retain(|&read| !known.follows(cursor, now, read));
        let place = |(task, next): (u32, u32)| match next {
            u32::MAX => (u32::MAX, task),
            _ => (cursor.chain(task), next),
        };
        self.entries.sort_unstable_by_key(|&read| std::cmp::Reverse(place(read)));
        self.entries.dedup_by_key(|&mut read| match place(read) {
            lone @ (u32::MAX, _) => lone,
            (chain, _) => (chain, 0),
        });
        self.limit = LEAST.max(3 * self.entries.len());
    }
}
