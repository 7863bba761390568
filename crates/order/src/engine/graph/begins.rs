//! Which events of one looper began, by chain: the evidence for atomicity.

use hashbrown::HashMap;

use trace::EventId;

use super::chain_set::ChainSet;

/// The events of one looper by the chain their begins stand on, by position.
#[derive(Default)]
pub(crate) struct Begins {
    of_chain: HashMap<u32, Vec<(u32, EventId)>>,
    /// The chains with any.
    pub(crate) chains: ChainSet,
}

impl Begins {
    pub(crate) fn push(&mut self, chain: u32, position: u32, event: EventId) {
        self.chains.insert(chain);
        self.of_chain.entry(chain).or_default().push((position, event));
    }

    /// The events on `chain` that began up to a position, the latest first.
    pub(crate) fn upto(&self, chain: u32, position: u32) -> impl Iterator<Item = EventId> + '_ {
        let begins = self.of_chain.get(&chain).map_or(&[][..], Vec::as_slice);
        let upto = begins.partition_point(|&(p, _)| p <= position);
        begins[..upto].iter().rev().map(|&(_, event)| event)
    }
}
