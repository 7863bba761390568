//! The published ways to compute happens-before, to measure ours against; no product crate depends
//! on this one.
//!
//! All of them close the default rules of model `android` over the operations that can order others
//! ([`Skeleton`]), and answer the same as `order::Graph`; they share no code with it.
//!
//! - [`Algorithm1`]: EventRacer Android (OOPSLA'15), §6, with its two accelerations to be switched.
//! - [`Sweeps`]: sweeps over the trace to the fixpoint, every premise looked up, over bit vectors,
//!   plain vector clocks with an entry a chain, or breadth-first search at each query.
//! - [`Sweeps::graph`] gives the closed graph to EventRacer's own connectivity algorithms.

mod algorithm1;
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
