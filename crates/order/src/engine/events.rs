//! Closing a model that orders whole events (models `event` and `web`).
//!
//! t ≼ u is the reflexive-transitive closure of the rules' conclusions over events. Every
//! conclusion leads to an event that begins later, so one sweep in the order of begins closes a set
//! of them. Rules whose premises mention the order are applied to the closed relation, and the sweep
//! repeats until a round concludes nothing new.

use trace::{EventId, Id, OpId};

use crate::facts::Facts;
use crate::matrix::Matrix;
use crate::model::RuleSet;
use crate::rule::{Derive, EventConclusions, EventPremises, Rule};
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
    /// The conclusions, sorted by the begin of the target.
    pub(crate) edges: Vec<EventEdge>,
    /// Whether operations of one event follow the trace.
    pub(crate) within_events: bool,
}

/// How many conclusions each rule has made.
pub(crate) type Counters = Vec<(&'static Rule, usize)>;

impl EventClosure {
    /// The closure, how much each rule concluded, and how many rounds it took.
    pub(crate) fn new(facts: &Facts<'_>, rules: &RuleSet) -> (Self, Counters, usize) {
        let (edges, mut counters) = conclude(facts, rules);
        let matrix = Matrix::new(facts.trace.names().events.len());
        let within_events = rules.contains(&rules::EVENT_ORDER);
        let mut closure = Self { matrix, edges, within_events };
        let mut rounds = 0;
        loop {
            closure.close(facts);
            rounds += 1;
            let news =
                conclude_in_order(&EventPremises { facts, known: &closure, rules }, &mut counters);
            if news.is_empty() {
                return (closure, counters, rounds);
            }
            closure.edges.extend(news);
        }
    }

    fn close(&mut self, facts: &Facts<'_>) {
        let begin = |event: EventId| facts.trace.event(event).begin;
        self.edges.sort_by_key(|e| begin(e.to));
        for edge in &self.edges {
            debug_assert!(begin(edge.from) < begin(edge.to));
            self.matrix.join(edge.from.index(), edge.to.index());
        }
    }

    /// The conclusions t ≼ u of rules that the trace alone decides.
    pub(crate) fn stated(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        let stated = |edge: &&EventEdge| matches!(edge.rule.derive, Derive::Events(_));
        self.edges.iter().filter(stated).map(|edge| (edge.from, edge.to))
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

/// Applies the rules that the trace alone decides. Returns their conclusions, sorted by the begins of
/// the targets, and how many each rule made; a rule whose premises mention the order has made none.
pub(crate) fn conclude(facts: &Facts<'_>, rules: &RuleSet) -> (Vec<EventEdge>, Counters) {
    let mut edges = Vec::new();
    let mut counters = Vec::new();
    for rule in rules.iter() {
        let mut out = EventConclusions::default();
        match rule.derive {
            Derive::Events(derive) => derive(facts, &mut out),
            Derive::EventsInOrder(..) => {}
            _ => continue,
        }
        counters.push((rule, out.edges.len()));
        edges.extend(out.edges.iter().map(|&(from, to)| EventEdge { from, to, rule }));
    }
    let begin = |event: EventId| facts.trace.event(event).begin;
    edges.sort_by_key(|e| begin(e.to));
    (edges, counters)
}

/// Applies the rules whose premises mention the order once. Returns the conclusions that are new.
fn conclude_in_order(premises: &EventPremises<'_>, counters: &mut Counters) -> Vec<EventEdge> {
    let mut news = Vec::new();
    for (rule, count) in counters {
        let Derive::EventsInOrder(derive, _) = rule.derive else { continue };
        let mut out = EventConclusions::default();
        derive(premises, &mut out);
        out.edges.retain(|&(t, u)| !premises.known.before(t, u));
        *count += out.edges.len();
        news.extend(out.edges.into_iter().map(|(from, to)| EventEdge { from, to, rule }));
    }
    news
}
