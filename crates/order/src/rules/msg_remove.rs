//! A removal that came after the dispatch could not have come before it: it would have taken the
//! message away, and it cannot run before the enqueue.
//!
//! With [`super::REMOVE_ON_LOOPER`] the removal must run on the thread that dispatches the message:
//! elsewhere it may fall between dequeue and dispatch.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::{Id, Op};

pub(crate) static RULE: Rule = Rule {
    name: "MSG-REMOVE",
    reference: "EventRacer Android, Fig. 4",
    logic: "enqueue(m) ≺ remove(m), begin(m) < remove(m) ⊢ begin(m) ≺ remove(m)",
    speculative: false,
    page: include_str!("../../../../docs/rules/msg-remove.md"),
    misses: |p| p.removed(),
    derive: Derive::Operations(derive, &[Mechanism::BeginRemove]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let trace = p.facts.trace;
    for event in &p.facts.events {
        let Some((enqueue, _)) = event.posted else { continue };
        let owner = event.queue.and_then(|q| trace.queue(q).owner);
        for &removal in &p.facts.about_message[event.event.index()] {
            let own_thread = owner == Some(trace.thread_of(removal));
            if matches!(trace.op(removal), Op::Remove(_))
                && (own_thread || !p.rules.contains(&super::REMOVE_ON_LOOPER))
                && p.before(enqueue, removal)
            {
                out.order(event.begin, removal);
            }
        }
    }
}
