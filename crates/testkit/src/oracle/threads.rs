//! Model `threads`: FastTrack (PLDI'09), §2.1, on traces that need show neither init nor exit.
//!
//! The paper's locking clause orders any two operations on one lock. On traces where a lock is held
//! by one thread at a time, the rule for locks in this file and program order give the same order.
//! The paper's locks are not re-entrant; here nested acquires and releases are ignored.

use trace::{LockId, Op, OpId};

use super::eventracer_android::notify_wait;
use super::facts::Facts;
use super::{Order, Rule, rule};

/// The rules of the model.
pub(super) const RULES: &[Rule] = &[
    rule("THREAD-ORDER", thread_order),
    rule("FORK-THREAD", fork_thread),
    rule("JOIN-THREAD", join_thread),
    rule("LOCK-ORDER", lock),
    rule("NOTIFY-WAIT", notify_wait),
];

/// α and β on one thread ⇒ α ≺ β
fn thread_order(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.thread(alpha) == facts.thread(beta)
}

/// α = fork(_, t), β an operation of t, or β = join(_, t) ⇒ α ≺ β
fn fork_thread(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    let Op::Fork(child) = facts.op(alpha) else { return false };
    facts.thread(beta) == child || facts.op(beta) == Op::Join(child)
}

/// α an operation of t, β = join(_, t) ⇒ α ≺ β
fn join_thread(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(beta) == Op::Join(facts.thread(alpha))
}

/// α = release(l) after which its thread no longer holds l, β = acquire(l) before which its thread
/// did not hold l ⇒ α ≺ β
fn lock(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    match (facts.op(alpha), facts.op(beta)) {
        (Op::Unlock(l), Op::Lock(m)) if l == m => {
            holds(facts, alpha, l)
                && !holds_after(facts, alpha, l)
                && !facts.lockset(beta).contains(&l)
        }
        _ => false,
    }
}

/// Whether the thread of `op` holds `lock` just before it.
fn holds(facts: &Facts, op: OpId, lock: LockId) -> bool {
    facts.lockset(op).contains(&lock)
}

/// Whether the thread of `op` holds `lock` just after it: at its next operation, or would.
fn holds_after(facts: &Facts, op: OpId, lock: LockId) -> bool {
    let count = facts.ops().take_while(|&o| o <= op).fold(0_usize, |held, o| match facts.op(o) {
        _ if facts.thread(o) != facts.thread(op) => held,
        Op::Lock(l) if l == lock => held + 1,
        Op::Unlock(l) if l == lock => held.saturating_sub(1),
        _ => held,
    });
    count > 0
}
