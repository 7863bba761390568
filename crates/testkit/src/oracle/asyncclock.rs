//! Model `asyncclock`: AsyncClock, Fig. 3, Fig. 7 and Table 1, as printed.
//!
//! The comment above each function is its rule. α < β is a premise of all rules, and the caller
//! tests it. PRIORITY subsumes FIFO: a plain message is Delayed with delay 0. PRIORITY, ATFRONT,
//! ATOMIC and INPUT apply to Looper queues, the IPC rules (of EventRacer Android) to Binder queues.

use trace::{Op, OpId, Posting, QueueKind};

use super::eventracer_android::{
    callback_reg_1, event_op, ipc_async as any_ipc_async, ipc_handle as any_ipc_handle,
    msg_enqueue, notify_wait, thread_fork, thread_join, thread_op, window,
};
use super::facts::{Facts, Post};
use super::{Order, Predicate, Rule, optional, rule};

/// The rules of the model.
pub(super) const RULES: &[Rule] = &[
    rule("PO", po),
    rule("FORK", FORK),
    rule("JOIN", JOIN),
    rule("SIGNAL", signal),
    rule("SEND", SEND),
    rule("LOOPBEGIN", loop_begin),
    rule("LOOPEND", loop_end),
    rule("PRIORITY", priority_rule),
    rule("ATOMIC", atomic),
    rule("ATFRONT", at_front),
    rule("INPUT", input),
    rule("IPC-HANDLE", ipc_handle),
    rule("IPC-ASYNC", ipc_async),
    optional("WINDOW", window),
];

/// α = fork(_, T), β = begin(T) ⇒ α ≺ β
const FORK: Predicate = thread_fork;

/// α = end(T), β = join(_, T) ⇒ α ≺ β
const JOIN: Predicate = thread_join;

/// α = send(_, _, E), β = begin(E) ⇒ α ≺ β
const SEND: Predicate = msg_enqueue;

/// task(α) = task(β) ⇒ α ≺ β, where a task is an event, or what a thread runs outside events
fn po(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    event_op(facts, order, alpha, beta) || thread_op(facts, order, alpha, beta)
}

/// α = signal(_, m), β = wait(_, m) ⇒ α ≺ β, where registering a callback signals it and invoking
/// it waits for that
fn signal(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    notify_wait(facts, order, alpha, beta) || callback_reg_1(facts, order, alpha, beta)
}

/// α = begin(T), β = begin(E), looper(E) = T ⇒ α ≺ β
fn loop_begin(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(alpha) == Op::Init
        && facts.thread(alpha) == facts.thread(beta)
        && facts.begun(beta).is_some_and(|e| facts.looper(e).is_some())
}

/// α = end(E), β = end(T), looper(E) = T ⇒ α ≺ β
fn loop_end(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.op(beta) == Op::Exit
        && facts.thread(alpha) == facts.thread(beta)
        && facts.ended(alpha).is_some_and(|e| facts.looper(e).is_some())
}

/// α = end(E₁), β = begin(E₂), send(_, q, E₁) ≺ send(_, q, E₂), priority(E₁, E₂) ⇒ α ≺ β
fn priority_rule(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(send_1, send_2)| {
        order.holds(send_1.at, send_2.at)
            && send_1.same_looper(&send_2)
            && priority(&send_1, &send_2)
    })
}

/// `priority(E₁, E₂)`: AsyncClock, Table 1, with our reading of the cell from
/// `AtTime` sync to `AtTime` async. Every true cell lies in an async row or a sync column.
fn priority(send_1: &Post, send_2: &Post) -> bool {
    use Posting::{AtTime, Delayed, Front};
    let not_held_back = send_1.is_async || !send_2.is_async;
    match (send_1.posting, send_2.posting) {
        (Delayed(first), Delayed(second)) | (AtTime(first), AtTime(second)) => {
            not_held_back && first <= second
        }
        (Front, Delayed(_) | AtTime(_)) => not_held_back,
        _ => false,
    }
}

/// α = end(E₁), begin(E₁) ≺ β, β inside E₂, looper(E₁) = looper(E₂) ⇒ α ≺ β
fn atomic(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    let (Some(e1), Some(e2)) = (facts.ended(alpha), facts.event(beta)) else { return false };
    facts.same_looper(e1, e2) && facts.begin(e1).is_some_and(|begin| order.holds(begin, beta))
}

/// α = end(E₁), β = begin(E₂), send(_, q, E₂) ≺ send(_, q, E₁, `AtFront`) ≺ β ⇒ α ≺ β
fn at_front(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(send_1, send_2)| {
        send_1.posting == Posting::Front
            && send_1.same_looper(&send_2)
            && order.holds(send_2.at, send_1.at)
            && order.holds(send_1.at, beta)
    })
}

/// α = end(E₁), β = begin(E₂), both external input events of one queue ⇒ α ≺ β
fn input(facts: &Facts, _: &Order, alpha: OpId, beta: OpId) -> bool {
    facts.posts(alpha, beta).is_some_and(|(send_1, send_2)| {
        (send_1.posting, send_2.posting) == (Posting::Input, Posting::Input)
            && send_1.same_looper(&send_2)
    })
}

/// IPC-HANDLE of EventRacer Android, on Binder queues.
fn ipc_handle(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    on_a_binder(facts, alpha, beta) && any_ipc_handle(facts, order, alpha, beta)
}

/// IPC-ASYNC of EventRacer Android, on Binder queues.
fn ipc_async(facts: &Facts, order: &Order, alpha: OpId, beta: OpId) -> bool {
    on_a_binder(facts, alpha, beta) && any_ipc_async(facts, order, alpha, beta)
}

fn on_a_binder(facts: &Facts, alpha: OpId, beta: OpId) -> bool {
    facts
        .posts(alpha, beta)
        .is_some_and(|(send_1, send_2)| send_1.same_queue(&send_2, QueueKind::Binder))
}
