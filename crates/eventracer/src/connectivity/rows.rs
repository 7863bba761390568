//! Clocks that share their parts.
//!
//! A clock maps chains to positions. It is stored as a row of chunks, each of [`LANES`] chains;
//! chunks are never changed once their row is finished, so rows that differ in few chains share
//! the rest, and a row equal to the one it was built from is that row.

const LANES: usize = 32;

type Chunk = [u32; LANES];

/// A finished clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowId(u32);

impl RowId {
    /// The clock that is zero everywhere.
    pub(crate) const ZERO: Self = Self(0);
}

/// All clocks.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Chunk 0 is zero everywhere.
    chunks: Vec<Chunk>,
    /// The chunks of each row, one row after another.
    directory: Vec<u32>,
    /// Where each row ends in the directory; a row starts where the one before it ends.
    ends: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { chunks: vec![[0; LANES]], directory: Vec::new(), ends: vec![0] }
    }
}

impl Rows {
    /// The position of a chain in a clock.
    pub(crate) fn get(&self, row: RowId, chain: u32) -> u32 {
        let chunk = self.chunks_of(row).get(chain as usize / LANES).copied().unwrap_or(0);
        self.chunks[chunk as usize][chain as usize % LANES]
    }

    fn chunks_of(&self, row: RowId) -> &[u32] {
        let start = row.0.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.directory[start as usize..self.ends[row.0 as usize] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.chunks[..])
            + size_of_val(&self.directory[..])
            + size_of_val(&self.ends[..])
    }
}

/// A clock under construction, and the space to build the next in.
#[derive(Debug, Default)]
pub(crate) struct RowBuilder {
    base: Option<RowId>,
    chunks: Vec<u32>,
    /// Chunks from here on belong to this row alone and may be changed.
    owned: u32,
}

impl RowBuilder {
    /// Starts from a copy of `row`.
    pub(crate) fn start(&mut self, rows: &Rows, row: RowId) {
        self.base = Some(row);
        self.chunks.clear();
        self.chunks.extend_from_slice(rows.chunks_of(row));
        self.owned = rows.chunks.len() as u32;
    }

    /// Joins `row`: every entry becomes the larger of the two.
    pub(crate) fn join(&mut self, rows: &mut Rows, row: RowId) {
        if self.base == Some(row) {
            return;
        }
        let count = rows.chunks_of(row).len();
        if self.chunks.len() < count {
            self.chunks.resize(count, 0);
        }
        for i in 0..count {
            let (mine, theirs) = (self.chunks[i], rows.chunks_of(row)[i]);
            if mine != theirs && theirs != 0 {
                self.chunks[i] = self.merge(rows, mine, theirs);
            }
        }
    }

    fn merge(&self, rows: &mut Rows, mine: u32, theirs: u32) -> u32 {
        let (a, b) = (rows.chunks[mine as usize], rows.chunks[theirs as usize]);
        let merged: Chunk = std::array::from_fn(|i| a[i].max(b[i]));
        if merged == a {
            mine
        } else if mine >= self.owned {
            rows.chunks[mine as usize] = merged;
            mine
        } else if merged == b {
            theirs
        } else {
            rows.chunks.push(merged);
            rows.chunks.len() as u32 - 1
        }
    }

    /// Raises the entry of `chain` to at least `position`.
    pub(crate) fn raise(&mut self, rows: &mut Rows, chain: u32, position: u32) {
        let (slot, lane) = (chain as usize / LANES, chain as usize % LANES);
        if self.chunks.len() <= slot {
            self.chunks.resize(slot + 1, 0);
        }
        let mut chunk = self.chunks[slot];
        if rows.chunks[chunk as usize][lane] >= position {
            return;
        }
        if chunk < self.owned {
            rows.chunks.push(rows.chunks[chunk as usize]);
            chunk = rows.chunks.len() as u32 - 1;
            self.chunks[slot] = chunk;
        }
        rows.chunks[chunk as usize][lane] = position;
    }

    /// The finished clock.
    pub(crate) fn finish(&mut self, rows: &mut Rows) -> RowId {
        if let Some(base) = self.base.take()
            && rows.chunks_of(base) == self.chunks
        {
            return base;
        }
        rows.directory.extend_from_slice(&self.chunks);
        rows.ends.push(u32::try_from(rows.directory.len()).expect("fewer than 2³² chunks"));
        RowId(rows.ends.len() as u32 - 1)
    }
}
