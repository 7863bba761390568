//! A set of chains, in the shape of a clock.
//!
//! Searches go over the many chains of which somebody knows something new, few of which ever had to do
//! with the queue in question. The set says which children of every node of a clock hold any of them, so
//! that the others are not visited.

use super::{BITS, slot};

/// For each height, a bit for each child of each node: 0 are the leaves, whose children are chains.
#[derive(Default)]
pub(crate) struct ChainSet(Vec<Vec<u16>>);

/// So high may a clock be.
const HEIGHTS: u32 = u32::BITS / BITS;

impl ChainSet {
    pub(crate) fn insert(&mut self, chain: u32) {
        if self.contains(chain) {
            return;
        }
        self.0.resize(HEIGHTS as usize, Vec::new());
        for height in 0..HEIGHTS {
            let (level, node) = (&mut self.0[height as usize], above(chain, height));
            if node >= level.len() {
                level.resize(node + 1, 0);
            }
            level[node] |= 1 << slot(chain, height);
        }
    }

    pub(crate) fn contains(&self, chain: u32) -> bool {
        self.children(0, chain) >> slot(chain, 0) & 1 != 0
    }

    /// Which children of the node at `height` that holds `chain` hold chains of the set.
    pub(crate) fn children(&self, height: u32, chain: u32) -> u16 {
        let level = self.0.get(height as usize);
        level.and_then(|level| level.get(above(chain, height))).copied().unwrap_or(0)
    }
}

/// The node at `height` that holds `chain`.
fn above(chain: u32, height: u32) -> usize {
    (u64::from(chain) >> (BITS * (height + 1))) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_inserted_at_every_height() {
        let mut draw = crate::engine::graph::draws();
        let mut set = ChainSet::default();
        let mut all = std::collections::BTreeSet::new();
        for _ in 0..300 {
            let chain = draw(70_000);
            set.insert(chain);
            all.insert(chain);
        }
        for chain in 0..70_000 {
            assert_eq!(set.contains(chain), all.contains(&chain));
            for height in 0..HEIGHTS {
                let width = 1_u64 << (BITS * height);
                let first = u64::from(chain) / width * width;
                let held = all.iter().any(|&c| (first..first + width).contains(&u64::from(c)));
                let bit = set.children(height, chain) >> slot(chain, height) & 1;
                assert_eq!(bit != 0, held);
            }
        }
    }
}
