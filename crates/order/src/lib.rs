//! Happens-before: the rules, the models made of them, and the engines that close them.
//!
//! Nothing here can fail and nothing here does I/O. Given a trace and a [`RuleSet`], an engine
//! gives a relation that implements [`HappensBefore`]; the definition is [`Oracle`].

mod engine;
mod facts;
mod matrix;
mod model;
mod path;
mod rule;
mod rules;

pub use engine::oracle::Oracle;
pub use model::{
    ANDROID, ASYNCCLOCK, EVENT, EVENTRACER_ANDROID, MODELS, Model, RuleSet, THREADS, UnknownRule,
};
pub use path::{Explanation, Step};
pub use rule::Rule;

use engine::oracle::Closure;
use trace::{EventId, OpId};

/// A happens-before relation over one trace.
pub trait HappensBefore {
    /// a ≺ b. Irreflexive and transitive.
    fn before(&self, a: OpId, b: OpId) -> bool;

    /// t ≼ u for events t ≠ u: all of t happens before all of u. False for t = u.
    fn event_before(&self, t: EventId, u: EventId) -> bool;
}

impl HappensBefore for Oracle<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        match &self.closure {
            Closure::Operations { known, .. } => known.before(a, b),
            Closure::Events(events) => {
                events.orders((a, self.trace.event_of(a)), (b, self.trace.event_of(b)))
            }
        }
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        match &self.closure {
            Closure::Operations { known, .. } => {
                match (self.trace.event(t).end, self.trace.event(u).begin) {
                    (Some(end), Some(begin)) => known.before(end, begin),
                    _ => false,
                }
            }
            Closure::Events(events) => events.before(t, u),
        }
    }
}
