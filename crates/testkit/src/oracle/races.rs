//! Races: unordered conflicting pairs, all of them or the candidates.

use trace::{OpId, Trace};

use super::facts::Facts;
use super::{Model, Order};

/// Two accesses of one location, at least one a write, that nothing orders.
///
/// Races are numbered by (second, first), which is also how they compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Race {
    /// The access that came later in the trace.
    pub second: OpId,
    /// The access that came earlier.
    pub first: OpId,
    /// Whether both accesses hold a common lock. Never of accesses in events of one Looper, which
    /// exclude each other anyway, and never in models `event` and `web`, which have no threads.
    pub lock_protected: bool,
}

/// `--pairs all`: every unordered conflicting pair of operations.
pub fn races_all(trace: &Trace, model: Model, order: &Order) -> Vec<Race> {
    races(&Facts::of(trace), model, order, |_, _| true)
}

/// `--pairs candidates`: of the pairs in events of one Looper (in models `event` and `web`, of all pairs) only
/// those of EventRacer, §4.2; all others as they are.
pub fn races_candidates(trace: &Trace, model: Model, order: &Order) -> Vec<Race> {
    let facts = Facts::of(trace);
    races(&facts, model, order, |a, b| match (model, in_one_looper(&facts, a, b)) {
        (Model::Event | Model::Web, _) => !write_between(&facts, a, b, |_| true),
        (_, true) => !write_between(&facts, a, b, |c| in_one_looper(&facts, a, c)),
        (_, false) => true,
    })
}

/// Whether both operations run in events of one Looper.
pub(super) fn in_one_looper(facts: &Facts, a: OpId, b: OpId) -> bool {
    match (facts.event(a), facts.event(b)) {
        (Some(t), Some(u)) => facts.same_looper(t, u),
        _ => false,
    }
}

/// The races for which `kept` holds, in the order of their numbers.
fn races(
    facts: &Facts,
    model: Model,
    order: &Order,
    kept: impl Fn(OpId, OpId) -> bool,
) -> Vec<Race> {
    let mut races = Vec::new();
    for second in facts.ops() {
        for first in facts.ops().take_while(|&first| first < second) {
            let ordered = order.holds(first, second) || order.holds(second, first);
            if conflict(facts, first, second) && !ordered && kept(first, second) {
                let locks_count = !matches!(model, Model::Event | Model::Web | Model::DroidRacer)
                    && !in_one_looper(facts, first, second);
                let lock_protected =
                    locks_count && !facts.lockset(first).is_disjoint(&facts.lockset(second));
                races.push(Race { second, first, lock_protected });
            }
        }
    }
    races
}

/// Whether both access one location and one of them writes.
fn conflict(facts: &Facts, a: OpId, b: OpId) -> bool {
    match (facts.op(a).access(), facts.op(b).access()) {
        (Some((x, a_writes)), Some((y, b_writes))) => x == y && (a_writes || b_writes),
        _ => false,
    }
}

/// Whether an access `among` which a and b are compared writes their location between them.
///
/// EventRacer, §4.2 takes adjacent writes, a read with the last write before it, and a read with the
/// next write after it: exactly the conflicting pairs with no write between them.
fn write_between(facts: &Facts, a: OpId, b: OpId, among: impl Fn(OpId) -> bool) -> bool {
    let location = facts.op(a).access().map(|(location, _)| location);
    facts.ops().filter(|&c| a < c && c < b).any(|c| {
        facts.op(c).access().is_some_and(|(x, writes)| Some(x) == location && writes) && among(c)
    })
}
