//! Which events of one looper began, by chain: the evidence for atomicity.

use hashbrown::HashMap;

use trace::EventId;

use crate::engine::graph::clock::ChainSet;
use crate::engine::graph::clock::{Clock, Clocks};

/// The events of one looper by the chain their begins stand on, by position.
#[derive(Default)]
pub(crate) struct BeginLog {
    of_chain: HashMap<u32, Vec<(u32, EventId)>>,
    /// The chains on which events began.
    chains: ChainSet,
}

impl BeginLog {
    pub(crate) fn push(&mut self, chain: u32, position: u32, event: EventId) {
        self.chains.insert(chain);
        self.of_chain.entry(chain).or_default().push((position, event));
    }

    /// Calls `each` with what began on each chain of which `upto` knows more than `known`, as far as
    /// `upto` knows it, by position.
    pub(crate) fn gained(
        &self,
        clocks: &Clocks,
        (known, upto): (Clock, Clock),
        each: &mut impl FnMut(&[(u32, EventId)]),
    ) {
        clocks.gained_among([&self.chains], known, upto, &mut |chain, _, position| {
            let begins = &self.of_chain[&chain];
            each(&begins[..begins.partition_point(|&(p, _)| p <= position)]);
        });
    }
}
