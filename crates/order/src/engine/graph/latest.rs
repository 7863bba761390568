//! The latest entry of a list, among its first so many, with a rank in a range.
//!
//! A list grows at its end; every length it had can be asked about. Segment trees over the ranks
//! hold the last position of each, and share what one entry does not change: O(log ranks) an entry
//! and a question.

/// Trees over ranks `0..ranks`.
pub(super) struct Latest {
    ranks: u32,
    /// Left child, right child, and the largest position + 1 below; node 0 is the empty tree.
    nodes: Vec<[u32; 3]>,
}

/// The tree of one length of one list.
#[derive(Clone, Copy, Default)]
pub(super) struct Version(u32);

impl Latest {
    /// For entries of ranks below `ranks`.
    pub(super) fn new(ranks: usize) -> Self {
        Self { ranks: ranks as u32, nodes: vec![[0; 3]] }
    }

    /// The list with one more entry, at `position`.
    pub(super) fn push(&mut self, list: Version, rank: u32, position: u32) -> Version {
        Version(self.push_below(list.0, 0, self.ranks, rank, position))
    }

    fn push_below(&mut self, node: u32, from: u32, to: u32, rank: u32, position: u32) -> u32 {
        let [mut left, mut right, _] = self.nodes[node as usize];
        if to - from > 1 {
            let middle = from.midpoint(to);
            if rank < middle {
                left = self.push_below(left, from, middle, rank, position);
            } else {
                right = self.push_below(right, middle, to, rank, position);
            }
        }
        self.nodes.push([left, right, position + 1]);
        self.nodes.len() as u32 - 1
    }

    /// The latest position of the list whose rank is in `low..high`.
    pub(super) fn find(&self, list: Version, low: u32, high: u32) -> Option<u32> {
        self.find_below(list.0, 0, self.ranks, low, high).checked_sub(1)
    }

    fn find_below(&self, node: u32, from: u32, to: u32, low: u32, high: u32) -> u32 {
        let [left, right, latest] = self.nodes[node as usize];
        if node == 0 || high <= from || to <= low {
            return 0;
        }
        if low <= from && to <= high {
            return latest;
        }
        let middle = from.midpoint(to);
        let below = self.find_below(left, from, middle, low, high);
        below.max(self.find_below(right, middle, to, low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against looking at every entry, for every length of a list.
    #[test]
    fn finds_what_a_scan_finds() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut draw = |n: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % n) as u32
        };
        for ranks in [1, 2, 7, 100] {
            let mut latest = Latest::new(ranks);
            let mut versions = vec![Version::default()];
            let mut list: Vec<u32> = Vec::new();
            for position in 0..200 {
                let rank = draw(ranks as u64);
                versions.push(latest.push(versions[position as usize], rank, position));
                list.push(rank);
                let length = draw(list.len() as u64 + 1) as usize;
                let (low, high) = (draw(ranks as u64), 1 + draw(ranks as u64));
                let expected = list[..length].iter().rposition(|r| (low..high).contains(r));
                let found = latest.find(versions[length], low, high);
                assert_eq!(found, expected.map(|position| position as u32));
            }
        }
    }
}
