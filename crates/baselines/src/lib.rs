//! The published algorithms for happens-before, as baselines for `order::Graph`. No product crate
//! depends on this one.
//!
//! All but the last close the default rules of model `android` over the operations that can order others
//! ([`Skeleton`]). All give the same answers as `order::Graph`, and share no code with it.
//!
//! - [`Algorithm1`]: EventRacer Android (OOPSLA'15), §6. Its two accelerations can be switched.
//! - [`Sweeps`]: sweeps over the trace up to the fixpoint. Every premise is looked up in bit
//!   vectors, in plain vector clocks with an entry for each chain, or by breadth-first search.
//! - [`Sweeps::graph`] returns the closed graph for EventRacer's own connectivity algorithms.
//! - [`asyncclock`]: AsyncClock (ASPLOS'17), for the rules of model `asyncclock`, in one pass.

mod algorithm1;
pub mod asyncclock;
mod base;
mod clocks;
mod relation;
mod rules;
mod skeleton;
mod sweeps;

pub use algorithm1::{Algorithm1, Options};
pub use clocks::Clocks;
pub use relation::{BitVectors, BreadthFirst, Relation};
pub use skeleton::{Node, Skeleton};
pub use sweeps::Sweeps;
