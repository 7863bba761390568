//! Robustness of event-driven programs against concurrency (Bouajjani, Emmi, Enea, Ozkan,
//! Tasiran, ESOP 2017).

pub mod core;
pub mod explore;
pub mod lang;
pub mod reach;
pub mod reduce;
pub mod semantics;
pub mod witness;

/// A correctness criterion of the paper's Section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Conflict-determinism, Definition 5.
    Determinism,
    /// Conflict-event serializability, Definition 4.
    Serializability,
}
