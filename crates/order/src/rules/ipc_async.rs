//! Asynchronous inter-process messages from one thread to one dispatcher are handled in order.
//!
//! Implied by IPC-HANDLE while that is on. AsyncClock applies the rule to binder queues only.

use crate::engine::graph::{Dispatchers, Mechanism};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Posting;

use super::posting::posted_pairs_of;
use crate::facts::Dispatched;

pub(crate) static RULE: Rule = RULE_PARTS;

const RULE_PARTS: Rule = Rule {
    name: "IPC-ASYNC",
    reference: "EventRacer Android, Fig. 5",
    logic: "η = enqueue(m) ≺ γ = enqueue(m'), both Ipc and asynchronous, from one thread to one dispatcher ⊢ end(m) ≺ begin(m')",
    speculative: true,
    page: include_str!("../../../../docs/rules/ipc-async.md"),
    misses: |p| p.of_one_sender(true, false),
    derive: Derive::Operations(derive, &[Mechanism::IpcAsync(Dispatchers::All)]),
};

/// The rule as AsyncClock takes it over: binder queues only.
pub(crate) static IN_ASYNCCLOCK: Rule = Rule {
    reference: "AsyncClock, §5.3",
    derive: Derive::Operations(derive_binders, &[Mechanism::IpcAsync(Dispatchers::Binders)]),
    misses: |p| p.of_one_sender(true, true),
    ..RULE_PARTS
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for events in p.facts.dispatchers() {
        order(p, events, out);
    }
}

fn derive_binders(p: &Premises<'_>, out: &mut Conclusions) {
    for events in &p.facts.by_binder {
        order(p, events, out);
    }
}

fn order(p: &Premises<'_>, events: &[Dispatched], out: &mut Conclusions) {
    let thread = |op| p.facts.trace.thread_of(op);
    for (eta, gamma) in posted_pairs_of(events) {
        if eta.enqueue.posting == Posting::Ipc
            && gamma.enqueue.posting == Posting::Ipc
            && !eta.enqueue.sync
            && !gamma.enqueue.sync
            && thread(eta.op) == thread(gamma.op)
            && p.before(eta.op, gamma.op)
        {
            out.order_end(eta.end, gamma.begin);
        }
    }
}
