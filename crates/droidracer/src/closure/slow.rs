//! Computes the closure by its definition: applies every rule to every pair or triple until nothing
//! new follows.
//!
//! A round takes O(n³) time. Tests compare the fast closure with this one.

use super::Relation;
use super::bits::BitMatrix;
use crate::base::{Base, OpId, Role};
use crate::rules::Rule;

/// Returns the relation of `base`.
pub fn close(base: &Base) -> Relation {
    let n = base.len();
    let mut relation = Relation { rows: BitMatrix::new(n, n) };
    for edge in base.edges() {
        relation.rows.set(edge.from.index(), edge.to.index());
    }
    while trans(base, &mut relation)
        | no_pre(base, &mut relation)
        | fifo(base, &mut relation)
        | broadcast_order(base, &mut relation)
    {}
    relation
}

fn ids(base: &Base) -> impl Iterator<Item = OpId> + use<> {
    (0..base.len() as u32).map(OpId)
}

fn add(relation: &mut Relation, a: OpId, b: OpId) -> bool {
    relation.rows.set(a.index(), b.index())
}

fn trans(base: &Base, relation: &mut Relation) -> bool {
    let mut changed = false;
    if !base.rules().has(Rule::Trans) {
        return changed;
    }
    for b in ids(base) {
        for a in ids(base).filter(|&a| a != b) {
            if !relation.before(a, b) {
                continue;
            }
            for c in ids(base) {
                if relation.before(b, c)
                    && !relation.before(a, c)
                    && applies(base, relation, a, b, c)
                {
                    changed |= add(relation, a, c);
                }
            }
        }
    }
    changed
}

fn applies(base: &Base, relation: &Relation, a: OpId, b: OpId, c: OpId) -> bool {
    let (Some(first), Some(second)) = (base.op(a).task, base.op(c).task) else { return true };
    let ends_before = |ret| relation.before(ret, base.task(second).call);
    base.op(a).thread != base.op(c).thread
        || first == second
        || base.task(first).ret.is_some_and(ends_before)
        || matches!(base.op(b).role, Role::Post(m) if base.op(c).role == Role::Call(m))
}

fn no_pre(base: &Base, relation: &mut Relation) -> bool {
    let mut changed = false;
    if !base.rules().has(Rule::NoPre) {
        return changed;
    }
    for (index, later) in base.tasks().iter().enumerate() {
        for a in ids(base) {
            let Some(task) = base.op(a).task.filter(|task| task.index() != index) else { continue };
            let earlier = base.task(task);
            if earlier.thread == later.thread
                && relation.before(a, later.call)
                && let Some(ret) = earlier.ret
            {
                changed |= add(relation, ret, later.call);
            }
        }
    }
    changed
}

fn fifo(base: &Base, relation: &mut Relation) -> bool {
    let mut changed = false;
    if !base.rules().has(Rule::Fifo) {
        return changed;
    }
    for (i, one) in base.tasks().iter().enumerate() {
        for (j, two) in base.tasks().iter().enumerate() {
            let (Some(post1), Some(post2), Some(ret)) = (one.post, two.post, one.ret) else {
                continue;
            };
            let in_order = one.delay == 0 || (0 < one.delay && one.delay <= two.delay);
            let is_queued = one.is_queued && two.is_queued;
            let applies = i != j && one.thread == two.thread && is_queued && in_order;
            if applies && relation.before(post1, post2) {
                changed |= add(relation, ret, two.call);
            }
        }
    }
    changed
}

fn broadcast_order(base: &Base, relation: &mut Relation) -> bool {
    let mut changed = false;
    if !base.rules().has(Rule::BroadcastOrder) {
        return changed;
    }
    for one in base.deliveries() {
        for two in base.deliveries() {
            if one.channel != two.channel || !relation.before(one.cause, two.cause) {
                continue;
            }
            changed |= add(relation, one.receive, two.receive);
            if let (Some(from), Some(to)) = (one.post, two.post) {
                changed |= add(relation, from, to);
            }
        }
    }
    changed
}
