//! A list that grows at its end, of entries with ranks that are struck off one by one: which is the
//! first among so many that still stands and whose rank is not above a bound?
//!
//! A segment tree over positions holds the least rank below each node. O(log n) a question and a
//! stroke, amortised for growing.

/// Struck off, or not there yet.
const NONE: u32 = u32::MAX;

/// The list.
#[derive(Default)]
pub(super) struct Waiting {
    len: usize,
    /// The leaves are the second half; node i has the children 2i and 2i + 1.
    least: Vec<u32>,
}

impl Waiting {
    /// Adds an entry at the end.
    pub(super) fn push(&mut self, rank: u32) {
        let leaves = self.least.len() / 2;
        if self.len == leaves {
            let mut least = vec![NONE; 4 * leaves.max(1)];
            let first = least.len() / 2;
            least[first..first + leaves].copy_from_slice(&self.least[leaves..]);
            for node in (1..first).rev() {
                least[node] = least[2 * node].min(least[2 * node + 1]);
            }
            self.least = least;
        }
        self.set(self.len, rank);
        self.len += 1;
    }

    /// Strikes the entry at `position` off.
    pub(super) fn strike(&mut self, position: usize) {
        self.set(position, NONE);
    }

    fn set(&mut self, position: usize, rank: u32) {
        let mut node = self.least.len() / 2 + position;
        self.least[node] = rank;
        while node > 1 {
            node /= 2;
            self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
        }
    }

    /// The first entry among the first `length` that stands and has at most `rank`.
    pub(super) fn first(&self, length: usize, rank: u32) -> Option<usize> {
        let leaves = self.least.len() / 2;
        if self.least.get(1).is_none_or(|&least| least > rank) {
            return None;
        }
        let mut node = 1;
        while node < leaves {
            node = if self.least[2 * node] <= rank { 2 * node } else { 2 * node + 1 };
        }
        Some(node - leaves).filter(|&position| position < length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against looking at every entry.
    #[test]
    fn finds_what_a_scan_finds() {
        let mut draw = crate::engine::graph::draws();
        let mut waiting = Waiting::default();
        let mut list: Vec<Option<u32>> = Vec::new();
        assert_eq!(waiting.first(0, 9), None);
        for _ in 0..300 {
            let rank = draw(10);
            waiting.push(rank);
            list.push(Some(rank));
            let struck = draw(list.len() as u64) as usize;
            waiting.strike(struck);
            list[struck] = None;
            let (length, bound) = (draw(list.len() as u64 + 1) as usize, draw(10));
            let stands = |entry: &Option<u32>| entry.is_some_and(|rank| rank <= bound);
            let expected = list[..length].iter().position(stands);
            assert_eq!(waiting.first(length, bound), expected);
        }
    }
}
