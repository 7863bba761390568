//! The result of an analysis.

use std::collections::BTreeMap;

use codec::{Completeness, Format, Loaded, Origin};
use order::{Explanation, Graph, HappensBefore, Order, Relation, RuleSet};
use races::Races;
use trace::{Diagnostic, EventId, OpId, Trace};
use triage::Triage;

use crate::error::Error;
use crate::request::Engine;
use crate::stream::excerpt::ExcerptOrder;

/// The size of an input, whether or not the trace that is kept contains all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "counts that say what they count")]
pub struct Counts {
    pub operations: usize,
    pub events: usize,
    pub threads: usize,
    pub locations: usize,
    pub accesses: usize,
}

impl Counts {
    /// Returns the counts of a trace that contains the whole input.
    pub(crate) fn of(trace: &Trace) -> Self {
        Self {
            operations: trace.len(),
            events: trace.events().filter(|(_, e)| e.begin.is_some()).count(),
            threads: trace.names().threads.len(),
            locations: trace.names().locations.len(),
            accesses: trace.accesses(),
        }
    }
}

/// The races of one input with their verdicts, and the trace to which they refer.
pub struct Analysis {
    /// The format from which the input was read.
    pub format: Format,
    /// The size of the input.
    pub counts: Counts,
    /// The model with its switches.
    pub rules: RuleSet,
    /// The engine that found the races.
    pub engine: Engine,
    /// The races.
    pub races: Races,
    /// The verdicts on the races.
    pub triage: Triage,
    /// The number of locations with a race, if more races were found than are listed.
    pub racy_locations: Option<usize>,
    /// Under [`crate::Compat::EventRacer`], the number of locations at each of EventRacer's filter
    /// levels or above.
    pub levels: Option<BTreeMap<&'static str, usize>>,
    pub(crate) loaded: Loaded,
    pub(crate) order: Option<Relation>,
    /// The order of the accesses and events of an excerpt that engine `stream` made.
    pub(crate) shown: Option<ExcerptOrder>,
}

impl Analysis {
    /// Returns the trace: the whole execution, or the part that its races need. A part is an
    /// [excerpt](Trace::is_excerpt), and its operations keep their numbers.
    pub fn trace(&self) -> &Trace {
        &self.loaded.trace
    }

    /// Returns the diagnostics for anomalies of the input.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.loaded.diagnostics
    }

    /// Returns how much of the input was read.
    pub fn completeness(&self) -> &Completeness {
        &self.loaded.completeness
    }

    /// Returns the log of another tool from which the trace was imported, if there is one.
    pub fn origin(&self) -> Option<&Origin> {
        self.loaded.origin.as_ref()
    }

    /// Returns happens-before over the trace. Engine `stream` keeps none.
    pub fn order(&self) -> Option<Order<'_>> {
        self.order.as_ref().map(|order| order.over(self.trace()))
    }

    /// Returns the order of what the races show, their accesses and the events around them. Engine `stream`
    /// keeps no more than that, and in model `threads` nothing.
    pub fn shown_order(&self) -> Option<Box<dyn HappensBefore + '_>> {
        match &self.shown {
            Some(shown) => Some(Box::new(Shown(shown))),
            None => Some(Box::new(self.order()?)),
        }
    }

    /// Returns what was read of the input, without the results of the analysis.
    pub fn into_loaded(self) -> Loaded {
        self.loaded
    }

    /// Returns the operation of the trace with this number.
    pub fn operation(&self, number: u32) -> Option<OpId> {
        self.trace().numbered(number)
    }

    /// Explains how two operations, given by number, are ordered and why. The explanation names
    /// operations of [`Self::trace`], whose numbers [`Trace::number`] returns. Fails if no order
    /// was kept, or if one of the operations was not kept: an excerpt contains only the accesses of
    /// racy locations. The order of an excerpt is closed again, because the order over its skeleton
    /// has no paths through the excerpt.
    pub fn explain(&self, a: u32, b: u32) -> Result<Explanation, Error> {
        let order = self.order.as_ref().ok_or(Error::NoOrder)?;
        let operation = |number| self.operation(number).ok_or(Error::NoOperation(number));
        let (a, b, trace) = (operation(a)?, operation(b)?, self.trace());
        if trace.is_excerpt() {
            return Ok(Graph::new(trace, &self.rules).explain(a, b));
        }
        Ok(order.over(trace).explain(a, b))
    }
}

/// The order of an excerpt, borrowed.
struct Shown<'a>(&'a ExcerptOrder);

impl HappensBefore for Shown<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        self.0.before(a, b)
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        self.0.event_before(t, u)
    }
}
