//! A square bit matrix: a relation over dense ids, stored as the set of predecessors of each.

/// `get(a, b)` returns whether `a` is related to `b`. Row `b` is the set of its predecessors, so
/// joining the predecessors of one element into another's is one pass over words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    words_per_row: usize,
    words: Vec<u64>,
}

impl Matrix {
    /// The empty relation over `n` elements.
    pub(crate) fn new(n: usize) -> Self {
        let words_per_row = n.div_ceil(64);
        Self { words_per_row, words: vec![0; words_per_row * n] }
    }

    /// How many bytes the relation over `n` elements takes.
    pub(crate) fn bytes(n: usize) -> usize {
        n.div_ceil(64).saturating_mul(8).saturating_mul(n)
    }

    pub(crate) fn get(&self, a: usize, b: usize) -> bool {
        self.words[b * self.words_per_row + a / 64] >> (a % 64) & 1 == 1
    }

    pub(crate) fn set(&mut self, a: usize, b: usize) {
        self.words[b * self.words_per_row + a / 64] |= 1 << (a % 64);
    }

    /// Makes `a` and everything before `a` predecessors of `b`. Returns whether the
    /// relation grew.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let w = self.words_per_row;
        let mut news = 0;
        for i in 0..w {
            let from = self.words[a * w + i];
            let to = &mut self.words[b * w + i];
            news |= from & !*to;
            *to |= from;
        }
        let known = self.get(a, b);
        self.set(a, b);
        news != 0 || !known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_closes_over_what_came_before() {
        let mut m = Matrix::new(130);
        assert!(m.join(0, 70));
        assert!(m.join(70, 129));
        assert!(m.get(0, 129) && m.get(70, 129) && !m.get(1, 129) && !m.get(129, 0));
        assert!(!m.join(0, 129));
    }
}
