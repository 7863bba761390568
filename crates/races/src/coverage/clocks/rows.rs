//! Vector clocks that share their equal parts.
//!
//! A clock maps chains to positions. It is stored as a tree of fixed depth: a row of pages, a page
//! of chunks, a chunk of positions. No part changes once its row is finished. Rows that differ in
//! few chains therefore share the rest, a join of two rows costs only what differs, and a row equal
//! to the one from which it was built is that row.

/// The number of positions in a chunk, and of chunks in a page.
const FANOUT: usize = 32;
/// The number of chains in a page.
const PAGE: usize = FANOUT * FANOUT;

type Block = [u32; FANOUT];

/// The id of a finished clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::coverage) struct RowId(u32);

impl RowId {
    /// The clock that is zero everywhere.
    pub(in crate::coverage) const ZERO: Self = Self(0);
}

/// The storage of all clocks.
#[derive(Clone, Debug)]
pub(in crate::coverage) struct Rows {
    /// The chunks of positions. All positions of chunk 0 are zero.
    chunks: Vec<Block>,
    /// The pages of chunk numbers. Page 0 refers to chunk 0 only.
    pages: Vec<Block>,
    /// The pages of each row, one row after another.
    directory: Vec<u32>,
    /// The end of each row in the directory; a row starts at the end of the previous one.
    ends: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        let zero = vec![[0; FANOUT]];
        Self { chunks: zero.clone(), pages: zero, directory: Vec::new(), ends: vec![0] }
    }
}

impl Rows {
    /// Returns the position of a chain in a clock.
    pub(in crate::coverage) fn get(&self, row: RowId, chain: u32) -> u32 {
        self.entry(self.pages_of(row), chain)
    }

    fn entry(&self, pages: &[u32], chain: u32) -> u32 {
        let chain = chain as usize;
        let page = pages.get(chain / PAGE).copied().unwrap_or(0);
        let chunk = self.pages[page as usize][chain / FANOUT % FANOUT];
        self.chunks[chunk as usize][chain % FANOUT]
    }

    fn pages_of(&self, row: RowId) -> &[u32] {
        let start = row.0.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.directory[start as usize..self.ends[row.0 as usize] as usize]
    }

    pub(in crate::coverage) fn bytes(&self) -> usize {
        size_of_val(&self.chunks[..])
            + size_of_val(&self.pages[..])
            + size_of_val(&self.directory[..])
            + size_of_val(&self.ends[..])
    }
}

/// A clock under construction.
///
/// Only one clock may be under construction at a time, and no row may be finished meanwhile. The
/// parts that are added during construction belong to this clock alone, so it changes them in
/// place.
#[derive(Debug, Default)]
pub(in crate::coverage) struct RowBuilder {
    base: Option<RowId>,
    pages: Vec<u32>,
    /// The first page and the first chunk that belong to this clock alone.
    owned_pages: u32,
    owned_chunks: u32,
}

impl RowBuilder {
    /// Starts from a copy of `row`.
    pub(in crate::coverage) fn start(&mut self, rows: &Rows, row: RowId) {
        self.base = Some(row);
        self.pages.clear();
        self.pages.extend_from_slice(rows.pages_of(row));
        self.owned_pages = rows.pages.len() as u32;
        self.owned_chunks = rows.chunks.len() as u32;
    }

    /// Returns the position of a chain.
    pub(in crate::coverage) fn get(&self, rows: &Rows, chain: u32) -> u32 {
        rows.entry(&self.pages, chain)
    }

    /// Joins `row`: every entry becomes the larger of the two.
    pub(in crate::coverage) fn join(&mut self, rows: &mut Rows, row: RowId) {
        if self.base == Some(row) {
            return;
        }
        let count = rows.pages_of(row).len();
        if self.pages.len() < count {
            self.pages.resize(count, 0);
        }
        for i in 0..count {
            let (mine, theirs) = (self.pages[i], rows.pages_of(row)[i]);
            self.pages[i] = self.merge_pages(rows, mine, theirs);
        }
    }

    fn merge_pages(&self, rows: &mut Rows, mine: u32, theirs: u32) -> u32 {
        if mine == theirs || theirs == 0 {
            return mine;
        }
        let (a, b) = (rows.pages[mine as usize], rows.pages[theirs as usize]);
        let merged = std::array::from_fn(|i| self.merge_chunks(rows, a[i], b[i]));
        place(&mut rows.pages, self.owned_pages, (mine, theirs), merged)
    }

    fn merge_chunks(&self, rows: &mut Rows, mine: u32, theirs: u32) -> u32 {
        if mine == theirs || theirs == 0 {
            return mine;
        }
        let (a, b) = (rows.chunks[mine as usize], rows.chunks[theirs as usize]);
        let merged = std::array::from_fn(|i| a[i].max(b[i]));
        place(&mut rows.chunks, self.owned_chunks, (mine, theirs), merged)
    }

    /// Raises the entry of `chain` to at least `position`.
    pub(in crate::coverage) fn raise(&mut self, rows: &mut Rows, chain: u32, position: u32) {
        if self.get(rows, chain) >= position {
            return;
        }
        let chain = chain as usize;
        if self.pages.len() <= chain / PAGE {
            self.pages.resize(chain / PAGE + 1, 0);
        }
        let page = &mut self.pages[chain / PAGE];
        *page = own(&mut rows.pages, self.owned_pages, *page);
        let chunk = &mut rows.pages[*page as usize][chain / FANOUT % FANOUT];
        *chunk = own(&mut rows.chunks, self.owned_chunks, *chunk);
        rows.chunks[*chunk as usize][chain % FANOUT] = position;
    }

    /// Finishes the clock and returns its row.
    pub(in crate::coverage) fn finish(&mut self, rows: &mut Rows) -> RowId {
        if let Some(base) = self.base.take()
            && rows.pages_of(base) == self.pages
        {
            return base;
        }
        rows.directory.extend_from_slice(&self.pages);
        rows.ends.push(u32::try_from(rows.directory.len()).expect("fewer than 2³² pages"));
        RowId(rows.ends.len() as u32 - 1)
    }
}

/// Returns a block with the content `merged`, the join of the two blocks `from`. It is the first of
/// them if that is equal or if the clock owns it, which changes it in place; else the second if that
/// is equal; else a new block.
fn place(blocks: &mut Vec<Block>, owned: u32, from: (u32, u32), merged: Block) -> u32 {
    let (mine, theirs) = from;
    if merged == blocks[mine as usize] {
        mine
    } else if mine >= owned {
        blocks[mine as usize] = merged;
        mine
    } else if merged == blocks[theirs as usize] {
        theirs
    } else {
        blocks.push(merged);
        blocks.len() as u32 - 1
    }
}

/// Returns the block itself if the clock owns it, else a copy.
fn own(blocks: &mut Vec<Block>, owned: u32, block: u32) -> u32 {
    if block >= owned {
        return block;
    }
    blocks.push(blocks[block as usize]);
    blocks.len() as u32 - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How to build a clock: the earlier clocks to join, and the entries to raise.
    type Recipe = (Vec<prop::sample::Index>, Vec<(u32, u32)>);

    fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
        let chain = prop_oneof![0..40_u32, 1000..1100_u32, 5000..5010_u32];
        let joins = prop::collection::vec(any::<prop::sample::Index>(), 0..4);
        prop::collection::vec((joins, prop::collection::vec((chain, 1..9_u32), 0..4)), 1..30)
    }

    proptest! {
        #[test]
        fn rows_are_plain_vectors(recipes in recipes()) {
            let mut rows = Rows::default();
            let mut builder = RowBuilder::default();
            let mut built: Vec<(RowId, Vec<u32>)> = vec![(RowId::ZERO, vec![0; 5010])];
            for (joins, raises) in recipes {
                let joins: Vec<usize> = joins.iter().map(|join| join.index(built.len())).collect();
                let (base, mut plain) = built[joins.first().copied().unwrap_or(0)].clone();
                builder.start(&rows, base);
                for (row, other) in joins.iter().map(|&join| &built[join]) {
                    builder.join(&mut rows, *row);
                    plain.iter_mut().zip(other).for_each(|(a, b)| *a = *b.max(a));
                }
                for (chain, position) in raises {
                    builder.raise(&mut rows, chain, position);
                    plain[chain as usize] = plain[chain as usize].max(position);
                }
                let unchanged = plain == built[joins.first().copied().unwrap_or(0)].1;
                let row = builder.finish(&mut rows);
                prop_assert!(!unchanged || row == base, "an equal clock is the same row");
                built.push((row, plain));
            }
            for (row, plain) in &built {
                for (chain, &position) in plain.iter().enumerate() {
                    prop_assert_eq!(rows.get(*row, chain as u32), position);
                }
            }
        }
    }
}
