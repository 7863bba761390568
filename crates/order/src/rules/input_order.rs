//! What the user does arrives in the order it was done. Explored inputs, which could as well have
//! come in another order, are not posted to an attached queue.

use trace::Posting;

use super::tasks::one_after_another;
use crate::facts::{Dispatched, Facts};
use crate::rule::{Derive, EventConclusions, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "INPUT-ORDER",
    reference: "UI Events, event order; EventRacer, §5.2",
    logic: "enqueue(m, q, input), enqueue(m', q, input), q attached, end(m) < begin(m') ⊢ m ≼ m'",
    speculative: true,
    page: include_str!("../../../../docs/rules/input-order.md"),
    misses: |p| p.inputs(),
    derive: Derive::Events(derive),
};

fn derive(facts: &Facts<'_>, out: &mut EventConclusions) {
    for queue in &facts.by_looper {
        let is_input = |e: &&Dispatched| e.posted.is_some_and(|(_, p)| p.posting == Posting::Input);
        let inputs: Vec<Dispatched> = queue.iter().filter(is_input).copied().collect();
        out.edges.extend(one_after_another(&inputs));
    }
}
