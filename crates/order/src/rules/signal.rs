//! A wait resumes after the signals of its handle. Registering and invoking a callback count as signal
//! and wait.

use crate::engine::graph::Mechanism;
use crate::facts::Facts;
use crate::rule::{Conclusions, Derive, Premises, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "SIGNAL",
    reference: "AsyncClock, Fig. 3",
    logic: "α = signal(_, h), β = wait(_, h) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/signal.md"),
    misses: |p| p.signalled(),
    derive: Derive::Operations(derive, &[Mechanism::NotifyWait, Mechanism::RegisterInvoke]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let facts = p.facts;
    super::threads::notify_wait(facts, out);
    let (first, second) = (|a| facts.is_register(a), |b| facts.is_invoke(b));
    for (a, b) in Facts::ordered_pairs(&facts.callbacks, &first, &second) {
        out.order(a, b);
    }
}
