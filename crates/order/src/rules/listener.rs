//! A listener is called after it was added; a reaction runs after `then` asked for it. Only the event
//! that makes the call follows, not the dispatch: that reads the list of listeners, and finding one
//! there too late is a race.
//!
//! A callback that was taken back and handed over again is called because of the last registration.

use trace::{EventId, Op};

use crate::facts::Facts;
use crate::rule::{Derive, EventConclusions, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "LISTENER",
    reference: "DOM, “add an event listener” and “inner invoke”; ECMAScript, PerformPromiseThen",
    logic: "register(c) in t is the last before invoke(c) in u, end(t) < begin(u) ⊢ t ≼ u",
    speculative: false,
    page: include_str!("../../../../docs/rules/listener.md"),
    misses: |p| p.listener(),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    let trace = facts.trace;
    for callback in &facts.callbacks {
        let mut registered: Option<EventId> = None;
        for &op in callback {
            match trace.op(op) {
                Op::Register(_) => registered = trace.event_of(op),
                Op::Invoke { .. } => {
                    if let (Some(from), Some(to)) = (registered, trace.event_of(op)) {
                        out.order(trace, from, to);
                    }
                }
                _ => {}
            }
        }
    }
}
