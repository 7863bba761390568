//! Race coverage (EventRacer, Definitions 3.1 and 3.2).
//!
//! Races S₁ … Sₙ, Sᵢ = (cᵢ, dᵢ), cover R = (a, b) when ev(a) ≼ ev(c₁), ev(dᵢ) ≼ ev(cᵢ₊₁), and dₙ
//! happens before b: in the same event and earlier in the trace, or in an event before ev(b).
//! Treating the Sᵢ as synchronisation, R is no race. Only races between events of one dispatcher
//! take part, as covering and as covered; a predicate says which locations may synchronise, that
//! is, whose races may cover others (EventRacer Android, §7.3.1).
//!
//! Where the events that race run one after the other, [`sequence`] covers them in near-linear
//! time ([`cover()`]); where some overlap, as on several threads, [`definition`] does.

mod chains;
mod clocks;
mod definition;
mod sequence;
mod sweep;

pub use chains::Chains;
pub use clocks::ChainClocks;
use order::HappensBefore;
use sequence::Sequence;
pub use sweep::{Candidate, Coverage, Covered, cover};
use trace::{EventId, OpId, Trace};

use crate::RaceId;

/// A dense id of 32 bits.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with value `index`, which must fit 32 bits.
            pub fn new(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok(), "id out of range: {index}");
                Self(index as u32)
            }

            /// The value, for indexing.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An event among those that race, by its place in the order in which they run.
    NodeId
}
id! {
    /// A [`Candidate`], by its place in the list that is covered.
    CandidateId
}

/// A race that takes part in coverage.
#[derive(Clone, Copy)]
pub(crate) struct EventRace {
    pub(crate) id: RaceId,
    pub(crate) first_event: EventId,
    pub(crate) second: OpId,
    pub(crate) second_event: EventId,
    /// Whether it may cover others.
    pub(crate) may_cover: bool,
}

/// For each race, in the order given, the chain that covers it; empty when none does. A chain is
/// one of least length, and among those the one with the smallest ids.
///
/// `races` are in the order of their ids, which is the order of their second operations.
pub(crate) fn chains(
    trace: &Trace,
    order: &dyn HappensBefore,
    races: &[EventRace],
) -> Vec<Vec<RaceId>> {
    debug_assert!(races.is_sorted_by_key(|r| (r.second, r.id)));
    debug_assert!(races.iter().all(|r| trace.event_of(r.second) == Some(r.second_event)));
    let sequence = Sequence::of(trace, races);
    let covered = sequence.and_then(|sequence| sequence.cover(order, races));
    covered.unwrap_or_else(|| definition::cover(order, races))
}
