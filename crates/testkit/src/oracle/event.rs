//! Model `event`: EventRacer, §2.3.
//!
//! The order is one of events: t ≼ u is the reflexive and transitive closure of forks and arcs, and
//! only then is it carried over to operations. Operations outside events are unordered. Edges lead
//! from an event to one that begins later, so ≼ is antisymmetric. Events that overlap on different
//! threads are atomic by assumption; the matrix keeps what agrees with trace order.

use trace::{EventId, Op, OpId};

use super::facts::Facts;
use super::{Order, Relation, RuleSwitches};

/// The rules of the model.
pub(super) const RULES: &[&str] = &["EVENT-ORDER", "FORK-EVENT", "ARC", "WINDOW"];

/// Whether a rule of a model that orders events is on by default.
pub(super) fn on_by_default(rule: &str) -> bool {
    !matches!(rule, "WINDOW" | "LEARNED")
}

/// α ≺ β for α < β, by one of:
///
/// - EVENT-ORDER: ev(α) = ev(β) ≠ none
/// - ev(α) ≠ ev(β), ev(α) ≼ ev(β)
pub(super) fn order(facts: &Facts, switches: &RuleSwitches) -> Order {
    carry_over(facts, &event_order(facts, switches), switches.enabled("EVENT-ORDER", true))
}

/// The order of operations that an order of events gives.
pub(super) fn carry_over(facts: &Facts, events: &Relation<EventId>, within_events: bool) -> Order {
    let mut order = Order::empty(facts.ops().len());
    for beta in facts.ops() {
        for alpha in facts.ops().take_while(|&alpha| alpha < beta) {
            if let (Some(t), Some(u)) = (facts.event(alpha), facts.event(beta))
                && if t == u { within_events } else { events.holds(t, u) }
            {
                order.insert(alpha, beta);
            }
        }
    }
    order
}

/// t ≼ u between different events.
fn event_order(facts: &Facts, switches: &RuleSwitches) -> Relation<EventId> {
    let ids = facts.messages().map(|m| m.0 as usize + 1).max().unwrap_or(0);
    let mut order = Relation::empty(ids);
    for t in facts.messages() {
        for u in facts.messages() {
            if switches.enabled("FORK-EVENT", true) && fork(facts, t, u)
                || switches.enabled("ARC", true) && arc(facts, t, u)
                || switches.enabled("WINDOW", false) && window(facts, t, u)
            {
                order.insert(t, u);
            }
        }
    }
    order.close();
    order
}

/// FORK-EVENT: η = enqueue(u), ev(η) = t, η < begin(u) ⇒ t ≼ u
pub(super) fn fork(facts: &Facts, t: EventId, u: EventId) -> bool {
    facts.enqueue(u).is_some_and(|eta| {
        facts.event(eta) == Some(t) && facts.begin(u).is_some_and(|begin| eta < begin)
    })
}

/// ARC: arc(t, u) anywhere in the trace, end(t) < begin(u) ⇒ t ≼ u
fn arc(facts: &Facts, t: EventId, u: EventId) -> bool {
    let forward = |end: OpId| facts.begin(u).is_some_and(|begin| end < begin);
    facts.end(t).is_some_and(forward) && facts.ops().any(|op| facts.op(op) == Op::Arc(t, u))
}

/// WINDOW: γ = begin(m) < begin(u), time(γ) + window ≤ time(begin(u)), end(t) < γ ⇒ t ≼ u
pub(super) fn window(facts: &Facts, t: EventId, u: EventId) -> bool {
    let (Some(end), Some(begin)) = (facts.end(t), facts.begin(u)) else { return false };
    let is_old = |gamma: OpId| {
        facts.begun(gamma).is_some()
            && facts.time(gamma).saturating_add(facts.window) <= facts.time(begin)
    };
    facts.ops().take_while(|&gamma| gamma < begin).any(|gamma| end < gamma && is_old(gamma))
}
