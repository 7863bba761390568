//! Model `android`: model `eventracer-android` mended where Android's `MessageQueue` behaves
//! otherwise (docs/rules/README.md). Only the rules that differ are here.
//!
//! All of these rules use postings in normal form: `time=0` is front, and a negative delay is 0.

use trace::{Op, OpId, Posting};

use super::eventracer_android::{
    callback_inv, callback_reg_1, callback_reg_2, callback_unreg, event_op, ipc_async, ipc_handle,
    looper_atomic, looperord, msg_blocking, msg_enqueue, native, notify_wait, overtaken_by_front,
    thread_exit, thread_fork, thread_init, thread_join, thread_op, window,
};
use super::facts::{Facts, Post};
use super::{Order, Rule, eventracer_android, optional, rule};

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
    rule("REMOVE-BARRIER", remove_barrier),
    optional("AT-TIME", at_time),
    optional("USER-THREAD-OP", user_thread_op),
    optional("WINDOW", window),
];

/// Returns the normal form of a posting.
fn normal_form(posting: Posting) -> Posting {
    match posting {
        Posting::AtTime(0) => Posting::Front,
        Posting::Delayed(delay) => Posting::Delayed(delay.max(0)),
        other => other,
    }
}

/// η and γ of [`Facts::posts`] in normal form.
fn posts(facts: &Facts, alpha: OpId, beta: OpId) -> Option<(Post, Post)> {
    let (eta, gamma) = facts.posts(alpha, beta)?;
    let normal = |post: Post| Post { posting: normal_form(post.posting), ..post };
    Some((normal(eta), normal(gamma)))
}

/// α = end(m), β = begin(m'), η = enqueue(m) ≺ γ = enqueue(m'), same Looper, looperord(η, γ),
/// η.kind = Front ∨ η async ∨ γ not async ⇒ α ≺ β
fn msg_begin_1(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    posts(facts, alpha, beta).is_some_and(|(eta, gamma)| {
        order.holds(eta.at, gamma.at)
            && eta.same_looper(&gamma)
            && looperord(eta.posting, gamma.posting)
            && (eta.posting == Posting::Front || eta.is_async || !gamma.is_async)
    })
}

/// α = end(m'), β = begin(m), η = enqueue(m) ≺ γ = enqueue(m') ≺ β, same Looper, γ.kind = Front,
/// η.kind ∈ {Delayed, `AtTime`, Front, Idle} ⇒ α ≺ β
fn msg_begin_2(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    posts(facts, alpha, beta).is_some_and(|(gamma, eta)| {
        order.holds(eta.at, gamma.at)
            && order.holds(gamma.at, beta)
            && eta.same_looper(&gamma)
            && gamma.posting == Posting::Front
            && overtaken_by_front(eta.posting)
    })
}

/// α = begin(m), β = remove(m), enqueue(m) ≺ β, β runs on the thread that owns m's Looper ⇒ α ≺ β
fn msg_remove(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    let Op::Remove(m) = facts.op(beta) else { return false };
    facts.looper(m).and_then(|queue| facts.owner(queue)) == Some(facts.thread(beta))
        && eventracer_android::msg_remove(facts, order, alpha, beta)
}

/// α = `remove_barrier(B)`, β = begin(m), π = `post_barrier(B)` < α, π ≺ η = enqueue(m), same
/// Looper, η Delayed and not async ⇒ α ≺ β
///
/// π < α is not printed, but a removal that nothing posted before orders nothing.
fn remove_barrier(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    let Op::RemoveBarrier(removed) = facts.op(alpha) else { return false };
    let Some(m) = facts.begun(beta) else { return false };
    let Some(eta) = facts.post(m) else { return false };
    matches!(normal_form(eta.posting), Posting::Delayed(_))
        && !eta.is_async
        && facts.ops().take_while(|&pi| pi < alpha).any(|pi| match facts.op(pi) {
            Op::PostBarrier(posted, queue) => {
                posted == removed && facts.looper(m) == Some(queue) && order.holds(pi, eta.at)
            }
            _ => false,
        })
}

/// α = end(m), β = begin(m'), η = enqueue(m) ≺ γ = enqueue(m'), same Looper, both `AtTime`,
/// η.time ≤ γ.time, η async ∨ γ not async ⇒ α ≺ β
fn at_time(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    posts(facts, alpha, beta).is_some_and(|(eta, gamma)| {
        order.holds(eta.at, gamma.at)
            && eta.same_looper(&gamma)
            && matches!(
                (eta.posting, gamma.posting),
                (Posting::AtTime(first), Posting::AtTime(second)) if first <= second
            )
            && (eta.is_async || !gamma.is_async)
    })
}

/// THREAD-OP for a thread that neither owns a queue nor runs any event.
fn user_thread_op(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    thread_op(facts, order, alpha, beta)
        && !facts.owns_a_queue(facts.thread(alpha))
        && !facts.runs_events(facts.thread(alpha))
}
