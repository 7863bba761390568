//! Happens-before: the rules, the models made of them, and the engines that close them.
//!
//! Nothing here can fail and nothing here does I/O. Given a trace and a [`RuleSet`], an engine
//! gives a relation that implements [`HappensBefore`]; the definition is [`Oracle`].

mod closed;
mod cursor;
mod engine;
mod facts;
mod graph;
mod matrix;
mod model;
mod path;
mod rule;
mod rules;
mod tasks;

pub use closed::{Engine, Order};
pub use cursor::{Cursor, Moment};
pub use engine::droidracer::rules as droidracer_rules;
pub use engine::oracle::Oracle;
pub use graph::{Graph, GraphStats};
pub use model::{
    ANDROID, ASYNCCLOCK, Closure, DROIDRACER, EVENT, EVENTRACER_ANDROID, MODELS, Model, RuleSet,
    THREADS, UnknownRule, WEB,
};
pub use path::{Explanation, Step};
pub use rule::Rule;
pub use tasks::Tasks;

use droidracer::execution::Execution;
use engine::oracle::Closure as Closed;
use trace::{EventId, OpId};

/// A happens-before relation over one trace.
pub trait HappensBefore: Sync {
    /// a ≺ b. Irreflexive, and within the order of the trace, and transitive; under DroidRacer's
    /// model only as far as that model is.
    fn before(&self, a: OpId, b: OpId) -> bool;

    /// Neither a ≺ b nor b ≺ a.
    fn unordered(&self, a: OpId, b: OpId) -> bool {
        !self.before(a, b) && !self.before(b, a)
    }

    /// t ≼ u for events t ≠ u: all of t happens before all of u. False for t = u.
    fn event_before(&self, t: EventId, u: EventId) -> bool;

    /// A number that operations share only if happens-before orders them as the trace does; none
    /// where nothing of the kind is known.
    fn lane(&self, _op: OpId) -> Option<u32> {
        None
    }

    /// A reader's view of the order, where it is made of tasks: at the start of the trace.
    fn cursor(&self) -> Option<Cursor<'_>> {
        None
    }

    /// The execution as DroidRacer sees it, if the order is that tool's.
    fn droidracer(&self) -> Option<&Execution> {
        None
    }
}

impl HappensBefore for Oracle<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        match &self.closure {
            Closed::Operations { known, .. } => known.before(a, b),
            Closed::Events(events) => {
                events.orders((a, self.trace.event_of(a)), (b, self.trace.event_of(b)))
            }
            Closed::DroidRacer(execution) => execution.before(a, b),
        }
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        match &self.closure {
            Closed::Events(events) => events.before(t, u),
            Closed::Operations { .. } | Closed::DroidRacer(_) => {
                match (self.trace.event(t).end, self.trace.event(u).begin) {
                    (Some(end), Some(begin)) => self.before(end, begin),
                    _ => false,
                }
            }
        }
    }

    fn droidracer(&self) -> Option<&Execution> {
        match &self.closure {
            Closed::DroidRacer(execution) => Some(execution),
            _ => None,
        }
    }
}
