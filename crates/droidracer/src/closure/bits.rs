//! A matrix of bits, by rows of words.

const WORD: usize = 64;

/// A matrix of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(WORD);
        Self { words, bits: vec![0; rows * words] }
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..][..self.words]
    }

    pub(crate) fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / WORD] & (1 << (column % WORD)) != 0
    }

    /// Sets a bit, and returns whether it was clear.
    pub(crate) fn set(&mut self, row: usize, column: usize) -> bool {
        set(self.row_mut(row), column)
    }

    /// The number of words of a row.
    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

/// Sets a bit of a row, and returns whether it was clear.
pub(crate) fn set(row: &mut [u64], column: usize) -> bool {
    let (word, bit) = (&mut row[column / WORD], 1 << (column % WORD));
    let was_clear = *word & bit == 0;
    *word |= bit;
    was_clear
}

/// Returns the positions of the set bits of a row, ascending.
pub(crate) fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * WORD + bit)
        })
    })
}

/// Computes `target |= source`.
pub(crate) fn union(target: &mut [u64], source: &[u64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target |= source;
    }
}

/// Computes `target &= source`.
pub(crate) fn intersect(target: &mut [u64], source: &[u64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target &= source;
    }
}
