//! The rules of model `droidracer`: names, references and logic; the code is in the crate of that
//! tool.
//!
//! That the process starts before its threads is no rule here: it orders nothing but the start.

use droidracer::rules::Rule as Tool;

use trace::Posting;

use crate::misses::{Found, Pair};
use crate::rule::{Derive, Rule};

macro_rules! rules {
    ($($constant:ident = $name:literal, $tool:ident, $page:literal, $reference:literal, $logic:literal;)*) => {$(
        pub(crate) static $constant: Rule = Rule {
            name: $name,
            reference: concat!("DroidRacer, ", $reference),
            logic: $logic,
            speculative: false,
            page: include_str!(concat!("../../../../docs/rules/", $page, ".md")),
            misses: |p| misses(p, Tool::$tool),
            derive: Derive::DroidRacer(Tool::$tool),
        };
    )*};
}

rules! {
    PO = "PO", ProgramOrder, "po", "rules NO-Q-PO and ASYNC-PO",
        "α then β in one segment of a thread or one task ⊢ α ≺ β";
    FORK = "FORK", Fork, "fork", "rule FORK", "α = fork(_, T), β = init(T) ⊢ α ≺ β";
    JOIN = "JOIN", Join, "join", "rule JOIN", "α = exit(T), β = join(_, T) ⊢ α ≺ β";
    NOTIFY = "NOTIFY", Notify, "notify", "the tool",
        "α = notify(h), β = the next wait(h) ⊢ α ≺ β";
    ATTACH = "ATTACH", Attach, "attach", "the tool",
        "α = attach(T, _), β = loop(T, _), or an enqueue by T outside tasks ⊢ α ≺ β";
    LOOP = "LOOP", Loop, "loop", "the tool",
        "α = loop(T, _), β = begin(m), m runs on T ⊢ α ≺ β";
    POST = "POST", Post, "post", "rule POST", "α = enqueue(m), β = begin(m) ⊢ α ≺ β";
    PARENT = "PARENT", Parent, "parent", "the tool",
        "m enqueues m' to its own thread ⊢ end(m) ≺ begin(m')";
    LOCK = "LOCK", Lock, "lock", "rule LOCK",
        "α = unlock(l) by T, β = a later lock(l) by another thread ⊢ α ≺ β";
    ENABLE_EVENT = "ENABLE-EVENT", EnableEvent, "enable-event", "environment model",
        "α = the latest enable(e), β = trigger(e) in m ⊢ α ≺ β, α ≺ enqueue(m)";
    ENABLE_FOCUS = "ENABLE-FOCUS", EnableFocus, "enable-focus", "environment model",
        "α = the latest ENABLE-WINDOW-FOCUS of w, β = its TRIGGER in m ⊢ α ≺ β, α ≺ enqueue(m)";
    ENABLE_LIFECYCLE = "ENABLE-LIFECYCLE", EnableLifecycle, "enable-lifecycle", "environment model",
        "α = an ENABLE-LIFECYCLE not yet consumed, β = its TRIGGER in m ⊢ α ≺ β, α ≺ enqueue(m)";
    ACTIVITY = "ACTIVITY", ActivityOrder, "activity", "environment model",
        "α, β = successive callbacks of an activity, in m and m' of one thread ⊢ α ≺ β, end(m) ≺ begin(m'), enqueue(m) ≺ enqueue(m')";
    SERVICE = "SERVICE", Service, "service", "environment model",
        "α = a request, β = the service's answer in m ⊢ α ≺ β, α ≺ enqueue(m)";
    BROADCAST = "BROADCAST", Broadcast, "broadcast", "environment model",
        "α = the send or registration, β = the receive in m ⊢ α ≺ β, α ≺ enqueue(m)";
    BROADCAST_ORDER = "BROADCAST-ORDER", BroadcastOrder, "broadcast-order", "environment model",
        "send ≺ send', received by α in m and β in m' ⊢ α ≺ β, enqueue(m) ≺ enqueue(m')";
    IDLE = "IDLE", Idle, "idle", "environment model",
        "α = ADD_IDLE_HANDLER, m runs the handler ⊢ α ≺ enqueue(m)";
    FIFO = "FIFO", Fifo, "fifo", "rule FIFO",
        "enqueue(m) ≺ enqueue(m'), one thread, delay(m) ≤ delay(m') ⊢ end(m) ≺ begin(m')";
    NOPRE = "NOPRE", NoPre, "nopre", "rule NO-PRE",
        "α in m, α ≺ begin(m'), one thread ⊢ end(m) ≺ begin(m')";
    TRANS = "TRANS", Trans, "trans", "transitivity",
        "α ≺ β, β ≺ γ, not of two tasks of one thread unless end(task α) ≺ begin(task γ) or β posts γ ⊢ α ≺ γ";
}

/// Returns what a rule of the tool finds around two operations. Rules about operations that only the
/// tool's own logs contain find nothing.
fn misses(p: &Pair<'_>, rule: Tool) -> Found {
    match rule {
        Tool::ProgramOrder => p.in_one_task(),
        Tool::Fork => p.forked(true),
        Tool::Join => p.joined(true),
        Tool::Notify => {
            let is_next = "the wait were the first after the notification";
            p.notified().map(|checks| checks.otherwise(is_next))
        }
        Tool::Attach => p.attached(false),
        Tool::Loop => p.attached(true),
        Tool::Post => p.post_before_event(),
        Tool::Parent => p.posts_other(true),
        Tool::Lock => p.locked(false),
        Tool::EnableEvent => p.enabled(),
        Tool::Fifo => p.posted_in_order(keeps, true),
        Tool::NoPre => p.atomic(),
        Tool::Trans => p.through_another_thread(),
        Tool::EnableFocus
        | Tool::EnableLifecycle
        | Tool::ActivityOrder
        | Tool::Service
        | Tool::Broadcast
        | Tool::BroadcastOrder
        | Tool::Idle
        | Tool::Start => None,
    }
}

/// Whether two messages posted in order keep it.
fn keeps(first: Posting, second: Posting) -> bool {
    matches!((first, second), (Posting::Delayed(d1), Posting::Delayed(d2)) if d1 <= d2)
}
