//! THREAD-OP for user threads alone: to be switched on when THREAD-OP is off.

use crate::engine::graph::{Mechanism, Threads};
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, ThreadId};

pub(crate) static RULE: Rule = Rule {
    name: "USER-THREAD-OP",
    reference: "Interloper, model `android`",
    logic: "α, β outside events on one thread that owns no queue and runs no event ⊢ α ≺ β",
    speculative: true,
    page: include_str!("../../../../docs/rules/user-thread-op.md"),
    misses: |p| p.outside_events(true),
    derive: Derive::Operations(derive, &[Mechanism::ThreadOrder(Threads::User)]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let trace = p.facts.trace;
    let runs_events: Vec<ThreadId> = p.facts.events.iter().map(|e| e.thread).collect();
    for (i, ops) in p.facts.outside_events.iter().enumerate() {
        let thread = ThreadId::new(i);
        if trace.thread(thread).queue.is_none() && !runs_events.contains(&thread) {
            out.chain(ops);
        }
    }
}
