//! Misses: the rules that might have ordered two operations, each with a premise that fails.
//!
//! For two unordered operations, every rule looks for its own operations around them: a `notify` on
//! the thread of the first and a `wait` on that of the second, the posts of both events, and so on.
//! Where it finds some, it checks its premises one by one. The first premise that fails is the miss.
//! Some premises are not checked but inferred: if all others hold and nothing orders the two
//! operations, then the one that is left cannot hold.
//!
//! A rule looks at a bounded number of synchronising operations before and after each of the two, so
//! a miss is a hint for people and never decides anything. A [`MissIndex`] of the trace tells where
//! those are, so a question takes no pass over the trace.

mod around;
mod events;
mod links;
mod posts;

use trace::{EventId, OpId, Trace};

pub(crate) use around::Around;
pub use around::MissIndex;
pub(crate) use events::Stated;

use crate::HappensBefore;
use crate::model::RuleSet;
use crate::rule::Rule;

/// A rule that might have ordered two operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// The rule.
    pub rule: &'static Rule,
    /// The first of its premises that fails.
    pub premise: Premise,
    /// How many of its premises fail. The fewer, the nearer.
    pub failing: usize,
}

/// A premise of a rule that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Premise {
    /// The first operation does not happen before the second, or is not the same.
    Before(OpId, OpId),
    /// The statement is false. It is about the two operations, if they are given.
    Holds(&'static str, Option<(OpId, OpId)>),
}

/// The premises of one application of a rule, as far as they were checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checks {
    first: Option<Premise>,
    failing: usize,
}

/// What a rule finds around two operations; none if it has nothing to do with them.
pub(crate) type Found = Option<Checks>;

impl Checks {
    /// Notes a statement, and whether it is true.
    pub(crate) fn need(self, holds: bool, statement: &'static str) -> Self {
        self.note(holds, Premise::Holds(statement, None))
    }

    /// Notes a statement about two operations.
    pub(crate) fn need_of(self, holds: bool, statement: &'static str, of: (OpId, OpId)) -> Self {
        self.note(holds, Premise::Holds(statement, Some(of)))
    }

    fn note(mut self, holds: bool, premise: Premise) -> Self {
        if !holds {
            self.first.get_or_insert(premise);
            self.failing += 1;
        }
        self
    }

    /// Notes a premise that was not checked: it fails if no other one does.
    pub(crate) fn otherwise(self, statement: &'static str) -> Self {
        self.need(self.failing > 0, statement)
    }

    /// Says that the rule is far from applying, although few of its premises are stated.
    pub(crate) fn far(mut self) -> Self {
        self.failing += 1;
        self
    }
}

/// Two unordered operations, of which the first comes first in the trace.
pub(crate) struct Pair<'a> {
    pub(crate) order: &'a dyn HappensBefore,
    pub(crate) trace: &'a Trace,
    pub(crate) rules: &'a RuleSet,
    pub(crate) a: OpId,
    pub(crate) b: OpId,
    /// The events of the two operations.
    pub(crate) t: Option<EventId>,
    pub(crate) u: Option<EventId>,
    pub(crate) index: &'a MissIndex,
    pub(crate) around: Around<'a>,
}

/// Returns the rules of the model that might have ordered `a` and `b`, the nearest first. Empty if
/// they are ordered. The index is of the trace.
pub fn misses(
    order: &dyn HappensBefore,
    (trace, index): (&Trace, &MissIndex),
    rules: &RuleSet,
    a: OpId,
    b: OpId,
) -> Vec<Miss> {
    if a == b || !order.unordered(a, b) {
        return Vec::new();
    }
    let (a, b) = (a.min(b), a.max(b));
    let (t, u) = (trace.event_of(a), trace.event_of(b));
    let around = Around::new(index, trace, a, b);
    let pair = Pair { order, trace, rules, a, b, t, u, index, around };
    let mut found = Vec::new();
    for &(rule, _) in rules.model().rules {
        let Some(checks) = (rule.misses)(&pair) else { continue };
        let is_on = rules.contains(rule);
        let checks = checks.need(is_on, "the rule were on");
        // A rule that is off is worth mentioning only if nothing else is missing.
        if let Some(premise) = checks.first
            && (is_on || checks.failing == 1)
        {
            found.push(Miss { rule, premise, failing: checks.failing });
        }
    }
    found.sort_by_key(|miss| miss.failing);
    found
}

/// Returns the misses with the fewest failing premises, at most `most`.
pub fn nearest(misses: &[Miss], most: usize) -> &[Miss] {
    let near = misses.iter().take_while(|miss| miss.failing == misses[0].failing).count();
    &misses[..near.min(most)]
}

impl Pair<'_> {
    /// Notes that `x` must happen before `y` or be the same operation.
    pub(crate) fn ordered(&self, checks: Checks, x: OpId, y: OpId) -> Checks {
        checks.note(x == y || self.order.before(x, y), Premise::Before(x, y))
    }

    pub(crate) fn on_one_thread(&self) -> bool {
        self.trace.thread_of(self.a) == self.trace.thread_of(self.b)
    }

    /// The two events, if the operations are in different events.
    pub(crate) fn events(&self) -> Option<(EventId, EventId)> {
        self.t.zip(self.u).filter(|(t, u)| t != u)
    }

    /// Whether one event had ended when the other began.
    pub(crate) fn one_after_the_other(&self) -> bool {
        self.events().is_some_and(|(t, u)| {
            let (end, begin) = (self.trace.event(t).end, self.trace.event(u).begin);
            end.is_some_and(|end| Some(end) < begin)
        })
    }

    /// The events that start the tasks of the two events.
    pub(crate) fn tasks(&self) -> Option<(EventId, EventId)> {
        let (t, u) = self.events()?;
        let tasks = self.index.tasks();
        Some((tasks.head(t), tasks.head(u)))
    }
}

/// A refinement orders nothing itself, so it is never missing.
pub(crate) fn never(_: &Pair<'_>) -> Found {
    None
}
