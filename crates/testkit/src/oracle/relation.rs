//! Binary relations as bit matrices.

use std::fmt;
use std::marker::PhantomData;

use trace::Id;

/// A relation over the ids `0..len`: bit `b` of row `a` says that `a` is related to `b`.
#[derive(Clone, PartialEq, Eq)]
pub struct Relation<I> {
    rows: Vec<Vec<u64>>,
    over: PhantomData<I>,
}

impl<I: Id> Relation<I> {
    /// The empty relation over `len` ids.
    pub fn empty(len: usize) -> Self {
        Self { rows: vec![vec![0; len.div_ceil(64)]; len], over: PhantomData }
    }

    /// How many ids it ranges over.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it ranges over none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether `a` is related to `b`.
    pub fn holds(&self, a: I, b: I) -> bool {
        self.rows[a.index()][b.index() / 64] >> (b.index() % 64) & 1 == 1
    }

    /// Relates `a` to `b`.
    pub fn insert(&mut self, a: I, b: I) {
        self.rows[a.index()][b.index() / 64] |= 1 << (b.index() % 64);
    }

    /// Closes the relation transitively (Warshall).
    pub fn close(&mut self) {
        for via in (0..self.len()).map(I::new) {
            let reached = self.rows[via.index()].clone();
            for from in (0..self.len()).map(I::new) {
                if self.holds(from, via) {
                    for (word, more) in self.rows[from.index()].iter_mut().zip(&reached) {
                        *word |= more;
                    }
                }
            }
        }
    }
}

/// One line a row, `1` where row and column are related: the format of `order --matrix`.
impl<I: Id> fmt::Display for Relation<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for a in (0..self.len()).map(I::new) {
            for b in (0..self.len()).map(I::new) {
                f.write_str(if self.holds(a, b) { "1" } else { "0" })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl<I: Id> fmt::Debug for Relation<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::OpId;

    #[test]
    fn closing_follows_paths_across_words() {
        let mut relation = Relation::<OpId>::empty(130);
        for (a, b) in [(0, 129), (129, 64), (64, 3), (5, 6)] {
            relation.insert(OpId(a), OpId(b));
        }
        relation.close();
        let pairs: Vec<(u32, u32)> = (0..130)
            .flat_map(|a| (0..130).map(move |b| (a, b)))
            .filter(|&(a, b)| relation.holds(OpId(a), OpId(b)))
            .collect();
        assert_eq!(pairs, [(0, 3), (0, 64), (0, 129), (5, 6), (64, 3), (129, 3), (129, 64)]);
    }

    #[test]
    fn shows_as_a_matrix() {
        let mut relation = Relation::<OpId>::empty(2);
        relation.insert(OpId(0), OpId(1));
        assert_eq!(relation.to_string(), "01\n00\n");
    }
}
