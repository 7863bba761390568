//! Synchronous invocations of one callback follow the trace. Both must be synchronous. The
//! printed rule is damaged, and the code applies what it must mean.

use crate::engine::graph::Mechanism;
use crate::rule::{Conclusions, Derive, Premises, Rule};
use trace::Op;

use crate::facts::Facts;

pub(crate) static RULE: Rule = Rule {
    name: "CALLBACK-INV",
    reference: "EventRacer Android, Fig. 4",
    logic: "α = invoke(c, sync), β = invoke(c, sync) ⊢ α ≺ β",
    speculative: false,
    page: include_str!("../../../../docs/rules/callback-inv.md"),
    misses: |p| p.invoked_twice(),
    derive: Derive::Operations(derive, &[Mechanism::InvokeInvoke]),
};

fn derive(p: &Premises<'_>, out: &mut Conclusions) {
    let trace = p.facts.trace;
    let sync = |op| matches!(trace.op(op), Op::Invoke { sync: true, .. });
    for (a, b) in Facts::ordered_pairs(&p.facts.callbacks, &sync, &sync) {
        out.order(a, b);
    }
}
