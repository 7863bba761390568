//! A wait resumes after the notifications of its handle.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "NOTIFY-WAIT",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = notify(h), β = wait(h) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/notify-wait.md"),
    misses: |p| p.notified(),
    derive: Derive::Operations(derive, &[Mechanism::NotifyWait]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    super::threads::notify_wait(p.facts, out);
}
