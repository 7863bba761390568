//! A callback is registered before it is unregistered.

use crate::engine::graph::Mechanism;
use crate::facts::Facts;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "CALLBACK-REG-2",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = register(c), β = unregister(c) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/callback-reg-2.md"),
    misses: |p| p.registered_and_removed(),
    derive: Derive::Operations(derive, &[Mechanism::RegisterUnregister]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let facts = p.facts;
    let (first, second) = (|a| facts.is_register(a), |b| facts.is_unregister(b));
    for (a, b) in Facts::ordered_pairs(&facts.callbacks, &first, &second) {
        out.order(a, b);
    }
}
