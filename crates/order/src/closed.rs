//! The order of a trace by whichever engine is asked for.

use droidracer::execution::Execution;
use droidracer::import::Origin;
use trace::{EventId, OpId, Trace};

use crate::model::RuleSet;
use crate::path::Explanation;
use crate::rule::Rule;
use crate::{Cursor, Graph, HappensBefore, Oracle};

/// How happens-before is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Clocks over the operations that order others.
    Graph,
    /// The definition.
    Oracle,
}

/// The order of a trace.
pub enum Order<'t> {
    /// By clocks.
    Graph(Graph<'t>),
    /// By definition.
    Oracle(Oracle<'t>),
}

impl<'t> Order<'t> {
    /// Closes `trace` under `rules`; by the log it was imported from, if DroidRacer's model can
    /// tell more by that.
    pub fn new(engine: Engine, trace: &'t Trace, log: Option<&Origin>, rules: &RuleSet) -> Self {
        match (engine, log) {
            (Engine::Graph, Some(log)) => Self::Graph(Graph::of_log(trace, log, rules)),
            (Engine::Graph, None) => Self::Graph(Graph::new(trace, rules)),
            (Engine::Oracle, Some(log)) => Self::Oracle(Oracle::of_log(trace, log, rules)),
            (Engine::Oracle, None) => Self::Oracle(Oracle::new(trace, rules)),
        }
    }

    /// How `a` and `b` relate, and why.
    pub fn explain(&self, a: OpId, b: OpId) -> Explanation {
        match self {
            Self::Graph(graph) => graph.explain(a, b),
            Self::Oracle(oracle) => oracle.explain(a, b),
        }
    }

    /// How often each rule told something new.
    pub fn counters(&self) -> &[(&'static Rule, usize)] {
        match self {
            Self::Graph(graph) => graph.counters(),
            Self::Oracle(oracle) => oracle.counters(),
        }
    }

    fn relation(&self) -> &dyn HappensBefore {
        match self {
            Self::Graph(graph) => graph,
            Self::Oracle(oracle) => oracle,
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

    fn lane(&self, op: OpId) -> Option<u32> {
        self.relation().lane(op)
    }

    fn cursor(&self) -> Option<Cursor<'_>> {
        self.relation().cursor()
    }

    fn droidracer(&self) -> Option<&Execution> {
        self.relation().droidracer()
    }
}
