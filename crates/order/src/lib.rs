//! Happens-before: the rules, the models made of them, and the engines that close them.
//!
//! Nothing here can fail and nothing here does I/O. Given a trace and a [`RuleSet`], an engine
//! computes a relation that implements [`HappensBefore`]. [`Oracle`] is the definition, and [`Graph`]
//! the engine for traces of any length.
//!
//! # Example
//!
//! The main thread writes a list, starts a worker, and writes the list again. The worker's read comes
//! after the first write, because a fork is before everything its thread does. Nothing orders it with
//! the second write: that is a race.
//!
//! ```
//! use order::{ANDROID, Explanation, Graph, HappensBefore};
//! use trace::{Attributes, Op, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new();
//! let main = builder.names().threads.intern(b"main");
//! let worker = builder.names().threads.intern(b"worker");
//! let list = builder.names().locations.intern(b"list");
//! let mut push = |thread, op| builder.push(thread, op, Attributes::default());
//! let first = push(main, Op::Write(list));
//! push(main, Op::Fork(worker));
//! push(worker, Op::Init);
//! let second = push(main, Op::Write(list));
//! let read = push(worker, Op::Read(list));
//! let (trace, _) = builder.finish();
//!
//! let order = Graph::new(&trace, &ANDROID.default_rules());
//! assert!(order.before(first, read));
//! assert!(order.unordered(second, read));
//!
//! // Why? Each step of the path names the rule that orders its two operations.
//! let Explanation::Before(steps) = order.explain(first, read) else { unreachable!() };
//! let rules: Vec<&str> = steps.iter().map(|step| step.rule.name).collect();
//! assert_eq!(rules, ["THREAD-OP", "THREAD-FORK", "THREAD-OP"]);
//!
//! // A model is a set of rules, and each of them can be switched off.
//! let mut rules = ANDROID.default_rules();
//! rules.switch("THREAD-FORK", false)?;
//! assert!(Graph::new(&trace, &rules).unordered(first, read));
//! # Ok::<(), order::UnknownRule>(())
//! ```

mod ancestors;
mod closed;
mod cursor;
mod engine;
mod facts;
mod graph;
mod matrix;
mod misses;
mod model;
mod path;
mod places;
mod rule;
mod rules;
mod steps;
mod tasks;
mod timeline;

pub use closed::{Order, Relation};
pub use cursor::{Cursor, GraphView, Moment};
pub use engine::droidracer::rules as droidracer_rules;
pub use engine::oracle::Oracle;
pub use engine::stream::{Dropped, KeptId, NotStreamable, Now, Point, Row, Settled, Stream, Word};
pub use graph::{Graph, GraphStats};
pub use misses::{Miss, MissIndex, Premise, misses, nearest};
pub use model::{
    ANDROID, ASYNCCLOCK, Closure, DROIDRACER, EVENT, EVENTRACER_ANDROID, Events, MODELS, Model,
    RuleSet, THREADS, UnknownRule, WEB,
};
pub use path::{Explanation, Step};
pub use places::Places;
pub use rule::Rule;
pub use rules::causes::Causes;
pub use steps::Steps;
pub use tasks::Tasks;
pub use timeline::{Node, Timeline, View};

use engine::oracle::Closure as Closed;
use trace::{EventId, OpId};

/// A happens-before relation over one trace.
pub trait HappensBefore: Sync {
    /// Returns whether a ≺ b. The relation is irreflexive, transitive, and a part of the order of the
    /// trace; under DroidRacer's model only as far as that model is.
    fn before(&self, a: OpId, b: OpId) -> bool;

    /// Returns whether neither a ≺ b nor b ≺ a.
    fn unordered(&self, a: OpId, b: OpId) -> bool {
        !self.before(a, b) && !self.before(b, a)
    }

    /// Returns whether t ≼ u for events t ≠ u: all of t happens before all of u. False for t = u.
    fn event_before(&self, t: EventId, u: EventId) -> bool;

    /// Returns a number that operations share only if happens-before orders them as the trace does.
    /// Returns none where the engine knows no such number.
    fn chain(&self, _op: OpId) -> Option<u32> {
        None
    }

    /// Starts a pass over the trace. Returns none if some operations belong to no task.
    fn cursor(&self) -> Option<Cursor<'_>> {
        None
    }

    /// Returns the places of whole events on chains, if the engine has clocks.
    fn places(&self) -> Option<Places<'_>> {
        None
    }
}

impl HappensBefore for Oracle<'_> {
    fn before(&self, a: OpId, b: OpId) -> bool {
        match &*self.closure {
            Closed::Operations { known, .. } => known.before(a, b),
            Closed::Events(events) => {
                events.orders((a, self.trace.event_of(a)), (b, self.trace.event_of(b)))
            }
            Closed::DroidRacer(execution) => execution.before(a, b),
        }
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        match &*self.closure {
            Closed::Events(events) => events.before(t, u),
            Closed::Operations { .. } | Closed::DroidRacer(_) => {
                match (self.trace.event(t).end, self.trace.event(u).begin) {
                    (Some(end), Some(begin)) => self.before(end, begin),
                    _ => false,
                }
            }
        }
    }
}
