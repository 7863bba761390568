//! Model `eventracer-android`: EventRacer Android, Fig. 4, Fig. 5 and Table 2, as printed.
//!
//! The comment above each function is its rule. α < β is a premise of all rules, and the caller
//! tests it; m' is `n` in the code. Pools take part in EVENT-OP and the MSG rules that name one
//! message.

use trace::{Op, OpId, Posting, QueueKind};

use super::facts::{Facts, Post};
use super::{Order, Rule, optional, rule};

/// The rules of the model.
pub(super) const RULES: &[Rule] = &[
    rule("EVENT-OP", event_op),
    rule("CALLBACK-REG-1", callback_reg_1),
    rule("CALLBACK-REG-2", callback_reg_2),
    rule("CALLBACK-UNREG", callback_unreg),
    rule("CALLBACK-INV", callback_inv),
    rule("LOOPER-ATOMIC", looper_atomic),
    rule("MSG-ENQUEUE", msg_enqueue),
    rule("MSG-BEGIN-1", msg_begin_1),
    rule("MSG-BEGIN-2", msg_begin_2),
    rule("MSG-REMOVE", msg_remove),
    rule("MSG-BLOCKING", msg_blocking),
    rule("THREAD-FORK", thread_fork),
    rule("THREAD-JOIN", thread_join),
    rule("THREAD-INIT", thread_init),
    rule("THREAD-EXIT", thread_exit),
    rule("NOTIFY-WAIT", notify_wait),
    rule("NATIVE", native),
    rule("IPC-HANDLE", ipc_handle),
    rule("THREAD-OP", thread_op),
    rule("IPC-ASYNC", ipc_async),
    optional("WINDOW", window),
];

/// ev(α) = ev(β) ≠ none ⇒ α ≺ β
pub(super) fn event_op(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.event(alpha).is_some() && facts.event(alpha) == facts.event(beta)
}

/// α = register(c), β = invoke(c, _) ⇒ α ≺ β
pub(super) fn callback_reg_1(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!(
        (facts.op(alpha), facts.op(beta)),
        (Op::Register(c), Op::Invoke { callback, .. }) if c == callback
    )
}

/// α = register(c), β = unregister(c) ⇒ α ≺ β
pub(super) fn callback_reg_2(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!((facts.op(alpha), facts.op(beta)), (Op::Register(c), Op::Unregister(d)) if c == d)
}

/// α = invoke(c, _), β = unregister(c) ⇒ α ≺ β
pub(super) fn callback_unreg(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!(
        (facts.op(alpha), facts.op(beta)),
        (Op::Invoke { callback, .. }, Op::Unregister(c)) if c == callback
    )
}

/// α = invoke(c, sync), β = invoke(c, sync) ⇒ α ≺ β
pub(super) fn callback_inv(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!(
        (facts.op(alpha), facts.op(beta)),
        (Op::Invoke { callback: c, sync: true }, Op::Invoke { callback: d, sync: true }) if c == d
    )
}

/// α = end(m), β = begin(m'), m and m' of the same Looper, begin(m) ≺ end(m') ⇒ α ≺ β
pub(super) fn looper_atomic(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    let Some((m, n)) = facts.end_and_begin(alpha, beta) else { return false };
    let (Some(begin_m), Some(end_n)) = (facts.begin(m), facts.end(n)) else { return false };
    facts.same_looper(m, n) && order.holds(begin_m, end_n)
}

/// α = enqueue(m), β = begin(m) ⇒ α ≺ β
pub(super) fn msg_enqueue(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.begun(beta).is_some_and(|m| facts.enqueue(m) == Some(alpha))
}

/// α = end(m), β = begin(m'), η = enqueue(m) ≺ γ = enqueue(m'), same Looper, looperord(η, γ),
/// η.kind ∈ {Delayed, `AtTime`, Front, Idle}, γ.kind ∈ {Delayed, `AtTime`, Idle},
/// η.barrier ∨ ¬γ.barrier ⇒ α ≺ β
///
/// The conditions on kinds are those of `looperord`, which is false elsewhere.
fn msg_begin_1(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(eta, gamma)| {
        order.holds(eta.at, gamma.at)
            && eta.same_looper(&gamma)
            && looperord(eta.posting, gamma.posting)
            && (eta.is_async || !gamma.is_async)
    })
}

/// `looperord(η, γ)`: EventRacer Android, Table 2.
pub(super) fn looperord(eta: Posting, gamma: Posting) -> bool {
    use Posting::{AtTime, Delayed, Front, Idle};
    match (eta, gamma) {
        (Delayed(first), Delayed(second)) => first <= second,
        (Delayed(delay), Idle) => delay == 0,
        (Front, Delayed(_) | AtTime(_) | Idle) | (Idle, Idle) => true,
        _ => false,
    }
}

/// α = end(m'), β = begin(m), η = enqueue(m) ≺ γ = enqueue(m') ≺ β, same Looper, γ.kind = Front,
/// η.kind ∈ {Delayed, `AtTime`, Front, Idle}, γ.barrier ∨ ¬η.barrier ⇒ α ≺ β
fn msg_begin_2(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(gamma, eta)| {
        order.holds(eta.at, gamma.at)
            && order.holds(gamma.at, beta)
            && eta.same_looper(&gamma)
            && gamma.posting == Posting::Front
            && overtaken_by_front(eta.posting)
            && (gamma.is_async || !eta.is_async)
    })
}

/// η.kind ∈ {Delayed, `AtTime`, Front, Idle}
pub(super) fn overtaken_by_front(eta: Posting) -> bool {
    matches!(eta, Posting::Delayed(_) | Posting::AtTime(_) | Posting::Front | Posting::Idle)
}

/// α = begin(m), β = remove(m), enqueue(m) ≺ β ⇒ α ≺ β
pub(super) fn msg_remove(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    let Op::Remove(m) = facts.op(beta) else { return false };
    facts.begun(alpha) == Some(m) && facts.enqueue(m).is_some_and(|eta| order.holds(eta, beta))
}

/// α = end(m), β = `enqueue_end(m)` ⇒ α ≺ β
pub(super) fn msg_blocking(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!(facts.op(beta), Op::EnqueueEnd(m) if facts.ended(alpha) == Some(m))
}

/// α = fork(_, t), β = `thread_init(t)` ⇒ α ≺ β
pub(super) fn thread_fork(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(alpha) == Op::Fork(facts.thread(beta)) && facts.op(beta) == Op::Init
}

/// α = `thread_exit(t)`, β = join(_, t) ⇒ α ≺ β
pub(super) fn thread_join(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(alpha) == Op::Exit && facts.op(beta) == Op::Join(facts.thread(alpha))
}

/// α = `thread_init(t)`, β an operation of t ⇒ α ≺ β
pub(super) fn thread_init(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(alpha) == Op::Init && facts.thread(alpha) == facts.thread(beta)
}

/// α an operation of t, β = `thread_exit(t)` ⇒ α ≺ β
pub(super) fn thread_exit(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(beta) == Op::Exit && facts.thread(alpha) == facts.thread(beta)
}

/// α = notify(id), β = wait(id) ⇒ α ≺ β
pub(super) fn notify_wait(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    matches!((facts.op(alpha), facts.op(beta)), (Op::Notify(h), Op::Wait(i)) if h == i)
}

/// α = end(m), β = begin(m'), m and m' of the same kind ∈ {Input, Display}, same dispatcher ⇒ α ≺ β
pub(super) fn native(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(eta, gamma)| {
        matches!(eta.posting, Posting::Input | Posting::Display)
            && eta.posting == gamma.posting
            && same_dispatcher(&eta, &gamma)
    })
}

/// α = end(m), β = begin(m'), η = enqueue(m) < γ = enqueue(m'), both Ipc, enqueued by the same
/// process, same dispatcher, η.sync ∨ ¬γ.sync ⇒ α ≺ β
pub(super) fn ipc_handle(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(eta, gamma)| {
        eta.at < gamma.at
            && (eta.posting, gamma.posting) == (Posting::Ipc, Posting::Ipc)
            && eta.process == gamma.process
            && same_dispatcher(&eta, &gamma)
            && (eta.sync || !gamma.sync)
    })
}

/// α and β of the same thread, ev(α) = ev(β) = none ⇒ α ≺ β
pub(super) fn thread_op(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.thread(alpha) == facts.thread(beta)
        && facts.event(alpha).is_none()
        && facts.event(beta).is_none()
}

/// α = end(m), β = begin(m'), η = enqueue(m) ≺ γ = enqueue(m'), both Ipc, both async, enqueued by
/// the same thread, same dispatcher ⇒ α ≺ β
///
/// An ipc message is async unless it is a blocking call; the flag `async` concerns barriers.
pub(super) fn ipc_async(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(eta, gamma)| {
        order.holds(eta.at, gamma.at)
            && (eta.posting, gamma.posting) == (Posting::Ipc, Posting::Ipc)
            && !eta.sync
            && !gamma.sync
            && eta.thread == gamma.thread
            && same_dispatcher(&eta, &gamma)
    })
}

/// γ = begin(m) < β, time(γ) + window ≤ time(β), α ≤ γ, β a begin or outside events ⇒ α ≺ β
pub(super) fn window(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    let is_old = |gamma: OpId| {
        facts.begun(gamma).is_some()
            && facts.time(gamma).saturating_add(facts.window) <= facts.time(beta)
    };
    (facts.begun(beta).is_some() || facts.event(beta).is_none())
        && facts
            .ops()
            .take_while(|&gamma| gamma < beta)
            .any(|gamma| alpha <= gamma && is_old(gamma))
}

/// EventRacer Android's dispatchers are Loopers and Binders; a pool is none.
fn same_dispatcher(eta: &Post, gamma: &Post) -> bool {
    eta.same_looper(gamma) || eta.same_queue(gamma, QueueKind::Binder)
}
