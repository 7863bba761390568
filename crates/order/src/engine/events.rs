//! Closing a model that orders whole events (model `event`).
//!
//! t ≼ u is the reflexive-transitive closure of the rules' conclusions over events. Every
//! conclusion leads to an event that begins later, so one sweep in the order of begins closes them.

use trace::{EventId, Id, OpId};

use crate::facts::Facts;
use crate::matrix::Matrix;
use crate::model::RuleSet;
use crate::rule::{Derive, EventConclusions, Rule};
use crate::rules;

/// t ≼ u by one rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventEdge {
    pub(crate) from: EventId,
    pub(crate) to: EventId,
    pub(crate) rule: &'static Rule,
}

/// The closed order of events.
pub(crate) struct EventClosure {
    matrix: Matrix,
    /// By the begin of the target.
    pub(crate) edges: Vec<EventEdge>,
    /// Whether operations of one event follow the trace.
    pub(crate) within_events: bool,
}

impl EventClosure {
    pub(crate) fn new(facts: &Facts<'_>, rules: &RuleSet) -> (Self, Vec<(&'static Rule, usize)>) {
        let (edges, counters) = conclude(facts, rules);
        let begin = |event: EventId| facts.trace.event(event).begin;
        let mut matrix = Matrix::new(facts.trace.names().events.len());
        for edge in &edges {
            debug_assert!(begin(edge.from) < begin(edge.to));
            matrix.join(edge.from.index(), edge.to.index());
        }
        let within_events = rules.contains(&rules::EVENT_ORDER);
        (Self { matrix, edges, within_events }, counters)
    }

    /// t ≼ u, t ≠ u.
    pub(crate) fn before(&self, t: EventId, u: EventId) -> bool {
        self.matrix.get(t.index(), u.index())
    }

    /// a ≺ b for operations of the events given.
    pub(crate) fn orders(
        &self,
        (a, in_a): (OpId, Option<EventId>),
        (b, in_b): (OpId, Option<EventId>),
    ) -> bool {
        match (in_a, in_b) {
            (Some(t), Some(u)) if t == u => self.within_events && a < b,
            (Some(t), Some(u)) => a < b && self.before(t, u),
            _ => false,
        }
    }
}

/// What the rules conclude, by the begins of the targets, and how much each did.
pub(crate) fn conclude(
    facts: &Facts<'_>,
    rules: &RuleSet,
) -> (Vec<EventEdge>, Vec<(&'static Rule, usize)>) {
    let mut edges = Vec::new();
    let mut counters = Vec::new();
    for rule in rules.derives_events() {
        let Derive::Events(derive) = rule.derive else { continue };
        let mut out = EventConclusions::default();
        derive(facts, &mut out);
        counters.push((rule, out.edges.len()));
        edges.extend(out.edges.iter().map(|&(from, to)| EventEdge { from, to, rule }));
    }
    let begin = |event: EventId| facts.trace.event(event).begin;
    edges.sort_by_key(|e| begin(e.to));
    (edges, counters)
}
