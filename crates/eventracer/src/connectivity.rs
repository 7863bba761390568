//! Happens-before between ops, by the paper's four algorithms.
//!
//! Table 3 of the paper compares breadth-first search, vector clocks, bit vectors, and vector
//! clocks over a chain decomposition. The first three answer exact reachability over the arcs that
//! point forward, from smaller to larger op. A backward arc, which only the timer rule or a broken
//! log makes, orders nothing. The fourth reproduces the original tool literally, which with
//! backward arcs claims order that does not exist. It is the default, because it reproduces the
//! tool's results.

mod bfs;
mod bit_vectors;
mod decomposition;
mod vector_clocks;

pub use bfs::BreadthFirst;
pub use bit_vectors::BitVectors;
pub use decomposition::ChainDecomposition;
pub use vector_clocks::VectorClocks;

use crate::graph::Graph;
use crate::ids::OpId;

/// A reflexive happens-before order over ops.
pub trait Order {
    /// Whether `a` is `b` or happens before it.
    fn le(&self, a: OpId, b: OpId) -> bool;

    /// The memory that the order takes, in bytes.
    fn bytes(&self) -> usize;
}

/// An algorithm for happens-before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connectivity {
    /// A search for each query: no memory, slow queries.
    BreadthFirst,
    /// For each op, a clock with one integer for each op: quadratic memory.
    VectorClocks,
    /// For each op, a clock with one bit for each op.
    BitVectors,
    /// The original's chains and clocks, including their flaws.
    #[default]
    ChainDecomposition,
}

impl Connectivity {
    /// Every algorithm.
    pub const ALL: [Self; 4] =
        [Self::BreadthFirst, Self::VectorClocks, Self::BitVectors, Self::ChainDecomposition];

    /// The name used in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "bfs",
            Self::VectorClocks => "vector-clocks",
            Self::BitVectors => "bit-vectors",
            Self::ChainDecomposition => "chain-decomposition",
        }
    }

    /// The order of a graph by this algorithm.
    pub fn order(self, graph: &Graph) -> Box<dyn Order> {
        match self {
            Self::BreadthFirst => Box::new(BreadthFirst::new(graph)),
            Self::VectorClocks => Box::new(VectorClocks::new(graph)),
            Self::BitVectors => Box::new(BitVectors::new(graph)),
            Self::ChainDecomposition => Box::new(ChainDecomposition::new(graph)),
        }
    }
}

/// The predecessors of a live op whose arcs point forward.
fn forward_predecessors(graph: &Graph, op: OpId) -> impl Iterator<Item = OpId> {
    graph.predecessors(op).filter(move |&predecessor| predecessor < op)
}
