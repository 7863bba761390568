//! A callback that was invoked was not yet unregistered.

use crate::engine::graph::Mechanism;
use crate::facts::Facts;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "CALLBACK-UNREG",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = invoke(c, _), β = unregister(c) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/callback-unreg.md"),
    misses: |p| p.invoked_and_removed(),
    derive: Derive::Operations(derive, &[Mechanism::InvokeUnregister]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let facts = p.facts;
    let (first, second) = (|a| facts.is_invoke(a), |b| facts.is_unregister(b));
    for (a, b) in Facts::ordered_pairs(&facts.callbacks, &first, &second) {
        out.order(a, b);
    }
}
