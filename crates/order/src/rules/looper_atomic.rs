//! Events of one Looper do not interleave: once anything in one is ordered before anything in the
//! other, they are ordered as wholes.
//!
//! The conclusion reaches back to a `begin` in the past, so whatever that event did before the
//! operation that established the order is ordered too (EventRacer Android, §6.3).

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "LOOPER-ATOMIC",
    reference: "EventRacer Android, Fig. 4",
    logic: "m, m' events of one Looper, begin(m) ≺ end(m') ⊢ end(m) ≺ begin(m')",
    speculative: false,
    page: include_str!("../../../../docs/rules/looper-atomic.md"),
    misses: |p| p.atomic(),
    derive: Derive::Operations(derive, &[Mechanism::AtomicFromBegin]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    for events in &p.facts.by_looper {
        for (i, later) in events.iter().enumerate() {
            let Some(later_end) = later.end else { continue };
            for earlier in &events[..i] {
                if p.before(earlier.begin, later_end) {
                    out.order_end(earlier.end, later.begin);
                }
            }
        }
    }
}
