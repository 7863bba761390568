//! A callback is registered before it is invoked.

use crate::engine::graph::Mechanism;
use crate::facts::Facts;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "CALLBACK-REG-1",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = register(c), β = invoke(c, _) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/callback-reg-1.md"),
    misses: |p| p.registered(),
    derive: Derive::Operations(derive, &[Mechanism::RegisterInvoke]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let facts = p.facts;
    let (first, second) = (|a| facts.is_register(a), |b| facts.is_invoke(b));
    for (a, b) in Facts::ordered_pairs(&facts.callbacks, &first, &second) {
        out.order(a, b);
    }
}
