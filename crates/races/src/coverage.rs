//! Race coverage (EventRacer, Definitions 3.1 and 3.2).
//!
//! Races S₁ … Sₙ, Sᵢ = (cᵢ, dᵢ), cover R = (a, b) when ev(a) ≼ ev(c₁), ev(dᵢ) ≼ ev(cᵢ₊₁), and dₙ
//! happens before b: in the same event and earlier in the trace, or in an event before ev(b). If
//! the Sᵢ are treated as synchronisation, R is no race. Only races between events of one dispatcher
//! cover others or are covered. A predicate decides which locations may synchronise, that is, whose
//! races may cover others (EventRacer Android, §7.3.1).
//!
//! If no race leads to an event that began before the race's first event, `sequence` computes the
//! coverage in near-linear time ([`cover()`]). Otherwise, as where events nest, `definition` does.

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

/// Defines a dense 32-bit id type.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Returns the id with value `index`, which must fit into 32 bits.
            pub fn new(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok(), "id out of range: {index}");
                Self(index as u32)
            }

            /// Returns the value of the id, for indexing.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An event with a race: its position among those events in the order in which they begin.
    NodeId
}
id! {
    /// A [`Candidate`]: its index in the list of candidates.
    CandidateId
}

/// A race that takes part in coverage.
#[derive(Clone, Copy)]
pub(crate) struct EventRace {
    pub(crate) id: RaceId,
    pub(crate) first_event: EventId,
    pub(crate) second: OpId,
    pub(crate) second_event: EventId,
    /// Whether this race may cover others.
    pub(crate) may_cover: bool,
}

/// Returns, for each race in the order given, the chain of races that covers it, or an empty chain.
/// Of all covering chains it is a shortest one, and of these the one with the smallest ids.
///
/// `races` must be in the order of their ids, which is the order of their second operations.
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
