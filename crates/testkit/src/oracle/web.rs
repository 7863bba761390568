//! Model `web`: the orders that the web's standards guarantee, over whole events.
//!
//! The comment above each function is its rule, over events t ≠ u. t ≼ u is the least transitive
//! relation that the rules conclude nothing new from; operations follow their events, as in model
//! `event`.
//! "t ended before u" is end(t) < begin(u) in the trace; only FORK-EVENT does without it.

use std::collections::BTreeMap;

use trace::{EventId, Op, OpId, Posting, QueueKind};

use super::event::{carry_over, fork, on_by_default, window};
use super::facts::Facts;
use super::{Order, Relation, RuleSwitches};

/// The data that a rule may use besides the events.
struct Known<'a> {
    facts: &'a Facts,
    /// The causes of each message that is a part of a task: what the trace alone orders before it.
    causes: &'a BTreeMap<EventId, Vec<EventId>>,
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
    "MICROTASK-ORDER",
    "CHECKPOINT",
    "TIMER-ORDER",
    "FRAME-ORDER",
    "IDLE-ORDER",
    "INPUT-ORDER",
    "TEST-STEP",
    "TEST-WAIT",
    "LEARNED",
    "WINDOW",
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
    ("MICROTASK-ORDER", microtask_order),
    ("CHECKPOINT", checkpoint),
    ("TIMER-ORDER", timer_order),
    ("FRAME-ORDER", |k, t, u| {
        posted(k, t, u, |eta, gamma| eta == Posting::Display && gamma == Posting::Display)
    }),
    ("IDLE-ORDER", |k, t, u| {
        posted(k, t, u, |eta, gamma| eta == Posting::Idle && gamma == Posting::Idle)
    }),
    ("INPUT-ORDER", input_order),
    ("TEST-STEP", |k, t, u| arc(k, t, u, |by| by == Some(b"step"))),
    ("TEST-WAIT", |k, t, u| arc(k, t, u, |by| by == Some(b"wait"))),
    ("LEARNED", |k, t, u| arc(k, t, u, |by| by == Some(b"learned"))),
    ("WINDOW", |k, t, u| window(k.facts, t, u)),
];

/// The rules whose premises mention the order.
const IN_ORDER: [&str; 5] =
    ["MICROTASK-ORDER", "CHECKPOINT", "TIMER-ORDER", "FRAME-ORDER", "IDLE-ORDER"];

/// The rules that order no cause before its part.
fn is_no_cause(rule: &str) -> bool {
    IN_ORDER.contains(&rule) || rule == "WINDOW"
}

/// The order of operations.
pub(super) fn order(facts: &Facts, switches: &RuleSwitches) -> Order {
    let within_events = switches.enabled("EVENT-ORDER", true);
    let on = |rule: &&(&str, Predicate)| switches.enabled(rule.0, on_by_default(rule.0));
    let rules: Vec<Predicate> = PREDICATES.iter().filter(on).map(|rule| rule.1).collect();
    let causes = causes(facts, switches);
    let ids = facts.messages().map(|m| m.0 as usize + 1).max().unwrap_or(0);
    let mut order = Relation::empty(ids);
    loop {
        let so_far = order.clone();
        let known = Known { facts, causes: &causes, order: &so_far, within_events };
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

/// For each microtask and each call of a listener, what the rules that the trace alone decides, of those
/// that are on, order before it.
fn causes(facts: &Facts, switches: &RuleSwitches) -> BTreeMap<EventId, Vec<EventId>> {
    let is_stated = |rule: &&(&str, Predicate)| {
        switches.enabled(rule.0, on_by_default(rule.0)) && !is_no_cause(rule.0)
    };
    let stated: Vec<Predicate> = PREDICATES.iter().filter(is_stated).map(|rule| rule.1).collect();
    let nothing = Relation::empty(0);
    let known = Known { facts, causes: &BTreeMap::new(), order: &nothing, within_events: false };
    let is_part = |u: &EventId| facts.is_part(*u);
    let causes_of = |u: EventId| {
        let is_cause = |t: &EventId| *t != u && stated.iter().any(|rule| rule(&known, *t, u));
        facts.messages().filter(is_cause).collect()
    };
    facts.messages().filter(is_part).map(|u| (u, causes_of(u))).collect()
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

    /// The causes of a part of a task.
    fn causes(&self, part: EventId) -> &[EventId] {
        self.causes.get(&part).map_or(&[], Vec::as_slice)
    }

    /// The last call in `cause` that queues `part`: its post, or the last registration before one of
    /// its invocations.
    fn last_call(&self, cause: EventId, part: EventId) -> Option<OpId> {
        let facts = self.facts;
        let calls =
            facts.ops().filter(|&iota| facts.event(iota) == Some(part)).filter_map(|iota| {
                let Op::Invoke { callback, .. } = facts.op(iota) else { return None };
                facts.ops().rev().find(|op| *op < iota && facts.op(*op) == Op::Register(callback))
            });
        let post = facts.post(part).map(|post| post.at).filter(|&at| Some(at) < facts.begin(part));
        calls.chain(post).filter(|&call| facts.event(call) == Some(cause)).max()
    }

    /// t is a part of a task that has causes, of the thread of u, and ended before u
    fn is_part_before(&self, t: EventId, u: EventId) -> bool {
        !self.causes(t).is_empty() && self.thread(t) == self.thread(u) && self.ended_before(t, u)
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
        Some(
            b"parser" | b"load" | b"network" | b"interval" | b"script" | b"target" | b"learned"
            | b"step" | b"wait",
        ) => false,
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

/// task(t) = task(u), t ended before u, and t starts the task or both are calls of listeners
fn task_order(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    let facts = known.facts;
    let both =
        |of_type: &[u8]| facts.type_of(t) == Some(of_type) && facts.type_of(u) == Some(of_type);
    known.ended_before(t, u)
        && facts.task(t) == facts.task(u)
        && (facts.task(u) == t || both(b"listener"))
}

/// t is a microtask or a call of a listener, of the thread of the microtask u, t ended before u; t has
/// causes, and for each cause c of t there is a cause d of u with c ≼ d. If c = d, a call in c that
/// queues t comes before the last one that queues u, or one of the two calls is not in the trace.
fn microtask_order(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    let precedes = |c: EventId, d: EventId| {
        if c != d {
            return known.order.holds(c, d);
        }
        match (known.last_call(c, t), known.last_call(d, u)) {
            (Some(first), Some(second)) => first <= second,
            _ => true,
        }
    };
    let (of_t, of_u) = (known.causes(t), known.causes(u));
    known.is_part_before(t, u)
        && known.facts.type_of(u) == Some(b"microtask")
        && of_t.iter().all(|&c| of_u.iter().any(|&d| precedes(c, d)))
}

/// t is a microtask or a call of a listener, of the thread of u, t ended before u, u is no microtask;
/// t has causes, and all of them come before u.
fn checkpoint(known: &Known<'_>, t: EventId, u: EventId) -> bool {
    known.is_part_before(t, u)
        && known.facts.type_of(u) != Some(b"microtask")
        && known.causes(t).iter().all(|&c| known.order.holds(c, u))
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
