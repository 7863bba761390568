//! An event that has begun ends before another event of the same looper goes on past β.
//!
//! Unlike LOOPER-ATOMIC the order holds from β on, not from the begin of E2 (AsyncClock, Fig. 8a).

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Id;

pub(crate) static RULE: Rule = Rule {
    name: "ATOMIC",
    reference: "AsyncClock, Fig. 7",
    logic: "begin(E1) ≺ β, β in E2 of the same looper ⊢ end(E1) ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/atomic.md"),
    misses: |p| p.atomic(),
    derive: Derive::Operations(derive, &[Mechanism::AtomicFromOperation]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for events in &p.facts.by_looper {
        for first in events {
            let Some(end) = first.end else { continue };
            for second in events.iter().filter(|e| e.event != first.event) {
                let ops = &p.facts.in_event[second.event.index()];
                // The operations after the first such β follow by PO; without it, each is concluded.
                for &op in ops.iter().filter(|&&op| p.before(first.begin, op)) {
                    out.order(end, op);
                }
            }
        }
    }
}
