//! What a happens-before rule is.

use trace::{EventId, OpId, Trace};

use crate::engine::events::EventClosure;
use crate::engine::graph::{EventMechanism, Mechanism};
use crate::engine::oracle::Known;
use crate::facts::Facts;
use crate::misses::{Found, Pair};
use crate::model::RuleSet;

/// One happens-before rule, or one refinement of others that can be switched on its own.
///
/// Everything about a rule stands together: its name, where it comes from, the rule in logic, its
/// page (documentation and test at once), and the code that derives its conclusions.
pub struct Rule {
    /// The name used on the command line and in paths.
    pub name: &'static str,
    /// The paper, figure or observation it comes from.
    pub reference: &'static str,
    /// Premises and conclusion. Every rule also presumes that α precedes β in the trace.
    pub logic: &'static str,
    /// Whether the rule was derived from observing the system rather than from its contract.
    pub speculative: bool,
    /// The rule's documentation, which is also its test.
    pub page: &'static str,
    /// Checks the premises of the rule around two unordered operations.
    pub(crate) misses: fn(&Pair<'_>) -> Found,
    pub(crate) derive: Derive,
}

/// How a rule's conclusions are derived, by the definition and by engine `graph`.
pub(crate) enum Derive {
    /// Orders operations: by the definition, which the oracle applies, and by the mechanisms that
    /// compute the same in engine `graph`.
    Operations(fn(&Premises<'_>, &mut Conclusions), &'static [Mechanism]),
    /// Orders whole events (models `event`, `web`) by the trace alone. Both engines take the
    /// conclusions as edges, so a rule must not conclude many more than there are operations.
    Events(fn(&Facts<'_>, &mut EventConclusions)),
    /// Orders whole events by what is known to precede what: by the definition, which the oracle
    /// applies, and by the mechanism that computes the same in engine `graph`.
    EventsInOrder(fn(&EventPremises<'_>, &mut EventConclusions), EventMechanism),
    /// Orders the operations of each event, in a model that orders whole events.
    WithinEvents,
    /// Changes what other rules conclude. Their definitions ask whether it is on, and so does the
    /// mechanism.
    Refinement(Mechanism),
    /// Adds edges to DroidRacer's graph. The code is in the crate of that tool.
    DroidRacer(droidracer::rules::Rule),
}

impl Rule {
    /// Whether the rule's premises mention operations that only DroidRacer's own logs contain.
    pub fn needs_log(&self) -> bool {
        use droidracer::rules::Rule as Tool;
        matches!(
            self.derive,
            Derive::DroidRacer(
                Tool::EnableFocus
                    | Tool::EnableLifecycle
                    | Tool::ActivityOrder
                    | Tool::Service
                    | Tool::Broadcast
                    | Tool::BroadcastOrder
                    | Tool::Idle
            )
        )
    }

    /// Whether the rule orders nothing itself, but changes what other rules conclude.
    pub fn is_refinement(&self) -> bool {
        matches!(self.derive, Derive::Refinement(_))
    }

    /// The mechanisms by which engine `graph` orders operations as the rule does.
    pub(crate) fn mechanisms(&self) -> &[Mechanism] {
        match &self.derive {
            Derive::Operations(_, mechanisms) => mechanisms,
            Derive::Refinement(mechanism) => std::slice::from_ref(mechanism),
            Derive::Events(_)
            | Derive::EventsInOrder(..)
            | Derive::WithinEvents
            | Derive::DroidRacer(_) => &[],
        }
    }

    /// Whether two successive conclusions of the rule imply a third by the same rule.
    pub fn is_program_order(&self) -> bool {
        match self.derive {
            Derive::DroidRacer(rule) => rule == droidracer::rules::Rule::ProgramOrder,
            Derive::WithinEvents => true,
            _ => self.mechanisms().iter().any(|mechanism| mechanism.is_program_order()),
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The premises of a rule: the trace, the order known so far, and which rules are on.
pub(crate) struct Premises<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) known: &'a Known,
    pub(crate) rules: &'a RuleSet,
}

impl Premises<'_> {
    /// Whether α ≺ β is known so far.
    pub(crate) fn before(&self, a: OpId, b: OpId) -> bool {
        self.known.before(a, b)
    }
}

/// Conclusions α ≺ β of one rule.
#[derive(Default)]
pub(crate) struct Conclusions {
    pub(crate) edges: Vec<(OpId, OpId)>,
}

impl Conclusions {
    /// Concludes α ≺ β, if the implicit premise α < β holds.
    pub(crate) fn order(&mut self, a: OpId, b: OpId) {
        if a < b {
            self.edges.push((a, b));
        }
    }

    /// Concludes α ≺ β where α is the end of an event that may be missing.
    pub(crate) fn order_end(&mut self, end: Option<OpId>, b: OpId) {
        if let Some(end) = end {
            self.order(end, b);
        }
    }

    /// Orders the operations of a sequence one after the other.
    pub(crate) fn chain(&mut self, ops: &[OpId]) {
        for pair in ops.windows(2) {
            self.order(pair[0], pair[1]);
        }
    }
}

/// The premises of a rule that orders whole events: the trace, and the order known so far.
pub(crate) struct EventPremises<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) known: &'a EventClosure,
    pub(crate) rules: &'a RuleSet,
}

impl EventPremises<'_> {
    /// Whether α ≺ β is known so far.
    pub(crate) fn before(&self, a: OpId, b: OpId) -> bool {
        let trace = self.facts.trace;
        self.known.orders((a, trace.event_of(a)), (b, trace.event_of(b)))
    }
}

/// Conclusions t ≼ u of one rule of an event-level model.
#[derive(Default)]
pub(crate) struct EventConclusions {
    pub(crate) edges: Vec<(EventId, EventId)>,
}

impl EventConclusions {
    /// Concludes t ≼ u, if t has ended when u begins.
    pub(crate) fn order(&mut self, trace: &Trace, t: EventId, u: EventId) {
        if let (Some(end), Some(begin)) = (trace.event(t).end, trace.event(u).begin)
            && end < begin
        {
            self.edges.push((t, u));
        }
    }
}
