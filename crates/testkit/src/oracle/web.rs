//! Model `web`: the orders that the web's standards guarantee, over whole events.
//!
//! The comment above each function is its rule, over events t ≠ u. t ≼ u is the least transitive
//! relation that the rules conclude nothing new from; operations follow their events, as in model
//! `event`.
//! "t ended before u" is end(t) < begin(u) in the trace; only FORK-EVENT does without it.

use trace::{EventId, Op, OpId, Posting, QueueKind};

use super::event::{carry_over, fork};
use super::facts::Facts;
use super::{Order, Relation, RuleSwitches};

/// The data that a rule may use besides the events.
struct Known<'a> {
    facts: &'a Facts,
    /// t ≼ u so far.
    order: &'a Relation<EventId>,
    within_events: bool,
}

type Predicate = fn(known: &Known<'_>, t: EventId, u: EventId) -> bool;

/// The rules of the model; EVENT-ORDER is applied when events are left for operations.
pub(super) const RULES: &[&str] = &[
    "EVENT-ORDER",
    "FORK-EVENT",
    "ARC",
    "PARSER-ORDER",
    "LOAD-ORDER",
    "NETWORK-ORDER",
    "INTERVAL-ORDER",
    "SCRIPT-ORDER",
    "TARGET-ORDER",
    "LISTENER",
    "TASK-ORDER",
    "CHECKPOINT",
    "TIMER-ORDER",
    "FRAME-ORDER",
    "IDLE-ORDER",
    "INPUT-ORDER",
];

const PREDICATES: &[(&str, Predicate)] = &[
    ("FORK-EVENT", |k, t, u| fork(k.facts, t, u)),
    ("ARC", plain_arc),
    ("PARSER-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"parser"))),
    ("LOAD-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"load"))),
    ("NETWORK-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"network"))),
    ("INTERVAL-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"interval"))),
    ("SCRIPT-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"script"))),
    ("TARGET-ORDER", |k, t, u| arc(k, t, u, |by| by == Some(b"target"))),
    ("LISTENER", listener),
    ("TASK-ORDER", task_order),
    ("CHECKPOINT", checkpoint),
    ("TIMER-ORDER", timer_order),
    ("FRAME-ORDER", |k, t, u| {
        posted(k, t, u, |eta, gamma| eta == Posting::Display && gamma == Posting::Display)
    }),
    ("IDLE-ORDER", |k, t, u| {
        posted(k, t, u, |eta, gamma| eta == Posting::Idle && gamma == Posting::Idle)
    }),
    ("INPUT-ORDER", input_order),
];

/// The order of operations.
pub(super) fn order(facts: &Facts, switches: &RuleSwitches) -> Order {
    let within_events = switches.enabled("EVENT-ORDER", true);
    let on = |rule: &&(&str, Predicate)| switches.enabled(rule.0, true);
    let rules: Vec<Predicate> = PREDICATES.iter().filter(on).map(|rule| rule.1).collect();
    let ids = facts.messages().map(|m| m.0 as usize + 1).max().unwrap_or(0);
    let mut order = Relation::empty(ids);
    loop {
        let so_far = order.clone();
        let known = Known { facts, order: &so_far, within_events };
        for t in facts.messages() {
            for u in facts.messages() {
                let is_news = t != u && !so_far.holds(t, u);
                if is_news && rules.iter().any(|concludes| concludes(&known, t, u)) {
                    order.insert(t, u);
                }
            }
        }
        order.close();
        if order == so_far {
            return carry_over(facts, &order, within_events);
        }
    }
}

impl Known<'_> {
    /// end(t) < begin(u)
    fn ended_before(&self, t: EventId, u: EventId) -> bool {
        match (self.facts.end(t), self.facts.begin(u)) {
            (Some(end), Some(begin)) => end < begin,
            _ => false,
        }
    }

    /// α ≺ β
    fn before(&self, alpha: OpId, beta: OpId) -> bool {
        match (self.facts.event(alpha), self.facts.event(beta)) {
            (Some(t), Some(u)) if alpha < beta => {
                if t == u {
                    self.within_events
                } else {
                    self.order.holds(t, u)
                }
            }
            _ => false,
        }
    }

    /// The thread of an event.
    fn thread(&self, event: EventId) -> Option<trace::ThreadId> {
        Some(self.facts.thread(self.facts.begin(event)?))
    }
}

/// arc(t, u, by) anywhere in the trace, t ended before u
fn arc(known: &Known<'_>, t: EventId, u: EventId, wanted: fn(Option<&[u8]>) -> bool) -> bool {
    let facts = known.facts;
    known.ended_before(t, u)
        && facts.ops().any(|op| facts.op(op) == Op::Arc(t, u) && wanted(facts.event_type(op)))
}

/// arc(t, u) by no cause, or by one that no rule speaks of
fn plain_arc(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    arc(known, t, u, |by| match by {
        Some(b"parser" | b"load" | b"network" | b"interval" | b"script" | b"target") => false,
        Some(_) | None => true,
    })
}

/// ρ = register(c) in t, ι = invoke(c) in u, no register(c) between them, t ended before u
fn listener(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    let facts = known.facts;
    let in_event = |event| facts.ops().filter(move |&op| facts.event(op) == Some(event));
    known.ended_before(t, u)
        && in_event(u).any(|iota| {
            let Op::Invoke { callback, .. } = facts.op(iota) else { return false };
            let registers = |op: &OpId| *op < iota && facts.op(*op) == Op::Register(callback);
            let rho = facts.ops().rev().find(registers);
            rho.is_some_and(|rho| facts.event(rho) == Some(t))
        })
}

/// task(t) = task(u), t ended before u
fn task_order(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    known.ended_before(t, u) && known.facts.task(t) == known.facts.task(u)
}

/// task(p) = task(t) ≠ task(u), all of one thread, p ≼ u, t ended before u
fn checkpoint(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    known.ended_before(t, u)
        && known.thread(t) == known.thread(u)
        && known.facts.task(t) != known.facts.task(u)
        && known
            .facts
            .messages()
            .any(|p| known.order.holds(p, u) && known.facts.task(p) == known.facts.task(t))
}

/// η = enqueue(t), γ = enqueue(u), one attached queue, η ≺ γ < begin(u), t ended before u
fn posted(known: &Known<'_>, t: EventId, u: EventId, keeps: fn(Posting, Posting) -> bool) -> bool {
    let (Some(eta), Some(gamma)) = (known.facts.post(t), known.facts.post(u)) else {
        return false;
    };
    known.ended_before(t, u)
        && eta.same_queue(&gamma, QueueKind::Looper)
        && keeps(eta.posting, gamma.posting)
        && known.facts.begin(u).is_some_and(|begin| gamma.at < begin)
        && known.before(eta.at, gamma.at)
}

/// η = enqueue(t), γ = enqueue(u), one attached queue, η ≺ γ < begin(u), t ended before u,
/// delay(η) ≤ delay(γ), where a negative delay is none
fn timer_order(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    posted(known, t, u, |eta, gamma| match (eta, gamma) {
        (Posting::Delayed(first), Posting::Delayed(second)) => first <= second || first <= 0,
        _ => false,
    })
}

/// Both input posted to one attached queue, t ended before u
fn input_order(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    let (Some(eta), Some(gamma)) = (known.facts.post(t), known.facts.post(u)) else {
        return false;
    };
    known.ended_before(t, u)
        && eta.same_queue(&gamma, QueueKind::Looper)
        && (eta.posting, gamma.posting) == (Posting::Input, Posting::Input)
}
