//! A set of chains.
//!
//! Searches go over the many chains of which somebody knows something new, few of which ever had to do
//! with the queue in question. A bit tells that cheaper than a look into a table.

/// A bit a chain.
#[derive(Default)]
pub(crate) struct ChainSet(Vec<u64>);

impl ChainSet {
    pub(crate) fn insert(&mut self, chain: u32) {
        let word = chain as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (chain % 64);
    }

    pub(crate) fn contains(&self, chain: u32) -> bool {
        self.0.get(chain as usize / 64).is_some_and(|word| word >> (chain % 64) & 1 != 0)
    }
}
