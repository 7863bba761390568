//! The order of a trace, computed by the engine that the caller chooses.

use droidracer::execution::Execution;
use trace::{EventId, OpId, Trace};

use crate::engine::oracle::DetachedOracle;
use crate::graph::DetachedGraph;
use crate::path::Explanation;
use crate::rule::Rule;
use crate::{Cursor, Graph, HappensBefore, Oracle, Places, Steps};

/// The order of a trace. Copies share the closed relation.
#[derive(Clone)]
pub enum Order<'t> {
    /// The order computed by clocks.
    Graph(Graph<'t>),
    /// The order computed by definition.
    Oracle(Oracle<'t>),
}

impl Order<'_> {
    /// Returns DroidRacer's execution, if the model is that tool's.
    pub fn execution(&self) -> Option<&Execution> {
        match self {
            Self::Graph(graph) => graph.execution(),
            Self::Oracle(oracle) => oracle.execution(),
        }
    }

    /// Returns how `a` and `b` relate, and why.
    pub fn explain(&self, a: OpId, b: OpId) -> Explanation {
        match self {
            Self::Graph(graph) => graph.explain(a, b),
            Self::Oracle(oracle) => oracle.explain(a, b),
        }
    }

    /// Returns steps whose closure is the order, if engine `graph` computed it and [`Graph::steps`]
    /// returns them.
    pub fn steps(&self, most: usize) -> Option<Steps> {
        match self {
            Self::Graph(graph) => graph.steps(most),
            Self::Oracle(_) => None,
        }
    }

    /// Returns how many conclusions of each rule nothing before them implied.
    pub fn counters(&self) -> &[(&'static Rule, usize)] {
        match self {
            Self::Graph(graph) => graph.counters(),
            Self::Oracle(oracle) => oracle.counters(),
        }
    }

    /// Returns the order without its trace.
    pub fn detached(self) -> Relation {
        let (closed, operations) = match self {
            Self::Graph(graph) => (Detached::Graph(graph.clone().detached()), graph.trace.len()),
            Self::Oracle(oracle) => {
                (Detached::Oracle(oracle.clone().detached()), oracle.trace.len())
            }
        };
        Relation { closed, operations }
    }

    fn relation(&self) -> &dyn HappensBefore {
        match self {
            Self::Graph(graph) => graph,
            Self::Oracle(oracle) => oracle,
        }
    }
}

/// A closed order without its trace, so that one value can own both.
#[derive(Clone)]
pub struct Relation {
    closed: Detached,
    /// How many operations the trace has.
    operations: usize,
}

#[derive(Clone)]
enum Detached {
    Graph(DetachedGraph),
    Oracle(DetachedOracle),
}

impl Relation {
    /// Returns the order over a trace that equals the one it was detached from. Copies share the
    /// closed relation.
    pub fn over<'t>(&self, trace: &'t Trace) -> Order<'t> {
        assert_eq!(trace.len(), self.operations, "the order is of another trace");
        match self.closed.clone() {
            Detached::Graph(graph) => Order::Graph(graph.over(trace)),
            Detached::Oracle(oracle) => Order::Oracle(oracle.over(trace)),
        }
    }
}

impl HappensBefore for Order<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        self.relation().before(a, b)
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        self.relation().event_before(t, u)
    }

    fn chain(&self, op: OpId) -> Option<u32> {
        self.relation().chain(op)
    }

    fn cursor(&self) -> Option<Cursor<'_>> {
        self.relation().cursor()
    }

    fn places(&self) -> Option<Places<'_>> {
        self.relation().places()
    }
}
