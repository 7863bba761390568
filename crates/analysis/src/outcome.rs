//! What an analysis gives.

use std::collections::BTreeMap;

use codec::{Completeness, Format, Loaded, Origin};
use order::{Explanation, Graph, HappensBefore, Relation, RuleSet};
use races::Races;
use trace::{Diagnostic, Id, OpId, Trace};
use triage::Triage;

use crate::error::Error;
use crate::request::Engine;

/// How much an input holds, whether or not the trace kept of it holds it all.
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
    /// What a trace holds.
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

/// The races of one input, judged, with the trace they are of.
pub struct Analysis {
    /// The format the input was read from.
    pub format: Format,
    /// What the input holds.
    pub counts: Counts,
    /// The model with its switches.
    pub rules: RuleSet,
    /// How the races were found.
    pub engine: Engine,
    /// The races.
    pub races: Races,
    /// A verdict on each.
    pub triage: Triage,
    /// How many locations have a race, where more were found than races are listed.
    pub racy_locations: Option<usize>,
    /// Under [`crate::Compat::EventRacer`], how many locations stand at each of EventRacer's filter
    /// levels or above.
    pub levels: Option<BTreeMap<&'static str, usize>>,
    pub(crate) loaded: Loaded,
    pub(crate) order: Option<Relation>,
}

impl Analysis {
    /// The execution, or the part of it that its races need: then it is an
    /// [excerpt](Trace::is_excerpt), and its operations keep their numbers.
    pub fn trace(&self) -> &Trace {
        &self.loaded.trace
    }

    /// What was odd about the input.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.loaded.diagnostics
    }

    /// How much of the input was read.
    pub fn completeness(&self) -> &Completeness {
        &self.loaded.completeness
    }

    /// The log of another tool that the trace was imported from.
    pub fn origin(&self) -> Option<&Origin> {
        self.loaded.origin.as_ref()
    }

    /// Happens-before over the trace. Engine `stream` keeps none.
    pub fn order(&self) -> Option<impl HappensBefore> {
        self.order.as_ref().map(|order| order.over(self.trace()))
    }

    /// The operation of the trace that has a number.
    pub fn operation(&self, number: u32) -> Option<OpId> {
        let trace = self.trace();
        let (mut low, mut high) = (0, trace.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if trace.number(OpId::new(middle)) < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = (low < trace.len()).then(|| OpId::new(low));
        found.filter(|&op| trace.number(op) == number)
    }

    /// How two operations, by number, are ordered, and why. The explanation names operations of
    /// [`Self::trace`], whose numbers [`Trace::number`] gives. Fails where no order was kept, or not
    /// one of the operations: an excerpt holds the accesses of racy locations only. Closes the order of
    /// an excerpt again, for what was closed over its skeleton has no paths through the excerpt.
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
