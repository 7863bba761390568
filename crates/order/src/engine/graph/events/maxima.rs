//! Lists that grow at their end, and of which every length they had can be asked: what is the
//! largest value among entries with a rank in a range?
//!
//! Segment trees over the ranks share what one entry does not change: O(log ranks) an entry and a
//! question. With positions as values, the largest is the latest.

/// Trees over ranks `0..ranks`.
pub(super) struct Maxima {
    ranks: u32,
    /// Left child, right child, and the largest value below; node 0 is the empty tree.
    nodes: Vec<[u32; 3]>,
}

/// The tree of one length of one list.
#[derive(Clone, Copy, Default)]
pub(super) struct Version(u32);

impl Maxima {
    /// For entries of ranks below `ranks`.
    pub(super) fn new(ranks: usize) -> Self {
        Self { ranks: ranks as u32, nodes: vec![[0; 3]] }
    }

    /// The list with one more entry. A value is at least 1.
    pub(super) fn push(&mut self, list: Version, rank: u32, value: u32) -> Version {
        Version(self.push_below(list.0, 0, self.ranks, rank, value))
    }

    fn push_below(&mut self, node: u32, from: u32, to: u32, rank: u32, value: u32) -> u32 {
        let [mut left, mut right, largest] = self.nodes[node as usize];
        if to - from > 1 {
            let middle = from.midpoint(to);
            if rank < middle {
                left = self.push_below(left, from, middle, rank, value);
            } else {
                right = self.push_below(right, middle, to, rank, value);
            }
        }
        self.nodes.push([left, right, largest.max(value)]);
        self.nodes.len() as u32 - 1
    }

    /// The largest value of the list with a rank in `low..high`; 0 if there is none.
    pub(super) fn largest(&self, list: Version, low: u32, high: u32) -> u32 {
        self.largest_below(list.0, 0, self.ranks, low, high)
    }

    fn largest_below(&self, node: u32, from: u32, to: u32, low: u32, high: u32) -> u32 {
        let [left, right, largest] = self.nodes[node as usize];
        if node == 0 || high <= from || to <= low {
            return 0;
        }
        if low <= from && to <= high {
            return largest;
        }
        let middle = from.midpoint(to);
        let below = self.largest_below(left, from, middle, low, high);
        below.max(self.largest_below(right, middle, to, low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against looking at every entry, for every length of a list.
    #[test]
    fn finds_what_a_scan_finds() {
        let mut draw = crate::engine::graph::draws();
        for ranks in [1, 2, 7, 100] {
            let mut maxima = Maxima::new(ranks);
            let mut versions = vec![Version::default()];
            let mut list: Vec<(u32, u32)> = Vec::new();
            for length in 0..200 {
                let (rank, value) = (draw(ranks as u64), 1 + draw(50));
                versions.push(maxima.push(versions[length], rank, value));
                list.push((rank, value));
                let length = draw(list.len() as u64 + 1) as usize;
                let (low, high) = (draw(ranks as u64), 1 + draw(ranks as u64));
                let asked = || list[..length].iter().filter(|(r, _)| (low..high).contains(r));
                let largest = asked().map(|&(_, v)| v).max().unwrap_or(0);
                assert_eq!(maxima.largest(versions[length], low, high), largest);
            }
        }
    }
}
